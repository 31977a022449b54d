// A person decides before a tool changes something, and sees first what it would do.

import { z } from 'zod';
import { createEngine, createOperative, defineTool, type Approve } from '../src/index.ts';
import { scriptedModel } from '../src/testing/index.ts';

// #region approve
const approve: Approve = async ({ call, args, preview }, { signal }) => {
  console.log(`${call.name} wants to:`, preview ?? args);
  const answer = await askSomebody(signal); // abandoned when the turn is cancelled
  return answer === 'yes' ? { allow: true } : { allow: false, message: 'Only after the backup has run.' };
};

const deleteFile = defineTool({
  name: 'deleteFile',
  description: 'Deletes a file.',
  parameters: z.object({ path: z.string() }),
  needsApproval: ({ path }) => !path.startsWith('/tmp/'), // false: runs without approval
  preview: ({ path }) => ({ deletes: path }),
  execute: ({ path }) => `deleted ${path}`,
});
// #endregion approve

const answers = ['yes', 'no'];
async function askSomebody(signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  return Promise.resolve(answers.shift() ?? 'no');
}

const model = scriptedModel([
  { calls: ['/tmp/a', '/data/b', '/data/c'].map((path) => ({ name: 'deleteFile', args: { path } })) },
  { text: 'Two are deleted; the third waits for the backup.' },
]);
const operative = createOperative({ engine: createEngine({ model, tools: [deleteFile], approve }) });
const { events } = await operative.submit('Delete all three.');
for await (const event of events) {
  if (event.type === 'toolCall.settled') console.log(event.result.status, JSON.stringify(event.result.content));
}
await operative.close();
