// What root-entry.test.ts runs in a page and in a worker: an agent with a tool, steered while it works. Node never runs it.

import { createEngine, createOperative, defineTool, textOf } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';

/** Runs the agent and tells what became of it. */
export async function steeredAgent(): Promise<Readonly<Record<string, unknown>>> {
  const look = defineTool({
    name: 'look',
    description: 'Looks around.',
    parameters: { type: 'object', properties: {} },
    execute: () => 'nothing to see',
  });
  const model = scriptedModel([{ calls: [{ name: 'look', args: {} }] }, { text: 'Done, as you wished.' }]);
  const operative = createOperative({ engine: createEngine({ model, tools: [look] }) });
  const first = await operative.submit('Look around.');
  const second = await operative.submit('And be quick.');
  const delivery = await second.delivery;
  const { messages } = operative.conversation;
  const last = messages.at(-1);
  return {
    isSecureContext: globalThis.isSecureContext,
    outcomes: [first.outcome, second.outcome],
    delivery: delivery.status,
    answer: last === undefined ? '' : textOf(last),
    messages: messages.length,
    ids: new Set(messages.map(({ id }) => id)).size,
  };
}
