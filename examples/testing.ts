// Tests of an app built on turnchart: a scripted model, a clock moved by hand, and a real turn as a fixture.

// #region scripted
import { createConversation, createEngine, createOperative, defineTool, userMessage } from '../src/index.ts';
import { recordTurn, replayTurn, scriptedModel, simulatedHost, verifyTranscript } from '../src/testing/index.ts';

const host = simulatedHost({ seed: 1 }); // time stands still until advance()
const slow = defineTool({
  name: 'slow',
  description: 'Takes a minute.',
  parameters: { type: 'object', properties: {} },
  execute: () => new Promise((resolve) => host.setTimeout(() => resolve('done'), 60_000)),
});
const model = scriptedModel([{ calls: [{ name: 'slow' }] }, { text: 'That took a minute.' }]);
const operative = createOperative({ engine: createEngine({ model, tools: [slow], host }) });

const { delivery } = await operative.submit('Go.');
await host.advance(60_000);
console.log((await delivery).status); // answered, without waiting
verifyTranscript(operative.conversation);
model.verify(); // throws if a step was not used
// #endregion scripted

// #region replay
const conversation = createConversation({ messages: [userMessage('How are you?')] });
const { run, recording } = recordTurn({ model: scriptedModel([{ text: 'Well.' }]) }, conversation);
await run.result;
const fixture = JSON.stringify(await recording); // a file next to your tests

const { differences } = await replayTurn(JSON.parse(fixture), {
  transformers: [{ name: 'polite', beforeIteration: () => ({ system: [{ type: 'text', text: 'Be polite.' }] }) }],
});
console.log(differences.length === 0 ? 'the same turn' : differences.join('\n'));
// #endregion replay
await operative.close();
