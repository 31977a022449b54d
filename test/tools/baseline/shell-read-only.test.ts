// Which commands run without asking. A command that passes must not be able to do harm, whatever else is in it.

import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { commandLine } from '../../../src/tools/baseline/command-words.ts';
import { bashTool, isReadOnlyCommand, readOnlyPrograms } from '../../../src/tools/index.ts';
import { callTool, newContext } from './workbench.ts';

const runs = (count: number) => ({ numRuns: count * Number(process.env['TURNCHART_RUNS'] ?? 1) });

it('python -v asks: it reads a program from standard input', () => {
  expect(isReadOnlyCommand(`echo 'open("x","w")' | python3 -v`)).toBe(false);
});

it.each([
  'ls',
  'ls -la src',
  'ls *.ts src/**',
  'pwd',
  'git --version',
  'git branch --show-current',
  'git rev-parse HEAD',
  'git rev-parse --show-toplevel',
  'git rev-parse --abbrev-ref HEAD | head -1',
  'wc -l src/a.ts "src/b c.ts"',
  "wc -l -- 'a b.ts'",
  'ls -1 | sort -r | uniq -c | wc -l',
  'echo hello world && pwd',
  "echo 'a $HOME `x` > y; z'",
  'date +%Y-%m-%d',
  'ls src || true ; pwd',
])('%s runs without asking', (command) => {
  expect(isReadOnlyCommand(command)).toBe(true);
});

it.each([
  ['a program that is not listed', 'rm -rf x'],
  ['what is in files is for Read', 'cat .env'],
  ['a program that the configuration of a repository names', 'git status'],
  ['a program that the configuration of a repository names', 'git status --short'],
  ['a program that the configuration of a repository names', 'git log --oneline -10 | head -5'],
  ['a program that the configuration of a repository names', 'git diff --stat'],
  ['a program that the configuration of a repository names', 'git branch -vv'],
  ['a program that the configuration of a repository names', 'git rev-parse --short HEAD'],
  ['a program that a file of a version manager names', 'node --version'],
  ['a program that a file of a version manager names', 'npm -v'],
  ['a program that a file of a version manager names', 'python3 -V'],
  ['a name and a wildcard', 'git rev-parse HEAD *'],
  ['a program by its path', './ls'],
  ['a program by its path', '/bin/ls'],
  ['a name that objects have', 'constructor'],
  ['a name that objects have', 'git toString'],
  ['a listed one, then another', 'ls && rm x'],
  ['a listed one, then another', 'ls; rm x'],
  ['a listed one, then another', 'ls | xargs rm'],
  ['a listed one, then another', 'ls || rm x'],
  ['a listed one, then another', 'ls\nrm x'],
  ['a listed one, then another', 'ls\r\nrm x'],
  ['the background', 'ls & rm x'],
  ['the background', 'ls &'],
  ['a redirection', 'echo x > a'],
  ['a redirection', 'echo x >> a'],
  ['a redirection', 'echo x >| a'],
  ['a redirection', 'ls 2>&1'],
  ['a redirection', 'wc -l < a'],
  ['a redirection', 'ls &> a'],
  ['a here document', 'wc -l <<X\nX'],
  ['a substitution', 'echo $(rm x)'],
  ['a substitution', 'echo `rm x`'],
  ['a substitution', 'echo "$(rm x)"'],
  ['a substitution', 'ls <(rm x)'],
  ['an expansion', 'ls $HOME'],
  ['an expansion', 'ls ${x:=y}'],
  ['an expansion', 'echo $((x=1))'],
  ['an expansion', 'ls ~'],
  ['an expansion', 'ls ~root'],
  ['an expansion', 'ls {a,b}'],
  ['an assignment', 'PATH=. ls'],
  ['an assignment', 'LD_PRELOAD=./x.so ls'],
  ['an assignment', 'x=1'],
  ['an assignment', 'a[0]=1 ls'],
  ['an escape', 'l\\s'],
  ['an escape', 'echo a\\\nb'],
  ['a group', '(ls)'],
  ['a group', '{ ls; }'],
  ['a keyword', '! ls'],
  ['a keyword', 'if true; then ls; fi'],
  ['a comment', 'ls # x'],
  ['an open quote', "echo 'x"],
  ['an open quote', 'echo "x'],
  ['C quotes', "echo $'a'"],
  ['nothing', ''],
  ['nothing', '   '],
  ['nothing between operators', 'ls ; ; ls'],
  ['nothing between operators', 'ls && && ls'],
  ['an operator at the end', 'ls |'],
  ['an operator bash does not know here', 'ls |& cat'],
  ['a case end', 'ls ;; ls'],
  ['outside', 'ls /etc'],
  ['outside', 'ls ..'],
  ['outside', 'ls src/../../x'],
  ['outside', 'wc -l /etc/passwd'],
  ['an option that writes', 'git diff --stat --output=x'],
  ['an option that writes', 'sort -o x'],
  ['an option that runs programs', 'git log --ext-diff'],
  ['an option that runs programs', 'git -c core.pager=x log'],
  ['an option that reads names from a file', 'wc --files0-from=x'],
  ['file contents', 'git diff'],
  ['file contents', 'git show HEAD:.env'],
  ['file contents', 'head -5 .env'],
  ['endless', 'tail -f x'],
  ['a wildcard that could become an option', 'git log *'],
  ['a wildcard that could become an option', 'wc *'],
  ['a changing form of a reading command', 'git branch new'],
  ['a changing form of a reading command', 'git branch -D x'],
  ['a changing form of a reading command', 'date -s 12:00'],
  ['a space that is none to the shell', 'ls\u00A0x'],
  ['a control character', 'ls \u0007'],
  ['half of a surrogate pair', 'ls \uD800'],
])('asks for %s: %j', (_why, command) => {
  expect(isReadOnlyCommand(command)).toBe(false);
});

const listed = fc.constantFrom(
  'ls',
  'ls -la',
  'pwd',
  'git rev-parse HEAD',
  'echo a',
  'wc -l a.txt',
  'true',
  'ls | wc -l',
);
const operator = fc.constantFrom(' && ', ' || ', '; ', ' | ', ';', '|', '&&');

describe('laws', () => {
  it('a listed command joined with one that is not listed asks', () => {
    const foreign = fc.constantFrom(
      'rm x',
      'touch x',
      'cat a.txt',
      'sh',
      'eval ls',
      'cd ..',
      'sed -i s/a/b/ a.txt',
      './ls',
      'x=1',
      'exec ls',
      'env ls',
      'command ls',
      'xargs ls',
    );
    fc.assert(
      fc.property(
        fc.array(listed),
        foreign,
        fc.array(listed),
        fc.array(operator, { minLength: 1 }),
        (before, middle, after, between) => {
          const parts: readonly string[] = [...before, middle, ...after];
          const command = parts.reduce((left, right, index) => left + (between[index % between.length] ?? ';') + right);
          expect(isReadOnlyCommand(command)).toBe(false);
        },
      ),
      runs(500),
    );
  });

  it('a listed command asks as soon as a dangerous character stands anywhere in it, unquoted', () => {
    const dangerous = fc.constantFrom(
      '$',
      '`',
      '>',
      '<',
      '(',
      ')',
      '\n',
      '\\',
      '&',
      '#',
      '{',
      '}',
      '~',
      '!',
      '[',
      ']',
      '^',
      '\r',
      '\0',
      '\u001B',
      '\u2028',
    );
    const command = fc.array(listed, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' && '));
    fc.assert(
      fc.property(command, dangerous, fc.nat(), (text, character, place) => {
        const at = place % (text.length + 1);
        const changed = text.slice(0, at) + character + text.slice(at);
        expect(isReadOnlyCommand(changed)).toBe(false);
      }),
      runs(1000),
    );
  });

  it('what is understood is what bash understands: the same words', () => {
    const word = fc
      .array(
        fc.oneof(fc.constantFrom('a', 'b', '-', '.', '/', '=', 'é', '漢', "'x y'", "'$x'", '"p q"', '"\'"', "''")),
        { minLength: 1, maxLength: 5 },
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
        const line = commandLine(`echo ${words.join(' ')}`);
        const said = execFileSync('bash', ['-c', `printf '%s\\0' ${words.join(' ')}`], { encoding: 'utf8' });
        expect([...(line?.commands[0]?.words.slice(1) ?? []), ''].join('\0')).toBe(said);
      }),
      runs(40),
    );
  });

  it('what passes changes no file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'turnchart-test-'));
    try {
      mkdirSync(join(folder, 'src'));
      for (const name of ['a.txt', '-rf', '--output=a.txt', 'src/b.ts', 'o'])
        writeFileSync(join(folder, name), `${name}\n`);
      const state = () =>
        readdirSync(folder, { recursive: true, encoding: 'utf8' })
          .toSorted()
          .map((name) => (name === 'src' ? name : `${name}=${readFileSync(join(folder, name), 'utf8')}`));
      const before = state();
      const args = fc.constantFrom(
        '-o',
        '-l',
        'a.txt',
        '*',
        '>',
        'b.txt',
        '--output=b.txt',
        '-n',
        '5',
        '$(touch b.txt)',
        '`touch b.txt`',
        'log',
        'status',
        'diff',
        '--stat',
        '&&',
        '|',
        ';',
        'touch',
        'src',
        "'x y'",
        '-c',
        '--',
        '-s',
        'rm',
        '{a,b}',
        'x=1',
      );
      const command = fc
        .tuple(fc.constantFrom(...readOnlyPrograms), fc.array(args, { maxLength: 4 }))
        .map(([name, rest]) => [name, ...rest].join(' '))
        .filter(isReadOnlyCommand);
      fc.assert(
        fc.property(command, (text) => {
          try {
            execFileSync('bash', ['-c', text], { cwd: folder, stdio: 'ignore', timeout: 10_000 });
          } catch {
            // a failure is fine
          }
          expect(state()).toEqual(before);
        }),
        runs(40),
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

it('what passes in a repository runs no program that its configuration names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'turnchart-test-'));
  try {
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=me', '-c', 'user.email=me@x', ...args], { cwd: folder, stdio: 'ignore' });
    const trap = join(folder, 'trap.sh');
    writeFileSync(trap, `#!/bin/sh\necho "$0 $*" >> ${join(folder, 'ran')}\ncat\n`, { mode: 0o755 });
    git('init', '-q');
    writeFileSync(join(folder, 'a.txt'), 'a\n');
    git('add', 'a.txt');
    git('commit', '-q', '-m', 'x');
    writeFileSync(join(folder, '.gitattributes'), '* filter=trap diff=trap\n');
    const names = ['core.fsmonitor', 'core.pager', 'core.sshCommand', 'core.editor', 'core.askPass', 'core.alternateRefsCommand', 'diff.external', 'diff.trap.textconv', 'diff.trap.command', 'filter.trap.clean', 'filter.trap.smudge', 'filter.trap.process', 'gpg.program', 'pager.branch', 'pager.rev-parse', 'credential.helper', 'interactive.diffFilter', 'sequence.editor']; // prettier-ignore
    for (const name of names) git('config', name, trap);
    for (const name of ['branch', 'rev-parse', 'version']) git('config', `alias.${name}`, `!${trap}`);
    git('config', 'log.showSignature', 'true');
    git('config', 'core.hooksPath', folder);
    for (const hook of ['post-index-change', 'reference-transaction', 'pre-commit', 'post-checkout']) {
      writeFileSync(join(folder, hook), readFileSync(trap), { mode: 0o755 });
    }
    writeFileSync(join(folder, 'a.txt'), 'b\n');
    const commands = ['git --version', 'git branch --show-current', 'git rev-parse HEAD', 'git rev-parse --show-toplevel', 'git rev-parse --abbrev-ref HEAD', 'ls -la', 'du -s', 'wc -l a.txt']; // prettier-ignore
    for (const command of commands) {
      expect(isReadOnlyCommand(command)).toBe(true);
      execFileSync('bash', ['-c', command], { cwd: folder, stdio: 'ignore' });
      expect(existsSync(join(folder, 'ran'))).toBe(false);
    }
    // That the trap is one: what asks would have run into it.
    execFileSync('git', ['status'], { cwd: folder, stdio: 'ignore' });
    expect(existsSync(join(folder, 'ran'))).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('a name that leads into the workspace asks', () => {
  const withFolder = (
    test: (folder: string, asks: (command: string, env?: Record<string, string>) => unknown) => void,
  ) => {
    const folder = mkdtempSync(join(tmpdir(), 'turnchart-test-'));
    try {
      mkdirSync(join(folder, 'bin'));
      writeFileSync(join(folder, 'bin', 'wc'), '#!/bin/sh\n', { mode: 0o755 });
      writeFileSync(join(folder, 'bin', 'ls'), '#!/bin/sh\n', { mode: 0o644 });
      test(folder, (command, env = {}) => {
        const { needsApproval } = bashTool({ cwd: folder, env });
        return typeof needsApproval === 'function' ? needsApproval({ command }) : needsApproval;
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  const system = process.env['PATH'] ?? '';

  it('by a file on the search path, but only one that can be run', () => {
    withFolder((folder, asks) => {
      const PATH = `${join(folder, 'bin')}:${system}`;
      expect([asks('wc -l', { PATH }), asks('ls', { PATH }), asks('ls | wc -l', { PATH })]).toEqual([
        true,
        false,
        true,
      ]);
      expect(asks('wc -l', { PATH: `${system}:${join(folder, 'bin')}` })).toBe(false);
    });
  });

  it('by a link outside of it', () => {
    withFolder((folder, asks) => {
      const outside = mkdtempSync(join(tmpdir(), 'turnchart-test-'));
      symlinkSync(join(folder, 'bin', 'wc'), join(outside, 'wc'));
      expect(asks('wc -l', { PATH: `${outside}:${system}` })).toBe(true);
      rmSync(outside, { recursive: true });
    });
  });

  it.each(['.', '', 'bin', './node_modules/.bin'])('by a search path with %j', (entry) => {
    withFolder((_folder, asks) => {
      expect(asks('ls', { PATH: `${entry}:${system}` })).toBe(true);
      expect(asks('pwd', { PATH: `${entry}:${system}` })).toBe(false); // the shell has that itself
    });
  });

  it('as does everything where variables make the shell run other code first', () => {
    withFolder((_folder, asks) => {
      expect(asks('pwd', { BASH_ENV: 'x' })).toBe(true);
      expect(asks('ls', { 'BASH_FUNC_ls%%': '() { touch x; }' })).toBe(true);
    });
  });

  it('as does everything where the shell itself is of the workspace', () => {
    withFolder((folder, asks) => {
      const before = process.env['PATH'];
      writeFileSync(join(folder, 'bin', 'bash'), '#!/bin/sh\n', { mode: 0o755 });
      process.env['PATH'] = `${join(folder, 'bin')}:${system}`;
      try {
        expect(asks('pwd')).toBe(true);
      } finally {
        process.env['PATH'] = before;
      }
    });
  });

  it('and nothing of it runs in parallel with a command that does not ask', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'turnchart-test-'));
    try {
      for (const name of ['cat', 'grep', 'sleep', 'printf', 'rm', 'cut', 'ps', 'sh']) {
        writeFileSync(join(folder, name), `#!/bin/sh\n: > "${folder}/ran-$(basename "$0")"\nexec /bin/${name} "$@"\n`, {
          mode: 0o755,
        });
      }
      const tool = bashTool({ cwd: folder, env: { PATH: `${folder}:${system}` } });
      expect(await callTool(tool, { command: 'pwd; echo a | wc -l' }, newContext())).toMatchObject({
        text: `${folder}\n1`,
      });
      expect(readdirSync(folder).filter((name) => name.startsWith('ran-'))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('a program that is nowhere asks', () => {
    withFolder((_folder, asks) => {
      expect(asks('ls', { PATH: '/nowhere' })).toBe(true);
    });
  });
});

it('Bash asks for what is not read-only, and runs it alone', () => {
  const tool = bashTool({ cwd: '/nowhere' });
  const decide = (rule: unknown, command: string): unknown => (typeof rule === 'function' ? rule({ command }) : rule);
  expect(decide(tool.needsApproval, 'ls')).toBe(false);
  expect(decide(tool.needsApproval, 'rm x')).toBe(true);
  expect(decide(tool.isConcurrencySafe, 'ls')).toBe(true);
  expect(decide(tool.isConcurrencySafe, 'cd x')).toBe(false);
});
