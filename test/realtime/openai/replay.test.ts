// The 20 recorded sessions replayed through a real WebSocket: the server says what it said then, whenever the client
// has said what it said then; what the session reports is compared with what went over the wire.

import { describe, expect, test } from 'vitest';
import type { RealtimeSession } from '../../../src/contracts/realtime.ts';
import { openaiRealtime } from '../../../src/realtime/openai/model.ts';
import { simulatedHost } from '../../../src/testing/simulated-host.ts';
import type { WireFact } from '../../../src/realtime/wire.ts';
import { eventDecoder } from './facts.ts';
import { listen, type Listener } from './listen.ts';
import { isSideband, realtimeRecordings, serverEvents, type RealtimeRecording } from './recordings.ts';
import { startWireServer, type Peer, type WireEvent } from './wire-server.ts';

/** Plays the server's part. Items the client made have ids of its own: the recorded ones are replaced by them. */
async function play({ frames }: RealtimeRecording, peer: Peer): Promise<void> {
  const ours: string[] = [];
  const names = new Map<string, string>();
  for (const { dir, data } of frames) {
    if (dir === 'client') {
      const { item } = (await peer.next(data.type)) as { item?: { id?: string } };
      if (item?.id !== undefined) ours.push(item.id);
      continue;
    }
    const item = data['item'] as { id: string; role?: string; type: string } | undefined;
    const isTheirs = item === undefined || item.role === 'assistant' || item.type === 'function_call';
    if (/^conversation\.item\.(added|created)$/.test(data.type) && !isTheirs && !names.has(item.id)) {
      const own = ours.shift();
      if (own !== undefined) names.set(item.id, own);
    }
    let text = JSON.stringify(data);
    for (const [recorded, own] of names) text = text.replaceAll(`"${recorded}"`, `"${own}"`);
    peer.send(text);
  }
  peer.close(1000);
}

/** Plays the client's part, through the neutral inputs where there are some. */
async function act({ frames }: RealtimeRecording, session: RealtimeSession, ear: Listener): Promise<void> {
  let isAnswered = false; // the reply to a tool's result is asked for by the session itself
  for (const { dir, data } of frames) {
    if (dir === 'server' || data.type === 'session.update') continue;
    const item = data['item'] as { type?: string; call_id?: string; output?: string } | undefined;
    if (data.type === 'input_audio_buffer.append') {
      await session.send({ type: 'audio.append', audio: Buffer.from(String(data['audio']), 'base64') });
    } else if (item?.type === 'function_call_output' && item.call_id !== undefined) {
      await ear.next('toolCall.requested', ({ call }) => call.id === item.call_id);
      await session.send({ type: 'toolResult.send', callId: item.call_id, result: item.output ?? '' });
      isAnswered = true;
    } else if (data.type !== 'response.create' || !isAnswered) {
      await session.send({ type: 'raw.send', payload: data });
    }
  }
}

describe.each(realtimeRecordings.map((recording) => [recording.id, recording] as const))('%s', (_, recording) => {
  test('is reported as it was sent', async () => {
    await using server = await startWireServer({ script: (peer) => play(recording, peer) });
    const host = simulatedHost(); // the recorded sessions have expired long ago
    const model = openaiRealtime({ model: 'recorded', apiKey: 'none', baseURL: server.url });
    const session = isSideband(recording)
      ? await model.connectForCall({ callId: 'rtc_1', accept: false }, { host })
      : await model.connect({ host });
    const ear = listen(session);
    await act(recording, session, ear);
    const events = await ear.end;

    const decode = eventDecoder({ isSideband: isSideband(recording) });
    const facts = serverEvents(recording).flatMap(decode);
    const of = <Type extends WireFact['type']>(type: Type): Extract<WireFact, { type: Type }>[] =>
      facts.filter((fact): fact is Extract<WireFact, { type: Type }> => fact.type === type);

    expect(Buffer.concat(ear.all('audio.delta').map(({ audio }) => audio))).toEqual(
      Buffer.concat(of('audio.delta').map(({ audio }) => audio)),
    );
    expect(ear.all('audio.delta').map(({ sequence }) => sequence)).toEqual(
      of('audio.delta').map((__, index) => index + 1),
    );
    expect(said(ear.all('transcript.delta').filter(({ final }) => final))).toEqual(said(of('transcript.done')));
    expect(
      ear
        .all('text.delta')
        .map(({ text }) => text)
        .join(''),
    ).toBe(
      of('text.done')
        .map(({ text }) => text)
        .join(''),
    );
    expect(ear.all('toolCall.requested').map(({ call }) => [call.id, call.name, call.rawArgs ?? call.args])).toEqual(
      of('toolCall.requested').map(({ callId, name, rawArgs }) => [callId, name, JSON.parse(rawArgs) as unknown]),
    );
    expect(ear.all('response.started').map(({ responseId }) => responseId)).toEqual(
      of('response.created').map(({ responseId }) => responseId),
    );
    expect(ear.all('response.completed').map(({ responseId, status }) => [responseId, status])).toEqual(
      of('response.done').map(({ responseId, status }) => [responseId, status]),
    );
    expect(ear.all('raw').map(({ event }) => (event as WireEvent).type)).toEqual(
      of('raw').map(({ event }) => (event as WireEvent).type),
    );
    expect(ear.all('speech.started')).toEqual(of('speech.started'));
    expect(ear.all('error').map(({ code }) => code)).toEqual(of('transcript.failed').map(({ code }) => code));
    const spent = [...of('response.done'), ...of('usage')].map(({ usage }) => usage?.outputTokens ?? 0);
    expect(ear.all('usage').at(-1)?.total.outputTokens ?? 0).toBe(spent.reduce((sum, tokens) => sum + tokens, 0));
    expect(events.at(-1)).toMatchObject({ type: 'session.closed', code: 1000 });
    expect(ear.all('session.closed')).toHaveLength(1);
    expect(server.peers[0]?.received.filter(({ type }) => type === 'response.create')).toHaveLength(
      recording.frames.filter(({ dir, data }) => dir === 'client' && data.type === 'response.create').length,
    );
  });
});

function said(parts: readonly { role: string; itemId: string; transcript?: string }[]): readonly unknown[] {
  return parts.map(({ role, itemId, transcript }) => [role, itemId, transcript]);
}
