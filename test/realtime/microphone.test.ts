// The microphone's queue against every way a socket can take and not take: order is kept, and what is lost is reported.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Microphone } from '../../src/realtime/microphone.ts';
import type { WireCommand, WireLink } from '../../src/realtime/wire.ts';
import { simulatedHost } from '../../src/testing/index.ts';

const perMs = 48;

class Socket implements WireLink {
  readonly sent: WireCommand[] = [];
  readonly tellsWritten: boolean;
  bufferedBytes = 0;
  readonly #unwritten: (() => void)[] = [];

  constructor(tellsWritten: boolean) {
    this.tellsWritten = tellsWritten;
  }

  send(command: WireCommand, written?: () => void): void {
    this.sent.push(command);
    if (command.type === 'audio.append') this.bufferedBytes += command.audio.byteLength;
    if (written !== undefined) this.#unwritten.push(written);
  }

  flush(): void {
    this.bufferedBytes = 0;
    for (const written of this.#unwritten.splice(0)) written();
  }

  close(): void {
    this.bufferedBytes = 0;
  }

  terminate(): void {
    this.bufferedBytes = 0;
  }
}

const moves = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ append: fc.integer({ min: 1, max: 40 }) }) },
    { weight: 2, arbitrary: fc.constant({ flush: true }) },
    { weight: 1, arbitrary: fc.constant({ command: true }) },
    { weight: 1, arbitrary: fc.record({ wait: fc.integer({ min: 1, max: 1_500 }) }) },
    { weight: 1, arbitrary: fc.constant({ open: true }) },
  ),
  { maxLength: 60 },
);

test('property: what is sent is what was appended, in order, less what was reported as dropped', async () => {
  await fc.assert(
    fc.asyncProperty(moves, fc.boolean(), async (program, tellsWritten) => {
      const host = simulatedHost();
      let droppedMs = 0;
      const stalls: boolean[] = [];
      const socket = new Socket(tellsWritten);
      const microphone = new Microphone({
        host,
        bytesPerMs: () => perMs,
        capacityMs: 100,
        highWaterBytes: 30 * perMs,
        report: (queuedMs, dropped) => {
          droppedMs += dropped;
          if (queuedMs > 140) throw new Error(`${queuedMs} ms wait`);
        },
        stalled: (isStalled) => stalls.push(isStalled),
      });
      const appended: (number | string)[] = [];
      let count = 0;
      for (const move of program) {
        if ('append' in move) {
          const audio = new Uint8Array(move.append * perMs);
          new DataView(audio.buffer).setUint32(0, ++count);
          appended.push(count);
          microphone.append(audio);
        } else if ('flush' in move) socket.flush();
        else if ('command' in move) {
          appended.push('commit');
          microphone.follow({ type: 'audio.commit', eventId: 'x' });
        } else if ('wait' in move) await host.advance(move.wait);
        else microphone.open(socket);
      }
      microphone.open(socket);
      for (let round = 0; round < 200 && microphone.queuedMs > 0; round++) {
        socket.flush();
        await host.advance(20);
      }
      await host.advance(2_000);
      const sent = socket.sent.flatMap((command): (number | string)[] =>
        command.type === 'audio.append'
          ? [new DataView(command.audio.buffer).getUint32(0)]
          : command.type === 'audio.commit'
            ? ['commit']
            : [],
      );
      let at = 0;
      for (const one of sent) {
        at = appended.indexOf(one, at) + 1;
        expect(at).toBeGreaterThan(0); // in order, and nothing twice
      }
      expect(sent.filter((one) => one === 'commit')).toEqual(appended.filter((one) => one === 'commit'));
      const bytes = (ids: readonly (number | string)[]) => ids.filter((one) => typeof one === 'number').length;
      if (droppedMs === 0) expect(bytes(sent)).toBe(bytes(appended));
      else expect(bytes(sent)).toBeLessThan(bytes(appended));
      for (const [index, stall] of stalls.entries()) expect(stall).toBe(index % 2 === 0);
      microphone.close();
      expect(host.pendingTimers()).toBe(0);
    }),
    { numRuns: 60 * Number(process.env['TURNCHART_RUNS'] ?? 1) },
  );
});

test('a link that says "written" before its send returns takes ten thousand chunks', () => {
  const microphone = new Microphone({
    host: simulatedHost(),
    bytesPerMs: () => perMs,
    capacityMs: 1e9,
    highWaterBytes: 100,
    report: () => undefined,
    stalled: () => undefined,
  });
  for (let index = 0; index < 10_000; index++) microphone.append(new Uint8Array(perMs));
  let sent = 0;
  const link: WireLink = {
    tellsWritten: true,
    bufferedBytes: 0,
    send: (_command, written) => {
      sent++;
      written?.();
    },
    close: () => undefined,
    terminate: () => undefined,
  };
  microphone.open(link);
  expect(sent).toBe(10_000);
});
