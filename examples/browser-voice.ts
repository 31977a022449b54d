// The server's side of a voice session in a page: a key that lives for minutes, or the answer to a WebRTC offer and a
// session that runs the tools. A local server plays OpenAI: no key, no network.

import { defineTool } from '../src/index.ts';
import { createRealtimeOperative, type RealtimeOperative } from '../src/realtime/index.ts';
// #region import
import { answerCall, createClientSecret, openaiRealtime } from '../src/realtime/openai/index.ts';
// #endregion import
import { startProvider } from './phone-calls/provider.ts';

const provider = await startProvider(console.log);
const { baseURL } = provider;
const apiKey = 'none';
const weather = defineTool({
  name: 'weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  execute: () => 'clear sky',
});
const settings = { systemPrompt: [{ type: 'text', text: 'You tell the weather.' }] } as const;

// #region secret
/** The page passes it on: openaiRealtime({ model, apiKey: value }).connect() */
async function keyForPage(): Promise<string> {
  const options = { model: 'gpt-realtime-2.1', apiKey, baseURL, session: settings, expiresAfterSeconds: 60 };
  const { value } = await createClientSecret(options);
  return value; // ek_…
}
// #endregion secret

// #region answer
/** `offer` is the SDP of the page's RTCPeerConnection; it passes the result to setRemoteDescription. */
async function answer(offer: string): Promise<string> {
  const { sdp, callId } = await answerCall({ model: 'gpt-realtime-2.1', apiKey, baseURL, sdp: offer });
  const model = openaiRealtime({ model: 'gpt-realtime-2.1', apiKey, baseURL });
  const session = await model.connectForCall({ callId, accept: false }, settings); // no audio comes here
  void serve(createRealtimeOperative(session, { tools: [weather] }));
  return sdp;
}
// #endregion answer

async function serve(operative: RealtimeOperative): Promise<void> {
  for await (const event of operative.run()) {
    if (event.type === 'session.closed') console.log(`closed: ${event.reason}`);
  }
}

console.log(await keyForPage());
console.log((await answer('v=0\r\n')).trim());

// #region raw
const model = openaiRealtime({ model: 'gpt-realtime-2.1', apiKey, baseURL });
const session = await model.connectForCall({ callId: 'rtc_2', accept: false });
await session.send({ type: 'raw.send', json: '{"type":"output_audio_buffer.clear"}' }); // a client event as text
await session.send({
  type: 'raw.send', // or as a value
  payload: { type: 'session.update', session: { type: 'realtime', tracing: 'auto' } },
});
// #endregion raw
await session.send({ type: 'raw.send', json: '{"type":"response.invent"}' }).catch((error: unknown) => {
  console.log(String(error));
});
await session.close();
provider.close();
