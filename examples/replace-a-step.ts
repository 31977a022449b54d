// Two ways to replace a step of the turn: a plain function, and a service of the chart itself.

import { createConversation, createEngine, defineTool, ModelError, userMessage } from '../src/index.ts';
// #region imports
import { engineWith, serviceLogic, turnMachine, turnOf } from '../src/embedding/index.ts';
import type { TurnFacts, TurnScope } from '../src/embedding/index.ts';
// #endregion imports
import { scriptedModel } from '../src/testing/index.ts';

const hello = defineTool({
  name: 'hello',
  description: 'Says hello.',
  parameters: { type: 'object', properties: {} },
  execute: () => 'hello',
});

// #region function
const loud = createEngine({
  model: scriptedModel([{ calls: [{ name: 'hello', args: {} }] }, { text: 'Done.' }]),
  tools: [hello],
  steps: {
    formatToolResult: (_, result) => ({ ...result, content: [{ type: 'text', text: 'HELLO!' }] }),
  },
});
// #endregion function

const overloaded = new ModelError('model.overloaded', 'The provider is overloaded.', { retryable: true });

// #region service
// The chart waits between retries in its service `delay`. This one does not wait.
const instantly = serviceLogic<TurnScope, TurnFacts>((scope, service) => {
  service.settle(turnOf(scope).facts('settled'));
  return undefined; // nothing to abandon
});

const hasty = engineWith(
  { model: scriptedModel([{ throw: overloaded }, { text: 'The second try.' }]) },
  { turn: turnMachine.provide({ actors: { delay: instantly } }) },
);
// #endregion service

for (const engine of [loud, hasty]) {
  const conversation = createConversation({ messages: [userMessage('Go.')] });
  const { reason } = await engine.run(conversation).result;
  console.log(reason, JSON.stringify(conversation.messages.map(({ content }) => content)));
}
