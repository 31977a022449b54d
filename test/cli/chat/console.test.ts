import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { openConsole } from '../../../src/cli/chat/console.ts';
import type { TerminalInput } from '../../../src/cli/terminal/keyboard.ts';
import { terminalAfter } from '../terminal/emulator.ts';

function consoleOn(columns = 40) {
  const input = Object.assign(new PassThrough(), { setRawMode: () => input }) as unknown as TerminalInput & PassThrough; // a terminal to the reader
  const output = Object.assign(new EventEmitter(), { columns, rows: 24 });
  const told: string[] = [];
  let written = '';
  const terminal = openConsole(
    { input, output, write: (text) => (written += text), color: false },
    {
      onLine: (line) => told.push(`line ${line}`),
      onEscape: () => told.push('escape'),
      onInterrupt: (hadText) => told.push(`interrupt ${String(hadText)}`),
      onTyping: () => {},
      onEnd: () => told.push('end'),
    },
  );
  const type = async (text: string) => {
    input.write(text);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { terminal, output, told, type, shown: () => terminalAfter(written, columns) };
}

describe('openConsole', () => {
  test('keeps the line being typed below what is printed and inserted', async () => {
    const { terminal, told, type, shown } = consoleOn();
    await type('hel');
    terminal.print('The answer beg');
    terminal.insert('› earlier  ↪ injected');
    terminal.showStatus('working');
    terminal.print('ins.');
    expect(shown()).toEqual({
      rows: ['› earlier  ↪ injected', 'The answer begins.', 'working', '› hel'],
      row: 3,
      column: 5,
    });
    await type('lo\r');
    expect(told).toEqual(['line hello']);
    expect(shown().rows.at(-1)).toBe('› ');
  });

  test('sends no blank line', async () => {
    const { told, type } = consoleOn();
    await type('  \r');
    await type('\r');
    expect(told).toEqual([]);
  });

  test('Ctrl-C throws the line away, Ctrl-D ends only an empty one', async () => {
    const { told, type, shown } = consoleOn();
    await type('ab\u0004');
    await type('\u0003');
    await type('\u0003');
    await type('\u0004');
    expect(told).toEqual(['interrupt true', 'interrupt false', 'end']);
    expect(shown().rows).toEqual(['› ']);
  });

  test('asks one question after the other, keeps the line meanwhile, and takes only y for a yes', async () => {
    const { terminal, told, type, shown } = consoleOn();
    await type('half');
    const signal = new AbortController().signal;
    const answers = [terminal.ask('Allow one?', signal), terminal.ask('Allow two?', signal)];
    expect(shown().rows).toEqual(['Allow one? y/n', '? ']);
    await type('y');
    expect(shown().rows).toEqual(['Allow two? y/n', '? ']);
    await type('\r');
    expect(await Promise.all(answers)).toEqual([true, false]);
    expect(shown().rows).toEqual(['› half']);
    expect(told).toEqual([]);
  });

  test('takes a question back when its signal is aborted', async () => {
    const { terminal, shown } = consoleOn();
    const abort = new AbortController();
    const answer = terminal.ask('Allow it?', abort.signal);
    abort.abort();
    expect(await answer).toBe(false);
    expect(shown().rows).toEqual(['› ']);
  });

  test('prints nothing once it is closed', async () => {
    const { terminal, shown } = consoleOn();
    terminal.print('text\n');
    terminal.close();
    terminal.print('more\n');
    terminal.close();
    expect(shown().rows).toEqual(['text']);
  });
});
