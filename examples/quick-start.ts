// A turn from end to end on the scripted model: one tool call, one answer. No key, no network.

// #region quick-start
import { createConversation, createEngine, defineTool, textOf, userMessage } from '../src/index.ts';
import { scriptedModel } from '../src/testing/index.ts';

const weather = defineTool({
  name: 'weather',
  description: 'Tells the weather in a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  isConcurrencySafe: true,
  execute: () => ({ sky: 'clear', celsius: 21 }),
});

const model = scriptedModel([
  { text: 'Let me look.', calls: [{ name: 'weather', args: { city: 'Paris' } }] },
  { text: 'Clear sky and 21 °C in Paris.' },
]);

const engine = createEngine({ model, tools: [weather] });
const conversation = createConversation({ messages: [userMessage('How is the weather in Paris?')] });
const run = engine.run(conversation);
for await (const event of run) {
  if (event.type === 'text.delta') process.stdout.write(event.text);
  if (event.type === 'toolCall.settled') console.log(`\n[${event.call.name}: ${event.result.status}]`);
}
const { reason, message } = await run.result;
console.log(`\n${reason}: ${message === undefined ? '' : textOf(message)}`);
// #endregion quick-start
