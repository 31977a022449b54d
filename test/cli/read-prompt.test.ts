import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readPrompt } from '../../src/cli/read-prompt.ts';

const never = new AbortController().signal;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

describe('readPrompt', () => {
  test('takes what is piped in, without white space around it and a byte order mark', async () => {
    expect(await readPrompt(Readable.from(['\uFEFF how many ', 'files?\n']), never)).toEqual({
      prompt: 'how many files?',
    });
  });

  test('joins characters that were cut between two pieces', async () => {
    const bytes = Buffer.from('北京 🌍');
    expect(
      await readPrompt(Readable.from([bytes.subarray(0, 1), bytes.subarray(1, 9), bytes.subarray(9)]), never),
    ).toEqual({ prompt: '北京 🌍' });
  });

  test.for(['', ' \n\t'])('finds no prompt in an input of %j', async (text) => {
    expect(await readPrompt(Readable.from([Buffer.from(text)]), never)).toEqual({
      why: 'no prompt given (-p) and standard input is empty',
    });
  });

  test('does not read a terminal', async () => {
    const terminal = Object.assign(new PassThrough(), { isTTY: true });
    expect(await readPrompt(terminal, never)).toEqual({
      why: 'no prompt given (-p)',
    });
  });

  test('gives up when nothing comes for three seconds', async () => {
    const reading = readPrompt(new PassThrough(), never);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await reading).toEqual({
      why: 'standard input gave nothing for 3 s',
    });
  });

  test('waits for the end once something has come', async () => {
    const input = new PassThrough();
    const reading = readPrompt(input, never);
    input.write('how ');
    await vi.advanceTimersByTimeAsync(60_000);
    input.end('many?');
    expect(await reading).toEqual({ prompt: 'how many?' });
  });

  test('takes an input that fails for an empty one', async () => {
    const broken = new Readable({
      read() {
        this.destroy(new Error('EISDIR'));
      },
    });
    expect(await readPrompt(broken, never)).toHaveProperty('why');
  });

  test('refuses more than a mebibyte', async () => {
    const flood = Readable.from([Buffer.alloc(1024 * 1024 + 1, 'x')]);
    await expect(readPrompt(flood, never)).rejects.toThrow(
      'the prompt on standard input is larger than 1,048,576 bytes',
    );
  });

  test('stops reading when the signal is aborted', async () => {
    const abort = new AbortController();
    const input = new PassThrough();
    const reading = readPrompt(input, abort.signal);
    abort.abort('interrupted');
    await expect(reading).rejects.toBe('interrupted');
    expect(input.destroyed).toBe(true);
  });
});
