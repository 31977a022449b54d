// Two callers on one operative see the same turn; two operatives on one engine never see each other.

import { createEngine, createOperative, textOf, type Operative } from '../src/index.ts';
import { scriptedModel } from '../src/testing/index.ts';

const model = scriptedModel([
  ({ messages }) => ({ text: `I have read ${messages.length} message(s).` }),
  ({ messages }) => ({ text: `Now I have read ${messages.length}.` }),
  ({ messages }) => ({ text: `Somebody else: ${messages.length} message(s).` }),
]);
const engine = createEngine({ model });

// #region channels
const support = createOperative({ engine });
const [web, phone] = await Promise.all([
  follow('web', support, 'My order did not arrive.'),
  follow('phone', support, 'I am calling about the same order.'),
]);

const other = createOperative({ engine });
await follow('other', other, 'Hello.');
// #endregion channels

console.log(web === phone ? 'both callers followed the same turn' : 'two turns');
console.log(`${support.conversation.messages.length} messages there, ${other.conversation.messages.length} here`);
await support.close();
await other.close();

async function follow(channel: string, operative: Operative, text: string): Promise<string> {
  const submitted = await operative.submit(text);
  let turnId = '';
  for await (const event of submitted.events) {
    if (event.type === 'assistant.settled') console.log(`${channel} hears: ${textOf(event.message)}`);
    if (event.type === 'turn.completed') ({ turnId } = event);
  }
  return turnId;
}
