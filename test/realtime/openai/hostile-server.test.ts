// A server that says anything: recorded events with damaged fields, foreign ids, in any order and any number of times,
// to a session that is used meanwhile. Nothing throws, nothing waits forever, and the session closes once.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RealtimeEvent, RealtimeInput } from '../../../src/contracts/realtime.ts';
import { openaiRealtime } from '../../../src/realtime/openai/model.ts';
import { createRealtimeOperative } from '../../../src/realtime/operative.ts';
import { simulatedHost } from '../../../src/testing/index.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { handSocket } from './hand-socket.ts';
import { realtimeRecordings, serverEvents } from './recordings.ts';
import type { WireEvent } from './wire-server.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

/** One of each kind that was ever recorded, without those that end a session. */
const samples = [
  ...new Map(
    realtimeRecordings
      .flatMap(serverEvents)
      .filter(({ type }) => type !== 'error')
      .map((event) => [event.type, event]),
  ).values(),
];
const idKeys = new Set(['id', 'response_id', 'item_id', 'previous_item_id', 'call_id']);

/** The event with the ids of a small world, so that events meet. */
function within(value: unknown, ids: readonly string[], count = { at: 0 }): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => within(one, ids, count));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      idKeys.has(key) && typeof inner === 'string' ? ids[count.at++ % ids.length] : within(inner, ids, count),
    ]),
  );
}

/** One place in it holds something else, or nothing. */
function damaged(event: WireEvent, pick: number, value: unknown): WireEvent {
  const copy = structuredClone(event) as Record<string, unknown>;
  let place: Record<string, unknown> = copy;
  for (let rest = pick; ; rest = Math.floor(rest / 5)) {
    const keys = Object.keys(place).filter((key) => place !== copy || key !== 'type');
    const key = keys[rest % Math.max(1, keys.length)];
    if (key === undefined) break;
    const inner = place[key];
    if (typeof inner !== 'object' || inner === null || rest % 3 === 0) {
      if (value === undefined) delete place[key];
      else place[key] = value;
      break;
    }
    place = inner as Record<string, unknown>; // an object, just looked at
  }
  return copy as unknown as WireEvent; // its type was left
}

const junk = fc.constantFrom<unknown>(
  undefined,
  undefined,
  null,
  0,
  -1,
  1e-300,
  1e308,
  '',
  'x',
  true,
  [],
  {},
  [null],
  { type: null },
  '\ud800',
  'x'.repeat(100_000),
);
const someIds = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 4 });
const inputs = fc.constantFrom<RealtimeInput[]>(
  { type: 'text.send', text: 'hi' },
  { type: 'response.request' },
  { type: 'response.request', outOfBand: true },
  { type: 'response.interrupt' },
  { type: 'audio.append', audio: new Uint8Array(480) },
  { type: 'audio.commit' },
  { type: 'audio.clear' },
  { type: 'session.update', voice: 'x' },
  { type: 'toolResult.send', callId: 'a', result: 'r' },
  { type: 'playback.report', itemId: 'a', playedMs: 7 },
  { type: 'raw.send', payload: { type: 'response.cancel' } },
  { type: 'raw.send', payload: { type: 'response.create', response: { conversation: 'none' } } },
);
type Move =
  | { readonly say: WireEvent }
  | { readonly send: RealtimeInput }
  | { readonly wait: number }
  | { readonly refuse: number; readonly code: string }
  | { readonly text: string };
const moves: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.nat(samples.length - 1), someIds)
      .map(([index, ids]) => ({ say: within(samples[index], ids) as WireEvent })),
  },
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.nat(samples.length - 1), someIds, fc.nat(1_000_000), junk)
      .map(([index, ids, pick, value]) => ({ say: damaged(within(samples[index], ids) as WireEvent, pick, value) })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '[', 'null', '{"type":5}', '{"type":"__proto__"}').map((text) => ({ text })),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      refuse: fc.nat(4),
      code: fc.constantFrom(
        'invalid_value',
        'response_cancel_not_active',
        'item_truncate_invalid_item_id',
        'conversation_already_has_active_response',
        'server_error',
        '',
      ),
    }),
  },
  { weight: 4, arbitrary: inputs.map((send) => ({ send })) },
  { weight: 1, arbitrary: fc.constantFrom(50, 1_500, 11_000).map((wait) => ({ wait })) },
);

test('property: whatever it says, nothing throws, nothing waits forever, and the session closes once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(moves, { minLength: 10, maxLength: 80, size: 'max' }),
      fc.boolean(),
      async (program, isCall) => {
        const host = simulatedHost();
        const socket = handSocket();
        const model = openaiRealtime({ model: 'm', apiKey: 'none', socket: socket.open });
        const connecting = isCall
          ? model.connectForCall({ callId: 'c', accept: false }, { host })
          : model.connect({ host });
        await host.settle();
        if (!isCall) socket.frame({ type: 'session.created', session: { id: 's' } });
        socket.frame({ type: 'session.updated', session: { id: 's' } });
        const session = await connecting;
        const tool = defineTool({
          name: 'get_weather',
          description: 't',
          parameters: { type: 'object' },
          execute: () => 'r',
        });
        const events: RealtimeEvent[] = [];
        const operative = createRealtimeOperative(session, { tools: [tool] });
        const reading = (async () => {
          for await (const event of operative.run()) events.push(event);
        })();
        let open = 0;
        for (const move of program) {
          if ('say' in move) socket.frame(move.say);
          else if ('text' in move) socket.listener.text(move.text);
          else if ('refuse' in move) {
            // One of its last commands, or none.
            const eventId = socket.sent.at(-1 - move.refuse)?.['event_id'] ?? null;
            socket.frame({ type: 'error', error: { code: move.code, message: 'in progress: a', event_id: eventId } });
          } else if ('wait' in move) await host.advance(move.wait);
          else {
            open++;
            const settled = () => open--;
            void operative.send(move.send).then(settled, settled);
          }
        }
        await host.advance(3_000_000);
        for (const event of events) {
          if (event.type === 'toolCall.requested') {
            void operative.send({ type: 'toolResult.send', callId: event.call.id, result: 'r' });
          }
          // A player that reports is waited for.
          if (event.type === 'audio.delta') {
            void operative.send({ type: 'playback.report', mark: event.sequence });
          }
        }
        await host.advance(3_000_000);
        expect({ phase: session.phase, open }).toEqual({
          phase: expect.stringMatching(/^(ready|listening|closed)$/),
          open: 0,
        });
        expect(host.pendingTimers()).toBe(0);
        await operative.close();
        await reading;
        const ids = (type: RealtimeEvent['type']) =>
          events
            .flatMap((event) => (event.type === type && 'responseId' in event ? [event.responseId] : []))
            .toSorted();
        expect(ids('response.completed')).toEqual(ids('response.started'));
        expect(events.filter(({ type }) => type === 'session.closed')).toHaveLength(1);
        expect(events.at(-1)?.type).toBe('session.closed');
        expect(events.filter((event) => event.type === 'error' && event.code === 'fact.unreadable')).toEqual([]);
      },
    ),
    { numRuns: 60 * runs },
  );
});
