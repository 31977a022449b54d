// The chat as a person has it: the real command on a pseudo-terminal, typed into while it runs.

import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { decodeConversation } from '../../../src/codec/index.ts';
import { textOf } from '../../../src/index.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { hasTerminal, onTerminal, type TerminalStep } from '../terminal/on-terminal.ts';

const ready = '/help explains more';
const question = 'how many TypeScript files are here?\r';
const folder = () => temporaryFolder({ 'a.ts': 'one\n', 'src/longer.ts': 'one\ntwo\nthree\n', 'x.md': '# x\n' });
const chat = (steps: readonly TerminalStep[], args: readonly string[] = [], more: { columns?: number } = {}) =>
  onTerminal(args, { folder: folder(), steps, ...more });
const quit: TerminalStep = { send: '/quit\r' };

describe.runIf(hasTerminal)('the chat', { timeout: 90_000 }, () => {
  test('answers, names the model, and leaves with 0', async () => {
    const { code, rows, complaints } = await chat([
      { after: ready, send: question },
      { after: '✓ completed', ...quit },
    ]);
    expect(complaints).toBe('');
    expect(rows[0]).toBe('demo model (scripted, no AI): it needs no key and no network');
    expect(rows).toContain('› how many TypeScript files are here?');
    expect(rows).toContain('There are 2 TypeScript files here.');
    expect(rows.join('\n')).not.toMatch(/^\S \d+\.\d s ·/m);
    expect(code).toBe(0);
  });

  test('what is typed while a turn runs steers it, and the model changes course', async () => {
    const { rows, complaints } = await chat(
      [
        { after: ready, send: question },
        { after: 'I will look', send: 'no, read x.md instead\r' },
        { after: '✓ completed', ...quit },
      ],
      ['--pace', '30'],
    );
    expect(complaints).toBe('');
    expect(rows).toContain('› no, read x.md instead  ↪ injected');
    expect(rows.join(' ')).toContain('Changing course, as you said: "no, read x.md instead".');
    expect(rows.join('\n')).toMatch(/^`x\.md` has 1 line/m);
    expect(rows.filter((row) => row.startsWith('✓ completed'))).toHaveLength(1);
  });

  test('a line typed bit by bit while text streams above it stays whole', async () => {
    const typed = Array.from('no, read x.md instead');
    const { rows, complaints } = await chat(
      [
        { after: ready, send: question },
        { after: 'I will' },
        ...typed.map((send, index) => ({ after: typed.slice(0, index).join(''), send })),
        { after: typed.join(''), send: '\r' },
        { after: '✓ completed', ...quit },
      ],
      ['--pace', '40'],
    );
    expect(complaints).toBe('');
    expect(rows).toContain('› no, read x.md instead  ↪ injected');
  });

  test.for([
    ['Esc', '\u001B'],
    ['Ctrl-C', '\u0003'],
  ] as const)('%s cancels the turn, /resume goes on with it', async ([, key]) => {
    const { rows, complaints, code } = await chat(
      [
        { after: ready, send: question },
        { after: 'I will look', send: key },
        { after: '✗ aborted' },
        { after: '/resume continues', send: '/resume\r' },
        { after: '✓ completed', ...quit },
      ],
      ['--pace', '30'],
    );
    expect(complaints).toBe('');
    expect(rows).toContain('There are 2 TypeScript files here.');
    expect(code).toBe(0);
  });

  test('Ctrl-C when idle first says how to leave, the second leaves; another key between them starts over', async () => {
    const { rows, complaints, code } = await chat([
      { after: ready, send: '\u0003' },
      { after: 'again to leave', send: 'x' },
      { after: 'x', send: '\u0003' },
      { after: '› ', send: 'y' },
      { after: 'y', send: '\u007F' },
      { after: '› ', send: '\u0003' },
      { after: 'again to leave', send: '\u0003' },
    ]);
    expect(complaints).toBe('');
    expect(rows.filter((row) => row === 'Press Ctrl-C again to leave, or type /quit.')).toHaveLength(2);
    expect(code).toBe(0);
  });

  test('Ctrl-C twice leaves while a turn runs', async () => {
    const { code, complaints } = await chat(
      [
        { after: ready, send: question },
        { after: 'I will look', send: '\u0003\u0003' },
      ],
      ['--pace', '40'],
    );
    expect(complaints).toBe('');
    expect(code).toBe(0);
  });

  test('Ctrl-D on an empty line leaves', async () => {
    expect((await chat([{ after: ready, send: '\u0004' }])).code).toBe(0);
  });

  test('a paste of several lines is one message, sent only by Enter, with or without brackets', async () => {
    const { rows, complaints } = await chat(
      [
        { after: ready, send: '\u001B[200~read\rx.md\u001B[201~' },
        { after: 'x.md', send: '\r' },
        { after: '✓ completed', send: 'read\rx.md\r' },
        { after: '✓ completed', ...quit },
      ],
      ['--pace', '0'],
    );
    expect(complaints).toBe('');
    const sent = rows.flatMap((row, index) => (row.startsWith('› ') ? [[row, rows[index + 1]]] : []));
    expect(sent).toEqual([
      ['› read', '  x.md'],
      ['› read', '  x.md'],
    ]);
    expect(rows.filter((row) => row.startsWith('`x.md` has 1 line'))).toHaveLength(2);
  });

  test('/state names the states of operative and turn', async () => {
    const { rows, complaints } = await chat(
      [
        { after: ready, send: '/state\r' },
        { after: 'operative: idle', send: question },
        { after: 'I will', send: '/state\r' },
        { after: 'operative: active.running · turn: streaming' },
        { after: '✓ completed', ...quit },
      ],
      ['--pace', '40'],
    );
    expect(complaints).toBe('');
    expect(rows).toContain('operative: idle');
  });

  test('knows its commands and says when it does not', async () => {
    const { rows, complaints } = await chat([
      { after: ready, send: '/frobnicate\r' },
      { after: 'Unknown command', send: '/resume\r' },
      { after: 'Nothing to resume', send: '/compact\r' },
      { after: 'ompact', send: '/help\r' },
      { after: 'put a space before it', ...quit },
    ]);
    expect(complaints).toBe('');
    expect(rows).toContain('Unknown command /frobnicate; /help lists them.');
    expect(rows.join('\n')).toMatch(/^ {2}\/state +print the active states/m);
  });

  test('wraps text at words of the window and continues after a resize', async () => {
    const { output, complaints } = await chat(
      [
        { after: 'explains', send: 'help\r' },
        { after: 'scripted demo', resize: [40, 20] },
        { after: '✓ completed', send: '/state\r' },
        { after: 'operative: idle', ...quit },
      ],
      ['--pace', '20'],
      { columns: 30 },
    );
    expect(complaints).toBe('');
    expect(output).toMatch(/operative: idle/);
  });

  test('a line of the width of the window stays apart from the text at 24 columns', async () => {
    const { rows, complaints } = await chat(
      [
        { after: 'explains', send: 'how many TypeScript files are here?' },
        { after: 'here?', send: '\r' },
        { after: 'completed', ...quit },
      ],
      ['--pace', '1'],
      { columns: 24 },
    );
    expect(complaints).toBe('');
    const text = rows.join(' ').replaceAll(/\s+/g, ' ');
    expect(text).toContain('› how many TypeScript files are here?');
    expect(text).toContain('There are 2 TypeScript files here.');
  });

  test('colours only where they are wanted', async () => {
    const steps = [{ after: ready, ...quit }];
    expect(
      (
        await chat([
          { after: ready, send: '/state\r' },
          { after: 'idle', ...quit },
        ])
      ).output,
    ).toContain('\u001B[2m');
    const { output } = await chat(steps, ['--no-color']);
    expect(output).not.toMatch(/\u001B\[[\d;]+m/); // oxlint-disable-line no-control-regex -- colours are escape sequences
  });

  test('gives the terminal back as it found it', async () => {
    const { output } = await chat([{ after: ready, ...quit }]);
    expect(output).toContain('\u001B[?2004h');
    expect(output.trimEnd()).toMatch(/\u001B\[\?2004l$/); // oxlint-disable-line no-control-regex -- as above
  });

  test('a termination signal ends it with 143, a hang-up with 129', async () => {
    expect((await chat([{ after: ready, signal: 15 }])).code).toBe(143);
    expect((await chat([{ after: ready, signal: 1 }])).code).toBe(129);
  });
});

describe.runIf(hasTerminal)('the chat with a session', { timeout: 90_000 }, () => {
  const place = () => {
    const state = temporaryFolder({});
    const stored = () =>
      decodeConversation(readFileSync(join(state, 'turnchart', 'sessions', 'work.json'), 'utf8')).messages;
    const open = (steps: readonly TerminalStep[], ...args: readonly string[]) =>
      onTerminal(['--session', 'work', '--pace', '20', ...args], {
        folder: folder(),
        columns: 160,
        steps,
        env: { XDG_STATE_HOME: state },
      });
    return { open, stored };
  };

  test('killed in the middle of a turn with a steered message, it keeps both messages and /resume answers them', async () => {
    const { open, stored } = place();
    const killed = await open([
      { after: ready, send: question },
      { after: 'I will', send: 'also read x.md\r' },
      { after: '↪ injected', signal: 9 },
    ]);
    expect(killed.code).not.toBe(0);
    const { rows, complaints } = await open([
      { after: '/resume answers it', send: '/resume\r' },
      { after: '✓ completed', ...quit },
    ]);
    expect(complaints).toBe('');
    expect(rows.join('\n')).toMatch(/^Session "work" continues with \d+ messages/m);
    const own = stored().filter(({ role }) => role === 'user');
    expect(own.map((message) => textOf(message).replace(/^\(Sent.*?\)/, ''))).toEqual([
      'how many TypeScript files are here?',
      'also read x.md',
    ]);
    expect(textOf(stored().at(-1) ?? { id: '', role: 'user', content: [] })).toMatch(
      /There are 2.*`x\.md` has 1 line/s,
    );
  });

  test('--resume answers at once what was left', async () => {
    const { open } = place();
    await open([
      { after: ready, send: question },
      { after: 'I will', signal: 9 },
    ]);
    const { rows, complaints } = await open([{ after: '✓ completed', ...quit }], '--resume');
    expect(complaints).toBe('');
    expect(rows).toContain('There are 2 TypeScript files here.');
  });

  test('/compact summarises what is stored, with a status line meanwhile, and the next process continues after it', async () => {
    const { open, stored } = place();
    const { output, rows, complaints } = await open([
      { after: ready, send: '/compact\r' },
      { after: 'There was nothing to compact.', send: question },
      { after: '✓ completed', send: 'read a.ts\r' },
      { after: '✓ completed', send: '/compact\r' },
      { after: 'Compacted.', send: '/compact\r' },
      { after: 'There was nothing to compact.', ...quit },
    ]);
    expect(complaints).toBe('');
    expect(output).toMatch(/[⠋-⠿] \d\.\d s · compacting · Esc cancels/);
    expect(rows.join('\n')).not.toContain('compacting');
    const last = stored().at(-1);
    expect(last?.content.map(({ type }) => type)).toEqual(['boundary']);
    const next = await open([
      { after: ready, send: 'how many files are here?\r' },
      { after: '✓ completed', ...quit },
    ]);
    expect(next.complaints).toBe('');
    expect(next.rows.join('\n')).toMatch(/windowHistory: \d+ → \d+ messages/);
    expect(stored().filter(({ content }) => content[0]?.type === 'boundary')).toHaveLength(1);
  });

  test('Esc gives a compaction up, and what is typed meanwhile is answered after it', async () => {
    const { open, stored } = place();
    const { rows, complaints } = await open(
      [
        { after: ready, send: question },
        { after: '✓ completed', send: 'read a.ts\r' },
        { after: '✓ completed', send: '/compact\r' },
        { after: 'compacting', send: '\u001B' },
        { after: 'The compaction was cancelled.', send: '/compact\r' },
        { after: 'compacting', send: 'how many files are here?\r' },
        { after: 'Compacted.' },
        { after: '✓ completed', ...quit },
      ],
      '--pace',
      '60',
    );
    expect(complaints).toBe('');
    expect(rows).toContain('› how many files are here?');
    expect(stored().map(({ role, content }) => `${role} ${content[0]?.type}`)).toEqual(
      expect.arrayContaining(['user boundary']),
    );
    expect(textOf(stored().at(-1) ?? { id: '', role: 'user', content: [] })).toContain('There are 3 files here.');
  });
});
