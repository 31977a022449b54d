// The hosted Stately Inspector from Node: @statelyai/inspect's own server opens it in the browser and forwards messages.

// #region node
import { createWebSocketInspector } from '@statelyai/inspect';
import { createInspectorServer } from '@statelyai/inspect/server';
import { createEngine, createOperative } from '../src/index.ts';
import { withTranscript } from '../src/inspect/index.ts';
import { scriptedModel } from '../src/testing/index.ts';

const port = Number(process.env['INSPECTOR_PORT'] ?? 28_080);
const server = createInspectorServer({ port, autoOpen: process.stdout.isTTY });
const inspector = createWebSocketInspector({ url: `ws://localhost:${port}` });

const engine = createEngine({
  model: scriptedModel([{ text: 'Hello.' }]),
  inspect: withTranscript(inspector.inspect), // or inspector.inspect: the same without the transcript's events
});
// #endregion node

const operative = createOperative({ engine });
const { events } = await operative.submit('Hi!');
for await (const event of events) if (event.type === 'turn.completed') console.log(event.reason);

if (process.stdout.isTTY) await new Promise<void>((resolve) => process.once('SIGINT', resolve));
inspector.stop();
server.stop();
process.exit(); // the inspector would reconnect for ever
