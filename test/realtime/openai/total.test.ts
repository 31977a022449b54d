// Encoder and decoder are total: whatever a server says gives facts, whatever is asked gives strict JSON.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeCommand } from '../../../src/realtime/openai/encode-command.ts';
import { readRaw } from '../../../src/realtime/openai/read-raw.ts';
import type { WireCommand } from '../../../src/realtime/wire.ts';
import { eventDecoder } from './facts.ts';
import { realtimeRecordings, serverEvents } from './recordings.ts';
import type { WireEvent } from './wire-server.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

/** Every path to a value in recorded events, by event type: what servers really send, to be damaged. */
const samples = [...new Map(realtimeRecordings.flatMap(serverEvents).map((event) => [event.type, event])).values()];

const junk = fc.constantFrom<unknown>(null, 0, -1, '', 'x', true, [], {}, [null], { type: 'x' }, '\ud800', 1e308);

/** The event with the value at one place replaced. */
function damaged(event: WireEvent, pick: number, value: unknown): WireEvent {
  const copy = structuredClone(event) as Record<string, unknown>;
  let place: Record<string, unknown> = copy;
  for (let rest = pick; ; rest = Math.floor(rest / 7)) {
    const keys = Object.keys(place).filter((key) => place !== copy || key !== 'type');
    const key = keys[rest % Math.max(1, keys.length)];
    if (key === undefined) break;
    const inner = place[key];
    if (typeof inner !== 'object' || inner === null || rest % 3 === 0) {
      place[key] = value;
      break;
    }
    place = inner as Record<string, unknown>; // an object, just looked at
  }
  return copy as unknown as WireEvent; // its type was left
}

test('damaged events give facts and throw nothing, in any order', () => {
  const change = fc.tuple(fc.nat(samples.length - 1), fc.nat(1_000_000), junk);
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      const decode = eventDecoder();
      for (const [index, pick, value] of changes) {
        const sample = samples[index];
        if (sample !== undefined) expect(decode(damaged(sample, pick, value)).length).toBeGreaterThan(0);
      }
    }),
    { numRuns: 300 * runs },
  );
});

test('commands are strict JSON whatever their texts hold', () => {
  const text = fc.string({ unit: 'binary' });
  const commands = fc.oneof(
    fc.record({
      type: fc.constant('item.create' as const),
      eventId: text,
      itemId: text,
      item: fc.oneof(
        fc.record({ kind: fc.constant('result' as const), callId: text, output: text }),
        fc.record({ kind: fc.constant('call' as const), callId: text, name: text, rawArgs: text }),
        fc.record({
          kind: fc.constant('message' as const),
          role: fc.constantFrom('user' as const, 'assistant' as const, 'system' as const),
          content: fc.array(fc.record({ type: fc.constant('text' as const), text })),
        }),
      ),
    }),
    fc.record({
      type: fc.constant('session.update' as const),
      eventId: text,
      changes: fc.record({ voice: text, providerOptions: fc.jsonValue() as fc.Arbitrary<never> }),
    }),
    fc.record({
      type: fc.constant('response.create' as const),
      eventId: text,
      request: fc.record({ instructions: text, providerOptions: fc.jsonValue() as fc.Arbitrary<never> }),
    }),
    fc.record({ type: fc.constant('raw' as const), event: fc.jsonValue() as fc.Arbitrary<never> }),
  );
  fc.assert(
    fc.property(commands, fc.constantFrom('current' as const, 'former' as const), (command: WireCommand, dialect) => {
      const encoded = encodeCommand(command, dialect);
      expect(encoded.isWellFormed()).toBe(true);
      expect(() => void JSON.parse(encoded)).not.toThrow();
      expect(encoded).not.toMatch(/\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])/i); // half a pair, escaped
    }),
    { numRuns: 300 * runs },
  );
});

test('raw.send answers anything with commands or a sentence', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      const reading = readRaw(value);
      expect('commands' in reading || reading.refused.length > 20).toBe(true);
    }),
    { numRuns: 500 * runs },
  );
});
