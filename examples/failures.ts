// Failures are events and results: retries, a fallback model, and a turn that says how it ended.

import { createEngine, createOperative, ModelError } from '../src/index.ts';
import { scriptedModel, simulatedHost } from '../src/testing/index.ts';

const overloaded = new ModelError('model.overloaded', 'The provider is overloaded.', { retryable: true, status: 529 });
const main = scriptedModel([{ throw: overloaded }, { throw: overloaded }, { throw: overloaded }], { id: 'main' });
const spare = scriptedModel([{ text: 'The spare model answers.' }], { id: 'spare' });
const host = simulatedHost({ seed: 1 });

// #region failures
const engine = createEngine({
  model: main,
  fallbackModels: [spare], // used after the last retry of the model before it
  retry: { attempts: 2, baseDelayMs: 500 },
  maxIterations: 50,
  host, // only here: a clock that the example moves
});
const operative = createOperative({ engine });
const { events } = await operative.submit('Hello?');
void host.advance(60_000);
for await (const event of events) {
  if (event.type === 'stream.retrying') {
    console.log(event.attempt === 0 ? 'the next model' : `retry ${event.attempt}`, 'after:', event.error.message);
  }
  if (event.type === 'stream.reset') console.log('discard what was shown of this answer');
  if (event.type === 'text.delta') console.log(event.text);
  if (event.type === 'turn.completed') console.log(event.reason, event.error?.code ?? 'without an error');
}
// #endregion failures
await operative.close();
