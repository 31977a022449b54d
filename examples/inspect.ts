// Watches a steered turn in the offline inspector. Prints an address; on a terminal the page stays until Ctrl-C.

import { setTimeout } from 'node:timers/promises';
import { createEngine, createOperative, defineTool } from '../src/index.ts';
import { startInspector } from '../src/inspect/server/index.ts';
import { scriptedModel } from '../src/testing/index.ts';

// On a terminal there is time to open the page and to watch.
const moment = process.stdout.isTTY ? 4_000 : 1;

// #region start
const inspector = await startInspector();
console.log(`Open ${inspector.url}`);

const engine = createEngine({
  model: scriptedModel([
    { text: 'I read the logs.', calls: [{ name: 'readLogs' }] },
    { text: 'One timeout since Monday, and nothing else.' },
  ]),
  tools: [
    defineTool({
      name: 'readLogs',
      description: 'Reads the logs.',
      parameters: { type: 'object', properties: {} },
      execute: () => setTimeout(moment, '3 errors, 2 of them old'),
    }),
  ],
  inspect: inspector.inspect,
});
// #endregion start
await setTimeout(2 * moment);

const operative = createOperative({ engine });
const { events } = await operative.submit('Which errors are in the logs?');
await setTimeout(moment / 2);
const steer = await operative.submit('Only those since Monday.');
for await (const event of events) {
  if (event.type === 'turn.completed') console.log(event.reason, 'and the second message was', steer.outcome);
}

if (process.stdout.isTTY) await new Promise<void>((resolve) => process.once('SIGINT', resolve));
await inspector.close();
