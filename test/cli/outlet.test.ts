import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createOutlet } from '../../src/cli/outlet.ts';

function outletOn(answer: (text: string) => Error | undefined) {
  const written: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      const fault = answer(chunk.toString());
      if (fault === undefined) written.push(chunk.toString());
      done(fault);
    },
  });
  let lost = 0;
  return { outlet: createOutlet(stream, () => (lost += 1)), written, timesLost: () => lost };
}

const brokenPipe = () => Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });

describe('createOutlet', () => {
  test('writes in order and says when all has gone out', async () => {
    const { outlet, written } = outletOn(() => undefined);
    outlet.write('a');
    outlet.write('');
    outlet.write('b');
    await outlet.flushed();
    expect(written.join('')).toBe('ab');
    expect(outlet.state()).toBe('open');
  });

  test('notices once that the reader has left, and writes no more', async () => {
    const { outlet, written, timesLost } = outletOn((text) => (text === 'b' ? brokenPipe() : undefined));
    outlet.write('a');
    outlet.write('b');
    await outlet.flushed();
    outlet.write('c');
    await outlet.flushed();
    expect(written).toEqual(['a']);
    expect(outlet.state()).toBe('left');
    expect(timesLost()).toBe(1);
  });

  test('keeps the fault of a stream that cannot be written', async () => {
    const full = new Error('no space left on device');
    const { outlet } = outletOn(() => full);
    outlet.write('a');
    await outlet.flushed();
    expect(outlet.state()).toBe(full);
  });
});
