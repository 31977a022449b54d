// The recorded sessions through the codec: every server event is reported, and what is reported is what was sent.

import { describe, expect, test } from 'vitest';
import { readRaw } from '../../../src/realtime/openai/read-raw.ts';
import type { WireFact } from '../../../src/realtime/wire.ts';
import { eventDecoder } from './facts.ts';
import { isSideband, realtimeRecordings, serverEvents } from './recordings.ts';
import type { WireEvent } from './wire-server.ts';

test('there are 20, of both generations', () => {
  expect(realtimeRecordings).toHaveLength(20);
  const types = new Set(realtimeRecordings.flatMap(serverEvents).map(({ type }) => type));
  expect(types).toContain('response.audio.delta');
  expect(types).toContain('response.output_audio.delta');
});

describe.each(realtimeRecordings.map((recording) => [recording.id, recording] as const))('%s', (_, recording) => {
  const decode = eventDecoder({ isSideband: isSideband(recording) });
  const told = serverEvents(recording).map((event): readonly [WireEvent, readonly WireFact[]] => [
    event,
    decode(event),
  ]);
  const facts = told.flatMap(([, these]) => these);
  const of = <Type extends WireFact['type']>(type: Type): Extract<WireFact, { type: Type }>[] =>
    facts.filter((fact): fact is Extract<WireFact, { type: Type }> => fact.type === type);
  const events = (pattern: RegExp) => serverEvents(recording).filter(({ type }) => pattern.test(type));

  test('loses no event: each has facts, and what has no neutral form is raw, as it came', () => {
    for (const [event, these] of told) {
      expect(these.length).toBeGreaterThan(0);
      const raw = these.filter((fact) => fact.type === 'raw');
      if (raw.length > 0) expect(these).toEqual([{ type: 'raw', event }]);
    }
  });

  test('loses no audio', () => {
    const sent = events(/^response\.(output_)?audio\.delta$/).map(({ delta }) => Buffer.from(String(delta), 'base64'));
    expect(Buffer.concat(of('audio.delta').map(({ audio }) => audio))).toEqual(Buffer.concat(sent));
  });

  test('has deltas that add up to what their end says', () => {
    const built = new Map<string, string>();
    for (const delta of [...of('transcript.delta'), ...of('text.delta')]) {
      const place = `${delta.itemId}/${delta.contentIndex}`;
      built.set(place, (built.get(place) ?? '') + delta.text);
    }
    const whole = new Map<string, string>();
    for (const done of of('transcript.done')) {
      // Of the user's words some servers tell a leading space, some no deltas.
      const place = `${done.itemId}/${done.contentIndex}`;
      if (done.role === 'user') built.set(place, (built.get(place) ?? done.transcript).trim());
      whole.set(place, done.transcript);
    }
    for (const done of of('text.done')) whole.set(`${done.itemId}/${done.contentIndex}`, done.text);
    expect(Object.fromEntries(built)).toEqual(Object.fromEntries(whole));
  });

  test('reports each call once, and again in the answer it belongs to', () => {
    const sent = events(/^response\.function_call_arguments\.done$/).map(({ call_id: callId }) => callId);
    expect(of('toolCall.requested').map(({ callId }) => callId)).toEqual(sent);
    expect(of('response.done').flatMap(({ calls }) => calls.map(({ callId }) => callId))).toEqual(sent);
  });

  test('settles each answer, with its tokens', () => {
    expect(of('response.done').map(({ responseId }) => responseId)).toEqual(
      of('response.created').map(({ responseId }) => responseId),
    );
    for (const { status, usage } of of('response.done')) {
      expect(status).toBe('completed');
      expect(usage?.outputTokens).toBeGreaterThan(0);
    }
  });

  test('has client events that raw.send takes, each of them', () => {
    const sent = recording.frames.filter(({ dir }) => dir === 'client').map(({ data }) => data);
    expect(sent.map(readRaw).filter((reading) => 'refused' in reading)).toEqual([]);
  });
});
