// An engine and its operative, set up step by step with the builders.

import { createBackgroundTasks, createConversation, defineBackgroundTool, type Conversation } from '../src/index.ts';
// #region import
import { EngineBuilder } from '../src/index.ts';
// #endregion import
import { scriptedModel } from '../src/testing/index.ts';

const model = scriptedModel([
  { calls: [{ name: 'index', args: { run_in_background: true } }] },
  { text: 'The index is being built.' },
]);
const index = defineBackgroundTool({
  name: 'index',
  description: 'Builds the search index.',
  parameters: { type: 'object', properties: {} },
  execute: () => 'built',
});
const conversation = createConversation();
const load = (): Promise<Conversation> => Promise.resolve(conversation);

// #region builders
const tasks = createBackgroundTasks();
const base = EngineBuilder.fromDefaults(model) // with the default transformers; `new EngineBuilder()` has none
  .addTools([index])
  .withBackgroundTasks(tasks)
  .with({ maxIterations: 20 }); // any other option

const operative = base.buildOperative(conversation, (builder) =>
  builder.withReloadBeforeStart(load).with({ announceTasks: 'queue' }),
);
const engine = base.build(); // the same recipe again: for bare runs, or `OperativeBuilder.create(engine, conversation)`
// #endregion builders

const { events } = await operative.submit('Build the index.');
for await (const event of events) {
  if (event.type === 'toolCall.backgrounded') console.log(`${event.call.name} runs as a task`);
  if (event.type === 'text.delta') console.log(event.text);
}
await operative.close();
await tasks.close();
console.log(engine.tools.map(({ name }) => name).join(', '));
