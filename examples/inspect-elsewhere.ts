// Shows a program in another program's inspector. A worker or a page would do the same.

import { createEngine, createOperative } from '../src/index.ts';
import { connectInspector } from '../src/inspect/index.ts';
import { startInspector } from '../src/inspect/server/index.ts';
import { scriptedModel } from '../src/testing/index.ts';

// Normally the other program prints its address, and you pass it to this one.
const inspector = await startInspector();
const address = inspector.url;

// #region connect
const connection = connectInspector(address);
const engine = createEngine({ model: scriptedModel([{ text: 'Hello.' }]), inspect: connection.inspect });
// #endregion connect

const operative = createOperative({ engine });
const { events } = await operative.submit('Hi!');
for await (const event of events) if (event.type === 'turn.completed') console.log(event.reason);
await connection.close(); // sends what is left
console.log(`${connection.dropped} messages were lost`);
await inspector.close();
