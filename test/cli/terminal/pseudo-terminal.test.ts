// One turn of the command on a real terminal device.

import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';
import { hasTerminal, onTerminal as runOnTerminal } from './on-terminal.ts';

const onTerminal = (
  args: readonly string[],
  { columns = 100, typed = '', env = {} }: { columns?: number; typed?: string; env?: NodeJS.ProcessEnv } = {},
) =>
  runOnTerminal(args, {
    folder: temporaryFolder({ 'a.ts': 'one\n', 'src/longer.ts': 'one\ntwo\nthree\n' }),
    columns,
    steps: typed === '' ? [] : [{ send: typed }],
    env,
  });

const question = ['-p', 'how many TypeScript files are here, and which is the longest?'];

describe.runIf(hasTerminal)('turnchart on a terminal', () => {
  test('redraws a status line with time, tokens and activity, and leaves nothing of it', async () => {
    const { code, output, rows } = await onTerminal(question);
    expect(output).toMatch(/\d\.\d s · [\d,]+ in, \d+ out tokens · (?:thinking|answering|waiting|preparing|running)/);
    expect(rows.join('\n')).not.toMatch(/(?:thinking|answering|waiting for the model)$/m);
    expect(rows).toContain('demo model (scripted, no AI): it needs no key and no network');
    expect(rows.join('')).toContain('There are 2 TypeScript files here. The longest is `src/longer.ts` with 3 lines.');
    expect(rows.at(-1)).toMatch(/^✓ completed · 3 model calls/);
    expect(code).toBe(0);
  });

  test.for([20, 41, 132])('keeps text and status apart at %i columns', async (columns) => {
    const { rows } = await onTerminal(question, { columns });
    expect(rows.join('').replaceAll(' ', '')).toContain(
      'Thereare2TypeScriptfileshere.Thelongestis`src/longer.ts`with3lines.',
    );
  });

  test('colours only where NO_COLOR and --no-color do not forbid it', async () => {
    const style = '\u001B[2m';
    expect((await onTerminal([...question, '--pace', '0'])).output).toContain(style);
    const uncoloured = await onTerminal([...question, '--pace', '0'], { env: { NO_COLOR: '1' } });
    expect(uncoloured.output.split('\u001B[').filter((rest) => /^\d+m/.test(rest))).toEqual([]);
    expect((await onTerminal([...question, '--no-color', '--pace', '0'])).output).not.toContain(style);
  });

  test('prints plain text on a dumb terminal', async () => {
    expect((await onTerminal([...question, '--pace', '0'], { env: { TERM: 'dumb' } })).output).not.toContain('\u001B');
  });

  test('Ctrl-C cancels the turn and ends with 130', async () => {
    const { code, rows } = await onTerminal([...question, '--pace', '60000'], { typed: '\u0003' });
    expect(rows.at(-1)).toMatch(/^✗ aborted · 1 model call/);
    expect(code).toBe(130);
  });
});
