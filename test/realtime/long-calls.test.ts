// An hour of speech, in both directions, on a virtual clock: what a session keeps does not grow, and no audio passes
// through the chart.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import type { RealtimeSessionOptions } from '../../src/contracts/realtime.ts';
import { createRealtimeOperative } from '../../src/realtime/operative.ts';
import { LiveSession } from '../../src/realtime/session.ts';
import type { RealtimeWire, WireFact, WireLink, WireReceiver } from '../../src/realtime/wire.ts';
import { simulatedHost } from '../../src/testing/index.ts';
import { audioOf, everyCapability } from './fake-wire.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Audio is off the heap: both count. */
function memory(): number {
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const mebibyte = 1_048_576;
const chunks = 36_000; // an hour, 100 ms each

/** A line that keeps nothing. */
class Line implements RealtimeWire, WireLink {
  readonly provider = 'line';
  readonly capabilities = everyCapability;
  readonly inputFormat = { type: 'pcm16' } as const;
  readonly outputFormat = { type: 'pcm16' } as const;
  readonly playedBy = 'client';
  readonly tellsWritten = true;
  readonly bufferedBytes = 0;
  isStalled = false;
  sentBytes = 0;
  #receiver: WireReceiver | undefined;

  dial(receiver: WireReceiver): WireLink {
    this.#receiver = receiver;
    return this;
  }

  send(command: { readonly type: string; readonly audio?: Uint8Array }, written?: () => void): void {
    this.sentBytes += command.audio?.byteLength ?? 0;
    if (!this.isStalled) written?.();
    if (command.type === 'session.configure') this.give({ type: 'session.configured', settings: {} });
  }

  close(): void {
    this.give({ type: 'wire.closed', code: 1000 });
  }

  terminate(): void {
    this.isStalled = true;
  }

  readRaw(): { readonly refused: string } {
    return { refused: 'nothing' };
  }

  give(fact: WireFact): void {
    this.#receiver?.(fact);
  }
}

async function open(options: RealtimeSessionOptions = {}) {
  const host = simulatedHost();
  const line = new Line();
  const session = new LiveSession(line, { host, ...options });
  line.give({ type: 'wire.opened' });
  line.give({ type: 'session.created', sessionId: 's', settings: {} });
  await session.ready;
  return { host, line, session };
}

describe('the user speaks for an hour', () => {
  test('and nothing of it stays', async () => {
    const { line, session } = await open();
    const append = () => session.send({ type: 'audio.append', audio: audioOf(100) });
    for (let index = 0; index < 1_000; index++) await append();
    const before = memory();
    for (let index = 1_000; index < chunks; index++) await append();
    expect(memory() - before).toBeLessThan(mebibyte);
    expect(line.sentBytes).toBe(chunks * 4_800);
    await session.close();
  });

  test('into a socket that takes nothing: ten seconds stay, the rest is reported as lost', async () => {
    const { host, line, session } = await open();
    let droppedMs = 0;
    void (async () => {
      for await (const event of session.events) if (event.type === 'congestion') droppedMs += event.droppedMs;
    })();
    line.isStalled = true;
    const append = async (index: number) => {
      void session.send({ type: 'audio.append', audio: audioOf(100) });
      if (index % 10 === 0) await host.advance(1_000);
    };
    for (let index = 0; index < 2_000; index++) await append(index);
    const before = memory();
    for (let index = 2_000; index < 6_000; index++) await append(index);
    await host.advance(2_000);
    expect(memory() - before).toBeLessThan(mebibyte);
    const sentMs = line.sentBytes / 48;
    expect(droppedMs + sentMs + 10_000).toBe(600_000);
    await session.close();
  });
});

describe('the model speaks for an hour', () => {
  const speak = (line: Line, responseId: string, count: number) => {
    line.give({ type: 'response.created', responseId });
    for (let index = 0; index < count; index++) {
      line.give({ type: 'audio.delta', responseId, itemId: `${responseId}_1`, contentIndex: 0, audio: audioOf(100) });
    }
    line.give({ type: 'response.done', responseId, status: 'completed', calls: [] });
  };

  test('to a reader that keeps nothing: nothing stays', async () => {
    const { host, line, session } = await open();
    let read = 0;
    void (async () => {
      for await (const event of session.events) if (event.type === 'audio.delta') read++;
    })();
    const answer = async (index: number) => {
      speak(line, `r${index}`, 100);
      await host.advance(10_000);
    };
    for (let index = 0; index < 100; index++) await answer(index);
    const before = memory();
    for (let index = 100; index < chunks / 100; index++) await answer(index);
    expect(memory() - before).toBeLessThan(mebibyte);
    expect(read).toBe(chunks);
    await session.close();
  });

  test('to nobody: the last minutes stay, and no more', async () => {
    const { host, line, session } = await open({ backpressure: { outputMs: 60_000 } });
    for (let index = 0; index < 100; index++) speak(line, `r${index}`, 100);
    await host.advance(1_000_000);
    const before = memory();
    for (let index = 100; index < 300; index++) speak(line, `r${index}`, 100);
    await host.advance(2_000_000);
    expect(memory() - before).toBeLessThan(2 * mebibyte);
    await session.close();
  });

  test('behind an operative nobody reads: no more either', async () => {
    const { host, line, session } = await open({ backpressure: { outputMs: 60_000 } });
    createRealtimeOperative(session).run();
    const answer = async (index: number) => {
      speak(line, `r${index}`, 100);
      await host.advance(10_000);
    };
    for (let index = 0; index < 20; index++) await answer(index);
    const before = memory();
    for (let index = 20; index < 200; index++) await answer(index);
    expect(memory() - before).toBeLessThan(2 * mebibyte);
    await session.close();
  });
});

test('a thousand deltas and a thousand chunks are not steps of the chart', async () => {
  let steps = 0;
  const { line, session } = await open({ inspect: (event) => void (steps += isStep(event) ? 1 : 0) });
  await session.send({ type: 'audio.append', audio: audioOf(20) });
  line.give({ type: 'response.created', responseId: 'r1' });
  const delta: WireFact = { type: 'audio.delta', responseId: 'r1', itemId: 'i', contentIndex: 0, audio: audioOf(20) };
  line.give(delta);
  const before = steps;
  for (let index = 0; index < 1_000; index++) {
    line.give(delta);
    line.give({
      type: 'transcript.delta',
      role: 'assistant',
      responseId: 'r1',
      itemId: 'i',
      contentIndex: 0,
      text: 'word ',
    });
    await session.send({ type: 'audio.append', audio: audioOf(20) });
  }
  expect(steps - before).toBe(0);
  expect(before).toBeGreaterThan(0);
  await session.close();
});

function isStep(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'type' in event && event.type === '@xstate.snapshot';
}
