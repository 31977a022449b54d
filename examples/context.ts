// The default transformers with limits of your own, and one more transformer after them.

import { createEngine, createOperative, defaultTransformers, defineTool, type Transformer } from '../src/index.ts';
import { scriptedModel } from '../src/testing/index.ts';

const readLog = defineTool({
  name: 'readLog',
  description: 'Reads a log.',
  parameters: { type: 'object', properties: {} },
  execute: () => 'line\n'.repeat(20_000),
});
const model = scriptedModel([
  { calls: [{ name: 'readLog', args: {} }] },
  ({ system, messages }) => {
    const size = JSON.stringify(messages).length;
    return { text: `I was told ${JSON.stringify(system[0])} and saw ${size < 40_000 ? 'a short' : 'the whole'} log.` };
  },
]);

// #region context
/** Tells the model the time of day. The stored transcript does not change. */
const clock: Transformer = {
  name: 'clock',
  beforeIteration: ({ system }) => ({ system: [...system, { type: 'text', text: 'It is noon.' }] }),
};

const engine = createEngine({
  model,
  tools: [readLog],
  transformers: [...defaultTransformers({ contextTokens: 32_000 }), clock],
});
// #endregion context

const operative = createOperative({ engine });
const { events } = await operative.submit('What does the log say?');
for await (const event of events) {
  if (event.type === 'transformer.applied') console.log(`${event.name} applied`);
  if (event.type === 'text.delta') console.log(event.text);
}
await operative.close();
