import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EngineEvent } from '../../src/index.ts';
import { verifyEvents } from '../../src/testing/index.ts';
import { runCommand, startCommand } from './command.ts';
import { temporaryFolder } from './temporary-folder.ts';

const project = () =>
  temporaryFolder({
    'src/short.ts': 'one\n',
    'src/deep/longest.tsx': 'line\n'.repeat(41),
    'src/middle.mts': 'line\n'.repeat(17),
    'README.md': 'line\n'.repeat(99),
    'node_modules/big/index.ts': 'line\n'.repeat(5_000),
  });

const question = 'how many TypeScript files are here, and which is the longest?';
const quickly = ['--pace', '0'];

function eventsIn(stdout: string): readonly EngineEvent[] {
  const lines = stdout.split('\n');
  expect(lines.pop()).toBe('');
  return lines.map((line) => JSON.parse(line) as EngineEvent); // what the command wrote is what verifyEvents checks
}

describe('turnchart -p', () => {
  test('answers with the numbers of the current folder, and says that the model is a script', async () => {
    const { code, stdout, stderr } = await runCommand(project(), ['-p', question]);
    expect(stdout).toContain(
      'There are 3 TypeScript files here. The longest is `src/deep/longest.tsx` with 41 lines.\n',
    );
    expect(stdout.split('\n')[0]).toBe('demo model (scripted, no AI): it needs no key and no network');
    expect(stdout).toMatch(/^✓ Glob\(pattern: "\*\*\/\*\.\{ts,tsx,mts,cts\}"\) → 3 lines \(\d+ ms\)$/m);
    expect(stdout).toMatch(/^✓ completed · 3 model calls · [\d,]+ in, \d+ out tokens · \d+\.\d s$/m);
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  test('prints no escape sequences where there is no terminal', async () => {
    const { stdout } = await runCommand(project(), ['-p', question, ...quickly], {
      env: { FORCE_COLOR: '1', NO_COLOR: '' },
    });
    expect(stdout).not.toContain('\u001B');
  });

  test('completes a turn in which a tool failed', async () => {
    const { code, stdout } = await runCommand(project(), ['-p', 'read nope.md', ...quickly]);
    expect(stdout).toContain('I could not read `nope.md`: the tool Read failed (nope.md does not exist).');
    expect(code).toBe(0);
  });

  test('ends with 1 and says why when the limit of model calls is reached', async () => {
    const { code, stdout, stderr } = await runCommand(project(), ['-p', question, '--max-iterations', '1', ...quickly]);
    expect(stdout).toMatch(/^✗ maxIterations · 1 model call /m);
    expect(stderr).toBe('turnchart: the turn reached its limit of 1 model calls (--max-iterations)\n');
    expect(code).toBe(1);
  });
});

describe('turnchart and commands', () => {
  const make = ['-p', 'run `touch made`', ...quickly];
  const isMade = (folder: string) => existsSync(join(folder, 'made'));

  test('runs none where nobody can be asked', async () => {
    const folder = project();
    const { code, stdout, stderr } = await runCommand(folder, make);
    expect(isMade(folder)).toBe(false);
    expect(stdout).toContain('the tool Bash was not allowed');
    expect(stderr).not.toBe('');
    expect(code).toBe(0);
  });

  test('runs them without asking with --yes', async () => {
    const folder = project();
    const { code, stdout, stderr } = await runCommand(folder, [...make, '--yes']);
    expect(isMade(folder)).toBe(true);
    expect(stdout).toContain('I ran `touch made`. It printed nothing.');
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  test('runs those that only show names and states without asking', async () => {
    const { stdout } = await runCommand(project(), ['-p', 'run `ls src`', ...quickly]);
    expect(stdout).toMatch(/I ran `ls src`\. It printed 3 lines:\n```\ndeep\nmiddle\.mts\nshort\.ts\n```/);
  });
});

describe('turnchart --json', () => {
  test('writes one event a line that keeps the grammar, and nothing else', async () => {
    const { code, stdout, stderr } = await runCommand(project(), ['--json', '-p', question, ...quickly]);
    const events = eventsIn(stdout);
    verifyEvents(events);
    expect(events.at(-1)).toMatchObject({ type: 'turn.completed', reason: 'completed', iterations: 3 });
    expect(events.find(({ type }) => type === 'message.start')).toMatchObject({
      model: 'demo model (scripted, no AI)',
    });
    expect(stderr).toBe('turnchart: model: demo model (scripted, no AI); it needs no key and no network\n');
    expect(code).toBe(0);
  });

  test('reports the reason of a turn that did not complete', async () => {
    const { code, stdout } = await runCommand(project(), [
      '--json',
      '-p',
      question,
      '--max-iterations',
      '2',
      ...quickly,
    ]);
    const events = eventsIn(stdout);
    verifyEvents(events);
    expect(events.at(-1)).toMatchObject({ type: 'turn.completed', reason: 'maxIterations' });
    expect(code).toBe(1);
  });
});

describe('turnchart without -p', () => {
  test('takes what is piped in as the prompt', async () => {
    const { code, stdout, stderr } = await runCommand(project(), quickly, {
      input: '  how many TypeScript files are here?\n',
    });
    expect(stdout).toContain('There are 3 TypeScript files here.\n');
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  test('shows a guided demo when nothing is piped in: a tool call, a steered message, a late one', async () => {
    const { code, stdout, stderr } = await runCommand(project(), quickly);
    const milestones = [
      /^A guided demo of about ten seconds\. The model is a script, everything else is real\.$/m,
      /^› how many files are here, and which is the longest\?$/m,
      /^› no, only the Markdown files: how many are there\?  ↪ injected$/m,
      /^ {2}\(operative: active\.running · turn: reviewing\)$/m,
      /^✓ Glob\(pattern: "\*\*\/\*"\) → 4 lines /m,
      /^↪ no, only the Markdown files: how many are there\?$/m,
      /^Changing course, as you said: /m,
      /^There is 1 Markdown file here\.$/m,
      /^› thank you!  ⏎ queued for the next turn$/m,
      /^ {2}\(operative: active\.settling · turn: sealed\)$/m,
      /^✓ completed · 3 model calls /m,
      /^▸ 4\. The late message starts the next turn\.$/m,
      /^✓ completed · 1 model call /m,
      /^▸ 2 turns, one conversation of 9 messages; each of our 3 is in it once\.$/m,
    ];
    const places = milestones.map((milestone) => stdout.search(milestone));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((left, right) => left - right));
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  test('the guided demo goes the same way every time, but for what it measures', async () => {
    const folder = project();
    const runs = await Promise.all([runCommand(folder, quickly), runCommand(folder, ['--pace', '1'])]);
    const [first, second] = runs.map(({ stdout }) => stdout.replaceAll(/\d+ ms|\d+\.\d s|[\d,]+ in,/g, '#'));
    expect(second).toBe(first);
  });

  test('asks a default question as JSON when nothing is piped in', async () => {
    const { code, stdout, stderr } = await runCommand(project(), ['--json', ...quickly]);
    verifyEvents(eventsIn(stdout));
    expect(stderr).toContain(
      'turnchart: no prompt given (-p) and standard input is empty, using the default one: "How many files are here, and which is the longest?"\n',
    );
    expect(code).toBe(0);
  });
});

describe('turnchart and its command line', () => {
  test('refuses an unknown option in one line and names the help, with 2', async () => {
    const { code, stdout, stderr } = await runCommand(project(), ['--frobnicate']);
    expect(stderr).toBe("turnchart: unknown option '--frobnicate'\nturnchart --help lists the options.\n");
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  test('prints its usage and its version', async () => {
    const help = await runCommand(project(), ['--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toMatch(/^Usage: turnchart .*--max-iterations/s);
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    }; // our own manifest
    expect(await runCommand(project(), ['--version'])).toEqual({
      code: 0,
      stdout: `${manifest.version}\n`,
      stderr: '',
    });
  });
});

describe('turnchart, interrupted', () => {
  test.for([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s cancels the turn, which ends as aborted, with %i', async ([signal, exitCode]) => {
    const { child, spoke, ended } = startCommand(project(), ['--json', '-p', question, '--pace', '60000']);
    await spoke;
    child.kill(signal);
    const { code, stdout } = await ended;
    const events = eventsIn(stdout);
    verifyEvents(events);
    expect(events.at(-1)).toMatchObject({ type: 'turn.completed', reason: 'aborted' });
    expect(code).toBe(exitCode);
  });

  test('SIGINT ends the guided demo with 130', async () => {
    const { child, spoke, ended } = startCommand(project(), ['--pace', '1000']);
    child.stdin.end();
    await spoke;
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
  });

  test('ends quietly with 0 when the reader of its output leaves', async () => {
    const { child, spoke, ended } = startCommand(project(), ['--json', '-p', question, '--pace', '5']);
    await spoke;
    child.stdout.destroy();
    const { code, stderr } = await ended;
    expect(stderr).toBe('turnchart: model: demo model (scripted, no AI); it needs no key and no network\n');
    expect(code).toBe(0);
  });
});
