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

const deploy = defineTool({
  name: 'deploy',
  description: 'Deploys.',
  parameters: { type: 'object', properties: {} },
  isConcurrencySafe: true,
  execute: () => 'deployed',
});

// #region function
const changed = createEngine({
  model: scriptedModel([{ calls: [{ name: 'hello' }, { name: 'hello' }, { name: 'deploy' }] }, { text: 'Done.' }]),
  tools: [hello, deploy],
  steps: {
    // Groups of calls, one after the other: here everything in parallel, except deploy, which comes last.
    planCalls: (calls) => {
      const last = calls.filter(({ name }) => name === 'deploy');
      return [calls.filter((call) => !last.includes(call)), ...last.map((call) => [call])];
    },
    // How a tool is run: here with a line in the log; it could run in a worker, or on another machine.
    executeTool: (tool, args, context) => {
      console.log(`${tool.name} starts`);
      return tool.execute(args, context);
    },
    // What the model reads of a result. Status and call id stay as they are.
    formatToolResult: ({ name }, result) =>
      name === 'hello' ? { ...result, content: [{ type: 'text', text: 'HELLO!' }] } : result,
    // The request before it is sent.
    buildRequest: (request) => ({ ...request, providerOptions: { openai: { store: false } } }),
    // Milliseconds a call may take; undefined = no limit. Wins over `timeoutMs` and `toolTimeoutMs`.
    timeoutFor: ({ name }) => (name === 'deploy' ? undefined : 5_000),
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

for (const engine of [changed, hasty]) {
  const conversation = createConversation({ messages: [userMessage('Go.')] });
  const { reason } = await engine.run(conversation).result;
  console.log(reason, JSON.stringify(conversation.messages.map(({ content }) => content)));
}
