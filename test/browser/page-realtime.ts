// What realtime.test.ts runs in a page: a session over the browser's own WebSocket. Node never runs it.

import { openaiRealtime } from '../../src/realtime/openai/index.ts';

/** Speaks, asks for an answer, hears it; gives what was told, in short. */
export async function conversation(baseURL: string): Promise<readonly string[]> {
  const told: string[] = [];
  const session = await openaiRealtime({ model: 'm', apiKey: 'ek_page', baseURL }).connect();
  const reading = (async () => {
    for await (const event of session.events) {
      if (event.type === 'audio.delta') told.push(`audio ${event.audio.constructor.name} ${event.audio.join(',')}`);
      else if (event.type === 'response.interrupted') continue; // two samples: heard by then, or not
      else told.push(event.type);
      if (event.type === 'response.completed') await session.close();
    }
  })();
  await session.send({ type: 'audio.append', audio: Uint8Array.of(1, 2, 3, 255) });
  await session.send({ type: 'response.request' });
  await reading;
  return told;
}

/** What is said of a server that nobody runs. */
export async function failure(baseURL: string): Promise<string> {
  try {
    await openaiRealtime({ model: 'm', apiKey: 'ek_page', baseURL }).connect();
    return 'connected';
  } catch (error) {
    return String(error);
  }
}
