// When Grep ends the program it searches with. A stand-in takes its place: it prints matches, and leaves a note if it
// ever comes to its own end.

import { existsSync, readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { grepTool } from '../../../src/tools/index.ts';
import { eventually } from './running-processes.ts';
import { callTool, newContext, temporaryFolder } from './workbench.ts';

/** Prints this many matches, of 100 bytes each. */
const printing = (matches: number) =>
  `n=0; while [ $n -lt ${matches} ]; do n=$((n + 1)); printf 'a.txt\\000%d:1:${'x'.repeat(85)}\\n' $n; done`;

/** Grep with a program that does this. */
async function standIn(work: string) {
  const folder = await temporaryFolder();
  const file = (name: string) => join(folder, name);
  const script = `#!/bin/sh
echo $$ >'${file('pid')}'
${work}
echo >'${file('ended by itself')}'
`;
  await writeFile(file('rg.sh'), script);
  await chmod(file('rg.sh'), 0o755);
  const tool = grepTool({ cwd: folder, ripgrep: () => Promise.resolve(file('rg.sh')) });
  return {
    search: (head_limit: number, signal = new AbortController().signal) =>
      callTool(tool, { pattern: 'x', output_mode: 'content', head_limit }, newContext({ signal })),
    endedByItself: () => existsSync(file('ended by itself')),
    isStarted: () => existsSync(file('pid')) && readFileSync(file('pid'), 'utf8').endsWith('\n'),
    isRunning: () => {
      try {
        return process.kill(Number(readFileSync(file('pid'), 'utf8')), 0);
      } catch {
        return false;
      }
    },
  };
}

it('ends ripgrep once it has as many lines as are wanted', async () => {
  // More than the pipe between the two holds: it cannot come to its end unless it is read on.
  const { search, endedByItself, isRunning } = await standIn(printing(40_000));
  const { text } = await search(3);
  expect(text.split('\n').filter((line) => line.startsWith('a.txt:'))).toHaveLength(3);
  expect({ endedByItself: endedByItself(), isRunning: isRunning() }).toEqual({
    endedByItself: false,
    isRunning: false,
  });
});

it('lets ripgrep come to its end where fewer lines come than are wanted', async () => {
  const { search, endedByItself } = await standIn(printing(2));
  const { text } = await search(3);
  expect(text.split('\n').filter((line) => line.startsWith('a.txt:'))).toHaveLength(2);
  expect(endedByItself()).toBe(true);
});

it('ends ripgrep when the call is aborted', async () => {
  const { search, isStarted, isRunning } = await standIn('exec sleep 1000');
  const controller = new AbortController();
  const answer = search(3, controller.signal);
  await eventually(isStarted, 'the program runs');
  controller.abort(new Error('enough'));
  await expect(answer).rejects.toThrow('enough');
  expect(isRunning()).toBe(false);
});
