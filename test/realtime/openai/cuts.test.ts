// The recorded sessions cut off at every frame, with every frame told twice, and with frames left out: whatever a
// server does, the books balance.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RealtimeEvent } from '../../../src/contracts/realtime.ts';
import { openaiRealtime } from '../../../src/realtime/openai/model.ts';
import { simulatedHost } from '../../../src/testing/simulated-host.ts';
import { handSocket } from './hand-socket.ts';
import { isSideband, realtimeRecordings, serverEvents, type RealtimeRecording } from './recordings.ts';
import type { WireEvent } from './wire-server.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

/** Plays the frames to a session that is ready, ends it, and gives what it reported. */
async function play(
  recording: RealtimeRecording,
  frames: readonly WireEvent[],
  end: 'cut' | 'close',
): Promise<readonly RealtimeEvent[]> {
  const host = simulatedHost();
  const socket = handSocket();
  const model = openaiRealtime({ model: 'm', apiKey: 'none', socket: socket.open });
  const connecting = isSideband(recording)
    ? model.connectForCall({ callId: 'rtc_1', accept: false }, { host })
    : model.connect({ host });
  await host.settle();
  const [created, configured] = ['session.created', 'session.updated'].map((type) =>
    serverEvents(recording).find((event) => event.type === type),
  );
  if (created !== undefined) socket.frame(created);
  if (configured !== undefined) socket.frame(configured);
  const session = await connecting;
  for (const frame of frames) socket.frame(frame);
  if (end === 'cut') socket.listener.closed(1006, '');
  else await session.close();
  const events: RealtimeEvent[] = [];
  for await (const event of session.events) events.push(event);
  expect(host.pendingTimers()).toBe(0);
  return events;
}

/** What holds of every session, however it went. */
function expectBalanced(events: readonly RealtimeEvent[]): void {
  const of = (type: RealtimeEvent['type']) => events.filter((event) => event.type === type);
  const ids = (type: 'response.started' | 'response.completed') =>
    of(type).map((event) => (event as { responseId: string }).responseId);
  expect(of('session.closed')).toHaveLength(1);
  expect(events.at(-1)?.type).toBe('session.closed');
  expect(ids('response.started')).toEqual([...new Set(ids('response.started'))]);
  expect(ids('response.completed').toSorted()).toEqual(ids('response.started').toSorted());
  const calls = of('toolCall.requested').map((event) => (event as { call: { id: string } }).call.id);
  expect(calls).toEqual([...new Set(calls)]);
  const fates = of('toolCall.resultSent').map((event) => (event as { callId: string }).callId);
  expect(fates.toSorted()).toEqual(calls.toSorted());
  const begun = new Set<string>();
  for (const event of events) {
    if (event.type === 'response.started') begun.add(event.responseId);
    if (event.type === 'audio.delta') expect(begun.has(event.responseId)).toBe(true);
    if (event.type === 'response.completed') begun.delete(event.responseId);
  }
}

const after = (recording: RealtimeRecording) =>
  serverEvents(recording).filter(({ type }) => type !== 'session.created' && type !== 'session.updated');

describe.each(realtimeRecordings.map((recording) => [recording.id, recording] as const))('%s', (_, recording) => {
  const frames = after(recording);

  test('is cut off at every frame', async () => {
    for (let at = 0; at <= frames.length; at++) expectBalanced(await play(recording, frames.slice(0, at), 'cut'));
  });

  test('is reported twice, frame by frame', async () => {
    expectBalanced(
      await play(
        recording,
        frames.flatMap((frame) => [frame, frame]),
        'close',
      ),
    );
  });
});

test('frames are left out, sent twice and sent too early, at random', async () => {
  const schedule = fc.tuple(
    fc.integer({ min: 0, max: realtimeRecordings.length - 1 }),
    fc.array(fc.tuple(fc.nat(200), fc.constantFrom('drop', 'twice', 'swap')), { maxLength: 12 }),
    fc.constantFrom('cut' as const, 'close' as const),
  );
  await fc.assert(
    fc.asyncProperty(schedule, async ([index, changes, end]) => {
      const recording = realtimeRecordings[index];
      if (recording === undefined) return;
      const frames = [...after(recording)];
      for (const [where, what] of changes) {
        const at = where % frames.length;
        const frame = frames[at];
        if (frame === undefined) continue;
        if (what === 'drop') frames.splice(at, 1);
        if (what === 'twice') frames.splice(at, 0, frame);
        if (what === 'swap') frames.splice(at, 2, ...frames.slice(at, at + 2).toReversed());
      }
      expectBalanced(await play(recording, frames, end));
    }),
    { numRuns: 100 * runs },
  );
});
