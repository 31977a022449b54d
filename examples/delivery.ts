// What becomes of a message: three policies, and one message that is withdrawn.

import { createEngine, createOperative, defineTool } from '../src/index.ts';
import { scriptedModel } from '../src/testing/index.ts';

let arrive = (): void => undefined;
const arrived = new Promise<void>((resolve) => (arrive = resolve));
const search = defineTool({
  name: 'search',
  description: 'Searches.',
  parameters: { type: 'object', properties: {} },
  execute: () => arrived.then(() => 'found'),
});
const model = scriptedModel([
  { calls: [{ name: 'search', args: {} }] },
  { text: 'Found, and it is short.' },
  { text: 'And the second question: yes.' },
]);
const engine = createEngine({ model, tools: [search] });

// #region policies
const operative = createOperative({ engine });
operative.subscribe((event) => {
  if (event.type === 'message.queued') console.log('waits for the next turn');
});

await operative.submit('Search.'); // no turn runs: starts one
const steered = await operative.submit('Keep it short.'); // a turn runs: joins it before its next model call
const queued = await operative.submit('Is there more?', { policy: 'queue' }); // waits: starts the next turn
const refused = await operative.submit('Now or never.', { policy: 'reject' }); // a turn runs: not accepted
const regretted = await operative.submit('Forget it.');
console.log(operative.withdraw(regretted.messageId)); // true, since no model call has read it
// #endregion policies
console.log(steered.outcome, queued.outcome, refused.outcome);
arrive();

// #region fate
for (const { delivery } of [steered, queued, refused, regretted]) console.log((await delivery).status);
// #endregion fate
await operative.close();
