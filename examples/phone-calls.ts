// A telephone line: a webhook announces a call, which is accepted, controlled without its audio, and transferred to a
// person. A local server plays OpenAI: no key, no network.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RealtimeSession } from '../src/realtime/index.ts';
import { receiveCalls } from '../src/realtime/openai/index.ts';
import { secret, startProvider } from './phone-calls/provider.ts';

const provider = await startProvider(console.log);
const apiKey = 'none';
const { baseURL } = provider;

// #region calls
const calls = receiveCalls({
  model: 'gpt-realtime-2.1',
  voice: 'marin',
  apiKey,
  baseURL,
  secret, // of the webhook, `whsec_…`
  decide: ({ from = '' }) =>
    from.includes('+49') ? { accept: { systemPrompt: [{ type: 'text', text: 'Be brief.' }] } } : { reject: 603 },
  onSession: (session) => talk(session),
});

const webhooks = createServer((request, response) => {
  void (async () => {
    const body = Buffer.concat(await request.toArray());
    const { status, outcome } = await calls.receive({ body, headers: request.headers });
    console.log(`webhook: ${outcome}`);
    response.writeHead(status).end();
  })();
});
// #endregion calls

// #region talk
async function talk(session: RealtimeSession): Promise<void> {
  await session.send({ type: 'response.request', instructions: 'Greet the caller.' });
  for await (const event of session.events) {
    if (event.type === 'transcript.delta' && event.final) console.log(`model: ${event.transcript ?? ''}`);
    if (event.type === 'call.dtmf') await session.send({ type: 'call.refer', targetUri: 'tel:+493012345' });
    if (event.type === 'session.closed') console.log(`closed: ${event.reason}`);
  }
}
// #endregion talk

await new Promise<void>((listening) => webhooks.listen(0, '127.0.0.1', listening));
await provider.ring(`http://127.0.0.1:${(webhooks.address() as AddressInfo).port}`, '<sip:+4915112345@example.com>');
await provider.ended;
provider.close();
webhooks.closeAllConnections();
webhooks.close();
