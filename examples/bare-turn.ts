// A turn without an operative can be steered, too, as long as it runs.

import { createConversation, createEngine, defineTool, userMessage } from '../src/index.ts';
import { scriptedModel } from '../src/testing/index.ts';

const search = defineTool({
  name: 'search',
  description: 'Searches the archive.',
  parameters: { type: 'object', properties: {} },
  execute: () => '3 hits',
});
const engine = createEngine({
  model: scriptedModel([{ calls: [{ name: 'search', args: {} }] }, { text: 'Three hits, in short.' }]),
  tools: [search],
});

// #region steer
const conversation = createConversation({ messages: [userMessage('Search the archive.')] });
const run = engine.run(conversation);
console.log(run.steer('Keep it short.')); // accepted: it will be added before a model call

for await (const event of run) {
  if (event.type === 'message.injected') console.log(`read by model call ${event.iteration}`);
  if (event.type === 'text.delta') console.log(event.text);
}
console.log(run.steer('And now?')); // sealed: the turn is over and did not take it
const { reason, undrained = [] } = await run.result; // undrained: accepted, but the turn ended before it was added
console.log(reason, undrained.length);
// #endregion steer
