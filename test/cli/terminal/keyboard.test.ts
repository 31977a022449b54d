import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { listenToKeyboard, type TerminalInput } from '../../../src/cli/terminal/keyboard.ts';

async function told(...reads: readonly string[]): Promise<readonly string[]> {
  const input = Object.assign(new PassThrough(), { setRawMode: () => input }) as unknown as TerminalInput & PassThrough; // a terminal to the reader
  const seen: string[] = [];
  const ended = new Promise<void>((resolve) => {
    listenToKeyboard(input, {
      onKey: (key) => seen.push(key.ctrl === true ? `C-${key.name ?? ''}` : (key.name ?? key.sequence ?? '')),
      onPaste: (text) => seen.push(`paste ${JSON.stringify(text)}`),
      onEnd: resolve,
    });
  });
  for (const read of reads) {
    input.write(read);
    await new Promise((resolve) => setImmediate(resolve));
  }
  input.end();
  await ended;
  return seen;
}

describe('listenToKeyboard', () => {
  test('reports keys as they are pressed', async () => {
    expect(await told('a', 'é', '\u001B[D', '\u0003', '\r')).toEqual(['a', 'é', 'left', 'C-c', 'return']);
  });

  test('reports a bracketed paste as a whole, however it is cut into reads', async () => {
    expect(await told('\u001B[200~one\r', 'two\r\nthr', 'ee\r\u001B[201~', '\r')).toEqual([
      'paste "one\\ntwo\\nthree\\n"',
      'return',
    ]);
  });

  test('takes a Return with more text after it in one read for a pasted line end', async () => {
    expect(await told('a\rb\r')).toEqual(['a', 'paste "\\n"', 'b', 'return']);
    expect(await told('a\r\r')).toEqual(['a', 'paste "\\n"', 'return']);
    expect(await told('a\r\nb\r\n')).toEqual(['a', 'paste "\\n"', 'b', 'return']);
    expect(await told('a\r', 'b\r')).toEqual(['a', 'return', 'b', 'return']);
  });

  test('a key after a Return is not a paste', async () => {
    expect(await told('a\r\u0003')).toEqual(['a', 'return', 'C-c']);
  });

  test('Ctrl-C gets out of a paste whose end was lost', async () => {
    expect(await told('\u001B[200~ab\u0003', 'c')).toEqual(['paste "ab"', 'C-c', 'c']);
  });
});
