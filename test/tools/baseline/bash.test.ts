import { mkdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { checkTool } from '../../../src/testing/check-tool.ts';
import { withBackgroundFlag } from '../../../src/tools/define-background-tool.ts';
import { bashTool } from '../../../src/tools/index.ts';
import { eventually, processesWith, uniqueSleep } from './running-processes.ts';
import { callTool, newContext, newSession, temporaryFolder, workbench } from './workbench.ts';

describe('what a command says', () => {
  it('is standard output and error, in the order they were written', async () => {
    const bench = await workbench();
    expect(await bench.call('Bash', { command: 'echo one; echo two >&2; echo three' })).toMatchObject({
      isError: false,
      text: 'one\ntwo\nthree',
    });
  });

  it('can go to /dev/stdout and /dev/stderr by name', async () => {
    const bench = await workbench();
    const command = 'echo a > /dev/stdout; echo b > /dev/stderr; echo c | tee /dev/stderr';
    expect((await bench.call('Bash', { command })).text).toBe('a\nb\nc\nc');
  });

  it('is nothing for a command that is silent', async () => {
    expect((await (await workbench()).call('Bash', { command: 'true' })).text).toBe('(no output)');
  });

  it.each([
    ['exit 3', 'Exit code 3'],
    ['echo before; exit 7', 'Exit code 7\nbefore'],
    ['no_such_program_here', 'Exit code 127: a program was not found'],
    ['kill -9 $$', 'Exit code 137: ended by SIGKILL, perhaps for lack of memory'],
    ['touch x; ./x', 'Exit code 126: the program was found but could not be run'],
  ])('%s fails with %j', async (command, text) => {
    const answer = await (await workbench()).call('Bash', { command });
    expect(answer.isError).toBe(true);
    expect(answer.text).toContain(text);
  });

  it.each([
    ['grep nothing a.txt', 'Exit code 1: no line matched'],
    ['cat a.txt | grep nothing', 'Exit code 1: no line matched'],
    ['diff a.txt b.txt', 'Exit code 1: the files differ'],
    ['test -f nope', 'Exit code 1: the condition is false'],
  ])('%s is not a failure: %j', async (command, text) => {
    const bench = await workbench();
    await bench.put('a.txt', 'a\n');
    await bench.put('b.txt', 'b\n');
    const answer = await bench.call('Bash', { command });
    expect(answer.isError).toBe(false);
    expect(answer.text).toContain(text);
  });

  it('does not explain the code of a command of which it cannot be sure', async () => {
    const answer = await (await workbench()).call('Bash', { command: 'false && grep a b' });
    expect(answer).toMatchObject({ isError: true, text: 'Exit code 1' });
  });

  it('has no terminal sequences and no carriage returns at line ends', async () => {
    const command = String.raw`printf '\033[31mred\033[0m \033]0;title\007\033]8;;http://x\033\\link\r\nnext\a\n'`;
    expect((await (await workbench()).call('Bash', { command })).text).toBe('red link\nnext');
  });
});

describe('the shell', () => {
  it('has an empty standard input', async () => {
    expect((await (await workbench()).call('Bash', { command: 'cat; read x; echo "got $?"' })).text).toBe('got 1');
  });

  it('is fresh each time: variables, functions and options are gone', async () => {
    const bench = await workbench();
    await bench.call('Bash', { command: 'x=1; export y=2; f() { echo f; }; set -e; shopt -s nullglob' });
    const answer = await bench.call('Bash', { command: 'echo "[$x$y]"; f; shopt -q nullglob || echo plain' });
    expect(answer.text).toContain('[]');
    expect(answer.text).toContain('f: command not found');
    expect(answer.text).toContain('plain');
  });

  it('shows the command nothing of how it is run', async () => {
    const bench = await workbench();
    const command = 'echo "$# $0 [$!] [${__turnchart-none}]"; trap -p INT TERM HUP; wait; jobs; echo done';
    expect((await bench.call('Bash', { command })).text).toBe('0 bash [] [none]\ndone');
  });

  it('refuses a command that cannot be passed on, and says so', async () => {
    const bench = await workbench();
    expect(await bench.call('Bash', { command: 'echo \0' })).toMatchObject({ isError: true });
    const long = await bench.call('Bash', { command: `: ${'x'.repeat(3_000_000)}` });
    expect(long).toMatchObject({ isError: true });
    expect(long.text).toContain('too long');
  });
});

describe('the working directory', () => {
  it('is kept between the commands of a conversation', async () => {
    const bench = await workbench();
    await mkdir(join(bench.folder, 'sub', 'deep dir'), { recursive: true });
    const first = await bench.call('Bash', { command: "cd sub/'deep dir' && pwd" });
    expect(first.text).toContain(`[The working directory is now ${bench.folder}/sub/deep dir.]`);
    expect((await bench.call('Bash', { command: 'pwd' })).text).toBe(`${bench.folder}/sub/deep dir`);
  });

  it('of one conversation never shows in another on the same tools', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'one'));
    await mkdir(join(folder, 'two'));
    const tool = bashTool({ cwd: folder });
    const conversations = ['one', 'two', 'one', 'two'].map((name) => ({ name, session: newSession() }));
    const run = (command: string, session = newSession()) => callTool(tool, { command }, newContext({ session }));
    await Promise.all(conversations.map(({ name, session }) => run(`cd ${name}`, session)));
    const seen = await Promise.all(conversations.map(({ session }) => run('pwd', session)));
    expect(seen.map(({ text }) => text)).toEqual(conversations.map(({ name }) => join(folder, name)));
    expect((await run('pwd')).text).toBe(folder);
  });

  it.each(['cd /', 'cd ..', 'cd out', 'cd /proc'])('%s is not kept, since it leaves the roots', async (command) => {
    const outer = await temporaryFolder();
    const folder = join(outer, 'root');
    await mkdir(join(outer, 'elsewhere'));
    await mkdir(folder);
    await symlink(join(outer, 'elsewhere'), join(folder, 'out'));
    const bench = await workbench({ cwd: folder });
    expect((await bench.call('Bash', { command })).text).toContain(`The working directory is ${folder} again.`);
    expect((await bench.call('Bash', { command: 'pwd' })).text).toBe(folder);
  });

  it('is kept when the command fails or exits early', async () => {
    const bench = await workbench();
    await mkdir(join(bench.folder, 'a'));
    await bench.call('Bash', { command: 'cd a; exit 5' });
    expect((await bench.call('Bash', { command: 'pwd' })).text).toBe(join(bench.folder, 'a'));
    await bench.call('Bash', { command: 'cd ..; set -e; false; echo never' });
    expect((await bench.call('Bash', { command: 'pwd' })).text).toBe(bench.folder);
  });

  it('is kept whatever its name holds, and shown on one line', async () => {
    const bench = await workbench();
    for (const name of ['two\nlines', 'tab\there', 'é 漢 🏷', '$(x) `y` "z"', "it's", '-n', '\u001B[31m']) {
      const folder = join(bench.folder, name);
      await mkdir(folder);
      const quoted = `'${folder.replaceAll("'", "'\\''")}'`;
      expect((await bench.call('Bash', { command: `cd ${quoted}` })).text).not.toMatch(/now [^\n]*\n/);
      expect((await bench.call('Bash', { command: 'pwd | base64 -w0' })).text).toBe(
        Buffer.from(`${folder}\n`).toString('base64'),
      );
    }
  });

  it('goes back to the start when it is gone', async () => {
    const bench = await workbench();
    await bench.call('Bash', { command: 'mkdir a; cd a' });
    await rm(join(bench.folder, 'a'), { recursive: true });
    const answer = await bench.call('Bash', { command: 'pwd' });
    expect(answer.text).toContain(bench.folder);
    expect(answer.text).toContain('is gone');
  });

  it('stays, and that is said, when the shell was replaced and could not report it', async () => {
    const answer = await (await workbench()).call('Bash', { command: 'exec true' });
    expect(answer).toMatchObject({ isError: false });
    expect(answer.text).toContain('did not tell its last working directory');
  });
});

// Case 26: anomalyco/opencode#48414, #22012, #20902; coder/xum#41
describe('case 26: a child in the background', () => {
  it.each<[form: string, command: (seconds: string) => string]>([
    ['holds the output', (seconds) => `sleep ${seconds} & echo ok`],
    ['is silent', (seconds) => `sleep ${seconds} >/dev/null 2>&1 & echo ok`],
    ['holds standard error alone', (seconds) => `sleep ${seconds} >/dev/null & echo ok`],
    ['has a session of its own', (seconds) => `(setsid sleep ${seconds}) & echo ok`],
  ])('that %s does not hold the call', async (_form, command) => {
    const seconds = uniqueSleep();
    const bench = await workbench();
    // Were the child waited for, the time limit would make this a failure.
    const answer = await bench.call('Bash', { command: command(seconds), timeout: 20_000 });
    expect(answer).toMatchObject({ isError: false });
    expect(answer.text).toMatch(/^ok$/m);
    await eventually(() => processesWith(`sleep ${seconds}`).length === 1, 'the child lives on');
    const [child = ''] = processesWith(`sleep ${seconds}`);
    const [pid = ''] = child.trim().split(' ');
    process.kill(Number(pid), 'SIGKILL');
    // On a busy machine it may not have become the program yet when it was looked at.
    expect(answer.text).toMatch(
      new RegExp(`\\[Left running in the background: (?:sleep|setsid|bash) \\(${pid}\\)\\.\\]`),
    );
  });

  it.each(['y', 'a line of some length'])(
    'that writes %j without end does not hold the call, nor hide what the command says',
    async (line) => {
      const bench = await workbench();
      const flood = `${line} ${uniqueSleep()}`;
      const command = `yes '${flood}' & sleep 0.1; echo ok`;
      const answer = await bench.call('Bash', { command, timeout: 20_000 });
      expect(answer).toMatchObject({ isError: false });
      // A line of the child's may be cut in two by it.
      expect(answer.text).toMatch(/ok$/m);
      expect(answer.text).toContain('[Left running in the background: yes (');
      // It goes on writing, to nobody, until the host ends (host-watch.test.ts): no closed pipe ends it.
      const [child = ''] = processesWith(`yes ${flood}`);
      expect(child).not.toBe('');
      process.kill(Number(child.trim().split(/\s+/)[0]), 'SIGKILL');
    },
  );

  it('that floods it with ever new lines may hide it, which the result says, with where to find it', async () => {
    const bench = await workbench();
    const last = `9${Date.now() % 1_000_000_000}`;
    const command = `seq ${last}00 & sleep 0.3; echo the end`;
    const { text } = await bench.call('Bash', { command, timeout: 20_000 });
    const [child = ''] = processesWith(`seq ${last}00`);
    process.kill(Number(child.trim().split(/\s+/)[0]), 'SIGKILL');
    expect(text).toMatch(
      /\[Left running in the background: seq \(\d+\)\. If it prints, the last lines of the command itself may be in the part that is left out: send its output to a file\.\]/,
    );
    const path = /the full output is in (\S+) …\]/.exec(text)?.[1] ?? '';
    expect(await readFile(path, 'utf8')).toMatch(/the end$/m);
  });
});

// Case 27: anthropics/claude-code#45982, #50019, nanocoai/nanoclaw#889
describe('case 27: long output', () => {
  it('is cut between characters, wherever the cut falls', async () => {
    const bench = await workbench();
    // Each label has two UTF-16 units: one more in front of them shifts the first cut, one behind them the second.
    for (const [before, after] of [
      ['', ''],
      ['x', ''],
      ['', 'x'],
      ['x', 'x'],
    ] as const) {
      const command = `printf %s '${before}'; for i in $(seq 1 200); do printf '🏷%.0s' $(seq 1 200); done; printf %s '${after}'`;
      const { text } = await bench.call('Bash', { command });
      expect(text.isWellFormed()).toBe(true);
      expect(text).not.toContain('\u{FFFD}');
      expect(text).toMatch(/\[… \d+ of \d+ bytes left out; the full output is in .*\.txt …\]/);
    }
  });

  it('with invalid bytes is still text', async () => {
    const { text } = await (
      await workbench()
    ).call('Bash', { command: String.raw`printf 'a\xff\xfe\xf0\x9f'; printf 'b\x00c'` });
    expect(text).toBe('a\u{FFFD}\u{FFFD}\u{FFFD}bc');
  });

  it('shows its beginning and its end and says where all of it is, for Read and for commands', async () => {
    const bench = await workbench();
    const { text } = await bench.call('Bash', { command: 'seq 1 100000; echo the end' });
    expect(text).toMatch(/^1\n2\n3\n/);
    expect(text).toMatch(/\n99999\n100000\nthe end$/);
    expect(text.length).toBeLessThan(31_000);
    const [, left, of, path = ''] =
      /\[… (\d+) of (\d+) bytes left out; the full output is in (\S+) …\]/.exec(text) ?? [];
    const full = await readFile(path, 'utf8');
    expect(Number(of)).toBe(Buffer.byteLength(full));
    const shownBytes = Buffer.byteLength(text) - Buffer.byteLength(/\n\n\[….*…\]\n\n/.exec(text)?.[0] ?? '') + 1; // the last line end
    expect(Number(left)).toBe(Buffer.byteLength(full) - shownBytes);
    expect((await bench.read(path, { offset: 50_000, limit: 1 })).text).toContain('50000\t50000');
    expect((await bench.call('Grep', { pattern: '^7777$', path, output_mode: 'content' })).text).toContain('7777:7777');
    expect(await bench.call('Write', { file_path: path, content: 'x' })).toMatchObject({ isError: true });
  });
});

describe('the environment', () => {
  it('holds no secrets, and nothing that makes the shell run other code first', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'start.sh'), 'echo started');
    const set = {
      SOME_API_KEY: 's3cret',
      DB_URL: 'postgres://u:s3cret@h/db',
      BASH_ENV: join(folder, 'start.sh'),
      PLAIN: 'yes',
    };
    const before = { ...process.env };
    Object.assign(process.env, set);
    try {
      const bench = await workbench({ cwd: folder });
      const { text } = await bench.call('Bash', { command: 'env | grep s3cret; echo "$PLAIN"' });
      expect(text).toBe('yes');
      const open = await workbench({ cwd: folder, env: 'inherit' });
      expect((await open.call('Bash', { command: 'echo $SOME_API_KEY' })).text).toContain('s3cret');
      const given = await workbench({ cwd: folder, env: { SOME_API_KEY: 'given' } });
      expect((await given.call('Bash', { command: 'echo $SOME_API_KEY $PLAIN' })).text).toBe('given yes');
    } finally {
      for (const name of Object.keys(set)) delete process.env[name];
      Object.assign(process.env, before);
    }
  });
});

describe('the tool', () => {
  it('reports progress while the command runs', async () => {
    const bench = await workbench();
    const path = join(bench.folder, 'go');
    const updates: unknown[] = [];
    // The command ends only because the test saw its progress.
    const answer = await bench.call(
      'Bash',
      { command: 'echo working; while [ ! -e go ]; do sleep 0.02; done; echo done', timeout: 20_000 },
      {
        progress: (update) => {
          updates.push(update);
          void writeFile(path, '');
        },
      },
    );
    expect(answer).toMatchObject({ isError: false, text: 'working\ndone' });
    expect(updates[0]).toBe('working\n');
  });

  it('writes everything to its task, in order', async () => {
    const folder = await temporaryFolder();
    let output = '';
    const write = (text: string) => void (output += text);
    const context = { ...newContext(), taskId: 'task_1', write };
    await callTool(bashTool({ cwd: folder }), { command: 'seq 1 20000' }, context);
    expect(output).toBe(Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join(''));
  });

  it('as a task does not move the conversation to another folder', async () => {
    const folder = await temporaryFolder();
    const session = newSession();
    const tool = bashTool({ cwd: folder });
    await callTool(tool, { command: 'mkdir a; cd a' }, {
      ...newContext({ session }),
      taskId: 'task_1',
      write: () => {},
    } as never);
    expect((await callTool(tool, { command: 'pwd' }, newContext({ session }))).text).toBe(folder);
  });

  it('is a background tool whose flag is in the schema only where a registry puts it', async () => {
    const tool = bashTool({ cwd: await temporaryFolder() });
    expect(tool.isBackground).toBe(true);
    expect(JSON.stringify(tool.definition)).not.toContain('run_in_background');
    expect(JSON.stringify(withBackgroundFlag(tool.definition))).toContain('run_in_background');
    expect(tool.parse({ command: 'true', run_in_background: true })).toMatchObject({
      ok: true,
      args: { command: 'true' },
    });
  });

  it('previews the command and where it will run', async () => {
    const bench = await workbench();
    await bench.call('Bash', { command: 'mkdir a; cd a' });
    const args = { command: 'rm -rf x', description: 'Cleans up' };
    expect(await bench.tool('Bash').preview?.(args, newContext({ session: bench.session }))).toEqual({
      type: 'command',
      command: 'rm -rf x',
      description: 'Cleans up',
      folder: join(await realpath(bench.folder), 'a'),
    });
  });

  it('keeps the rules for tools', async () => {
    const bench = await workbench();
    await expect(
      checkTool(bench.tool('Bash'), { examples: [{ command: 'echo a' }, { command: 'sleep 0.05', timeout: 5_000 }] }),
    ).resolves.toHaveLength(12);
  });
});
