// Commands that will not behave: whatever they do, the call ends in time and leaves no process behind.

import { describe, expect, it } from 'vitest';

import { processesWith, uniqueSleep } from './running-processes.ts';
import { workbench } from './workbench.ts';

// Each keeps something running that sleeps for a time nobody else does; each gets its own.
const stubborn: readonly (readonly [what: string, command: (seconds: string) => string])[] = [
  ['a child in the foreground', (seconds) => `echo started; sleep ${seconds}`],
  ['grandchildren', (seconds) => `echo started; bash -c "bash -c 'sleep ${seconds}; true'; true"; true`],
  ['a child in another session', (seconds) => `setsid sleep ${seconds} & echo started; sleep ${seconds}`],
  [
    'an orphan in another session',
    (seconds) => `(setsid bash -c 'sleep ${seconds}; true' &); echo started; sleep ${seconds}`,
  ],
  ['a child without our environment', (seconds) => `env -i setsid sleep ${seconds} & echo started; sleep ${seconds}`],
  ['one whose environment is empty', (seconds) => `env -i sleep ${seconds} & echo started; sleep ${seconds}`],
  [
    'one that took our variable away',
    (seconds) => `unset TURNCHART_SHELL; setsid nohup sleep ${seconds} & echo started; sleep ${seconds}`,
  ],
  [
    'an orphan without our environment',
    (seconds) => `(env -i setsid sleep ${seconds} >/dev/null 2>&1 &); echo started; sleep ${seconds}`,
  ],
  [
    'an orphan of orphans that ignores TERM',
    (seconds) =>
      `(env -i setsid bash -c "trap '' TERM HUP; (env -i setsid sleep ${seconds} &) ; sleep ${seconds}; true" &); echo started; sleep ${seconds}`,
  ],
  ['a shell that ignores TERM', (seconds) => `trap '' TERM INT HUP; echo started; sleep ${seconds}; sleep ${seconds}`],
  [
    'a daemon that ignores TERM',
    (seconds) => `trap '' TERM; (trap '' TERM; setsid sleep ${seconds}) & echo started; wait`,
  ],
  [
    'a shell that starts again when told to end',
    (seconds) => `trap 'sleep ${seconds} & wait' TERM; echo started; sleep ${seconds}`,
  ],
  ['a program that took the place of the shell', (seconds) => `echo started; exec sleep ${seconds}`],
  ['a stopped child', (seconds) => `sleep ${seconds} & kill -STOP $!; echo started; wait`],
  ['a pipeline', (seconds) => `echo started; sleep ${seconds} | cat | cat`],
  ['a substitution', (seconds) => `echo started; x=$(sleep ${seconds}); cat <(sleep ${seconds})`],
  ['a coprocess', (seconds) => `coproc sleep ${seconds}; echo started; wait`],
  ['one that closed its output', (seconds) => `echo started; exec >&- 2>&-; sleep ${seconds}`],
  ['a nohup job', (seconds) => `nohup sleep ${seconds} >/dev/null 2>&1 & disown; echo started; sleep ${seconds}`],
];

describe('a time limit', () => {
  it.each(stubborn)('ends %s, and what was printed until then is shown', async (_what, command) => {
    const seconds = uniqueSleep();
    const bench = await workbench();
    const answer = await bench.call('Bash', { command: command(seconds), timeout: 600 });
    expect(answer).toMatchObject({ isError: true });
    expect(answer.text).toMatch(/took longer than 600 ms and was ended.*\nstarted/);
    expect(processesWith(`sleep ${seconds}`)).toEqual([]);
  });

  it('ends a program that starts new ones as fast as it can', async () => {
    const seconds = uniqueSleep();
    const command = `f() { sleep ${seconds} & sleep 0.02; f; }; f & f & wait`;
    const answer = await (await workbench()).call('Bash', { command, timeout: 500 });
    expect(answer).toMatchObject({ isError: true });
    expect(processesWith(`sleep ${seconds}`)).toEqual([]);
  });

  it('ends one that prints without end, whose beginning and end are shown', async () => {
    const word = `word-${uniqueSleep()}`;
    const { text } = await (await workbench()).call('Bash', { command: `yes ${word}`, timeout: 500 });
    expect(text).toMatch(new RegExp(`took longer than 500 ms.*\n${word}\n`));
    expect(text.length).toBeLessThan(31_000);
    expect(processesWith(`yes ${word}`)).toEqual([]);
  });

  it('leaves the next command alone', async () => {
    const bench = await workbench();
    await bench.call('Bash', { command: 'mkdir a; cd a; sleep 30', timeout: 300 });
    expect((await bench.call('Bash', { command: 'pwd; exit 0' })).text).toBe(bench.folder);
  });
});

describe('an abort', () => {
  it.each(stubborn)('ends %s', async (_what, command) => {
    const seconds = uniqueSleep();
    const abort = new AbortController();
    const bench = await workbench();
    const answer = bench.call(
      'Bash',
      { command: command(seconds) },
      { signal: abort.signal, progress: () => abort.abort() },
    );
    expect(await answer).toMatchObject({ isError: true });
    expect((await answer).text).toMatch(/^The command was interrupted and ended, with .*\nstarted/);
    expect(processesWith(`sleep ${seconds}`)).toEqual([]);
  });

  it('before the start starts nothing', async () => {
    const bench = await workbench();
    const signal = AbortSignal.abort(new Error('stop'));
    await expect(bench.call('Bash', { command: 'touch a' }, { signal })).rejects.toThrow('stop');
    await expect(bench.bytes('a')).rejects.toThrow('ENOENT');
  });
});

describe('a command that attacks its shell', () => {
  it.each<[command: string, text: RegExp]>([
    ["echo 'unbalanced", /^Exit code 2\nbash: eval: line 1: unexpected EOF/],
    ['echo "unbalanced', /^Exit code 2\nbash: eval: line 1: unexpected EOF/],
    ['if true; then', /^Exit code [12]\nbash: eval: line \d: syntax error/],
    ['echo a; )', /^Exit code 2\nbash: eval: line 1: syntax error/],
    ['cat <<X\nhello $((1+1))\nX', /^hello 2$/],
    ['cat <<X\nnot ended', /not ended$/m],
    ['trap "echo bye" EXIT; echo hello', /^hello\nbye$/m],
    ['trap "echo bye" EXIT; exit 4', /^Exit code 4\nbye\n/],
    ['echo a; kill 0; echo b', /^Exit code 143: ended by SIGTERM\na/],
    ['echo a; kill -KILL 0', /^The shell was ended by SIGKILL\.\n/],
    ['echo a; kill -KILL $PPID; sleep 0.3; echo b', /^The shell was ended by SIGKILL\.\na/],
    ['exec 3>&1; echo a >&3; exec 198>&-', /^a\n/],
    ['exec >&- 2>&-; echo a', /^Exit code 1$/],
    ['exec bash -c "echo replaced; exit 6"', /^Exit code 6\nreplaced\n/],
    ['pwd() { echo fooled; }; builtin() { echo fooled; }; true', /./],
    ['set -euo pipefail; echo $undefined', /^Exit code 1(?:27)?: ?.*undefined: unbound variable|unbound variable/s],
    ['readonly PATH; unset BASH; IFS=x; echo a', /^a$/],
    ['sleep 0.2 & wait; echo waited', /^waited$/],
    ['echo "$(echo "nested $(echo deep)")"', /^nested deep$/],
    ['exit 256', /^\(no output\)$/],
    ['return 3', /./],
    ['# only a comment', /^\(no output\)$/],
    ['\n\necho a\n\n', /^a$/],
    [
      String.raw`echo a \
b`,
      /^a b$/,
    ],
    ["printf '\\x1e%s' '0000'", /^0000$/],
    ['umask 777; ulimit -n 20; echo a', /^a/],
    // What is done after the command shows in no trace and runs no trap of it.
    ['set -x; echo a; set +e', /^\++ echo a\na\n\++ set \+e$/],
    ['set -v; echo a', /^a$/],
    ['set -eux; echo a', /^\++ echo a\na$/],
    ['trap "echo debug" DEBUG; echo a', /^debug\na$/],
    ['trap "echo failed" ERR; echo a; false', /^Exit code 1\na\nfailed$/],
    ['set -T; trap "echo debug" DEBUG; trap "echo back" RETURN; echo a', /^debug\ndebug\na$/],
    ['trap "echo bye >&2" EXIT; set -x; true', /^\++ true\nbye$/],
    // Neither the folder nor the descriptor the shell tells it on is there at the end: no word of the shell about that.
    ['mkdir gone; cd gone; rmdir ../gone; echo a', /^a\n\[The shell did not tell[^\n]*$/],
    ['mkdir gone; cd gone; rmdir ../gone; exit 3', /^Exit code 3\n\[The shell did not tell[^\n]*$/],
    ['exec 198>&-; echo a', /^a\n\[The shell did not tell[^\n]*$/],
    ['exec 198>&-; exit 3', /^Exit code 3\n\[The shell did not tell[^\n]*$/],
    [
      'for fd in /proc/self/fd/*; do fd=${fd##*/}; ((fd > 2)) && eval "exec $fd>&-"; done; echo a',
      /^a\n\[The shell did not tell[^\n]*$/,
    ],
  ])('%s', async (command, text) => {
    const bench = await workbench();
    const answer = await bench.call('Bash', { command, timeout: 20_000 });
    expect(answer.text).toMatch(text);
    expect(answer.text).not.toContain('took longer');
    expect((await bench.call('Bash', { command: 'echo fine; pwd' })).text).toBe(`fine\n${bench.folder}`);
  });
});
