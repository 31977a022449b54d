import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { checkTool } from '../../../src/testing/check-tool.ts';
import { findRipgrep } from '../../../src/tools/baseline/find-ripgrep.ts';
import { createLineMatcher } from '../../../src/tools/baseline/line-matcher.ts';
import { grepTool, type GrepArguments } from '../../../src/tools/index.ts';
import { fileTrees, plant } from './file-trees.ts';
import { callTool, newContext, temporaryFolder, workbench, type Answer } from './workbench.ts';

const engines = [
  ['ripgrep', findRipgrep],
  ['without ripgrep', () => Promise.resolve(undefined)],
] as const;
const withoutNote = /\n\[Searched without ripgrep.*\]$/;

it('ripgrep is installed where these tests run', async () => {
  expect(await findRipgrep()).toMatch(/rg(?:\.exe)?$/);
});

it('says without ripgrep which files it could not search', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'a.txt'), 'x\n');
  await writeFile(join(folder, 'large.txt'), 'x\n'.repeat(9 * 1024 ** 2));
  await writeFile(Buffer.concat([Buffer.from(`${folder}/b`), Buffer.from([0xff])]), 'x\n');
  const tool = grepTool({ cwd: folder, ripgrep: () => Promise.resolve(undefined) });
  expect((await callTool(tool, { pattern: 'x' }, newContext())).text.split('\n').slice(0, -1)).toEqual([
    'a.txt',
    '[Files larger than 16 MiB were not searched: 1.]',
    '[Files that could not be read: 1.]',
  ]);
});

it('says when it searches without ripgrep', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'a.txt'), 'x\n');
  const tool = grepTool({ cwd: folder, ripgrep: () => Promise.resolve(undefined) });
  expect((await callTool(tool, { pattern: 'x' }, newContext())).text).toMatch(withoutNote);
});

describe.each(engines)('with %s', (_name, ripgrep) => {
  async function bench(files: { readonly [path: string]: string | Buffer }) {
    const folder = await temporaryFolder();
    for (const [path, text] of Object.entries(files)) {
      await mkdir(join(folder, path, '..'), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const tool = grepTool({ cwd: folder, ripgrep });
    const answer = async (args: object, context = newContext()): Promise<Answer> => {
      const given = await callTool(tool, args, context);
      return { ...given, text: given.text.replace(withoutNote, '') };
    };
    const search = async (args: Partial<GrepArguments>): Promise<string> => (await answer(args)).text;
    return { folder, answer, search };
  }
  const content = (args: Partial<GrepArguments>) => ({ output_mode: 'content', ...args }) as const;

  // Case 25: anomalyco/opencode#3524, smithersai/smithers#695
  it.each([
    ['-world', 'hello -world'],
    ['--flag|x9', 'a --flag b'],
    ['-> T', 'f -> T'],
    ['-e', 'x -e y'],
    ['--files', 'take --files'],
    ['-', 'a-b'],
    ['--', 'a -- b'],
    ['--pre=touch', 'a --pre=touch'],
  ])('case 25: the pattern %s is a pattern', async (pattern, line) => {
    const { search } = await bench({ 'a.txt': `${line}\nnothing\n` });
    expect(await search(content({ pattern }))).toBe(`a.txt:1:${line}`);
  });

  it('a path, a glob or a type that begins with - is not an option', async () => {
    const { search, answer } = await bench({ '-a.txt': 'x\n', '--files/b.txt': 'x\n' });
    expect(await search({ pattern: 'x', path: '-a.txt' })).toBe('-a.txt');
    expect(await search({ pattern: 'x', path: '--files' })).toBe('--files/b.txt');
    expect(await search({ pattern: 'x', glob: '-*' })).toBe('-a.txt');
    expect(await answer({ pattern: 'x', type: '-x' })).toMatchObject({ isError: true });
  });

  it('lists files, the newest first', async () => {
    const { search, folder } = await bench({ 'a.txt': 'x', 'b.txt': 'x', 'c.txt': 'x', 'd.txt': 'y' });
    for (const [index, name] of ['b.txt', 'c.txt', 'a.txt'].entries())
      await utimes(join(folder, name), 100 + index, 100 + index);
    expect(await search({ pattern: 'x' })).toBe('a.txt\nc.txt\nb.txt');
  });

  it('counts matching lines, most first', async () => {
    const { search } = await bench({ 'a.txt': 'x x\n', 'b.txt': 'x\nx\nx\n', 'c.txt': 'y\n' });
    expect(await search({ pattern: 'x', output_mode: 'count' })).toBe(
      'b.txt:3\na.txt:1\n[4 matching lines in 2 files]',
    );
  });

  it.each<[args: Partial<GrepArguments>, expected: string]>([
    [{ '-A': 1 }, 'a.txt:2:two\na.txt-3-three'],
    [{ '-B': 1 }, 'a.txt-1-one\na.txt:2:two'],
    [{ '-C': 1 }, 'a.txt-1-one\na.txt:2:two\na.txt-3-three'],
    [{ context: 1 }, 'a.txt-1-one\na.txt:2:two\na.txt-3-three'],
    [{ context: 1, '-A': 0 }, 'a.txt-1-one\na.txt:2:two'],
    [{ '-n': false }, 'a.txt:two'],
    [{ pattern: 'TWO', '-i': true }, 'a.txt:2:two'],
    [{ pattern: 'TWO' }, 'No matches found'],
    [{ pattern: 't.', '-o': true }, 'a.txt:2:tw\na.txt:3:th'],
    [{ pattern: 'o|five', '-o': true }, 'a.txt:1:o\na.txt:2:o\na.txt:4:o\na.txt:5:five'],
    [{ pattern: 'one|four', context: 0 }, 'a.txt:1:one\na.txt:4:four'],
    [{ pattern: 'one|five', '-A': 1 }, 'a.txt:1:one\na.txt-2-two\n--\na.txt:5:five'],
    [{ pattern: 'one.two', multiline: true }, 'a.txt:1:one\na.txt:2:two'],
    [{ pattern: 'one.two' }, 'No matches found'],
    [{ pattern: 't(?=wo)' }, 'a.txt:2:two'],
    [{ pattern: '(?<!t)wo|(.)\\1r' }, 'No matches found'],
    [{ pattern: '(e)\\1' }, 'a.txt:3:three'],
  ])('%j shows %j', async (args, expected) => {
    const { search } = await bench({ 'a.txt': 'one\ntwo\nthree\nfour\nfive' });
    expect(await search(content({ pattern: 'two', ...args }))).toBe(expected);
  });

  it.each<[args: Partial<GrepArguments>, expected: readonly string[]]>([
    [{ glob: '*.ts' }, ['a.ts', 'src/b.ts']],
    [{ glob: 'src/**' }, ['src/b.ts', 'src/c.md']],
    [{ glob: '*.{md,ts}' }, ['a.ts', 'src/b.ts', 'src/c.md']],
    [{ glob: '{src,x}/*.ts' }, ['src/b.ts']],
    [{ glob: '!*.md' }, ['a.ts', 'src/b.ts']],
    [{ glob: '!src' }, ['a.ts']],
    [{ glob: 'b.ts', path: 'src' }, ['src/b.ts']],
    [{ glob: '**/*' }, ['a.ts', 'src/b.ts', 'src/c.md']],
    [{ type: 'ts' }, ['a.ts', 'src/b.ts']],
    [{ type: 'ts', glob: 'src/*' }, ['src/b.ts']],
    [{ path: 'src' }, ['src/b.ts', 'src/c.md']],
    [{ path: 'a.ts' }, ['a.ts']],
    [{ path: '.github' }, ['.github/x.yml']],
    [{ glob: '.github/**' }, ['.github/x.yml']],
    [{ path: 'ignored' }, ['ignored/i.ts']],
    [{ path: 'node_modules/p' }, ['node_modules/p/q.ts']],
    [{}, ['a.ts', 'src/b.ts', 'src/c.md']],
  ])('%j searches %j', async (args, expected) => {
    const { search } = await bench({
      'a.ts': 'x', 'src/b.ts': 'x', 'src/c.md': 'x', '.github/x.yml': 'x', '.gitignore': 'ignored/\n*.log\n',
      'ignored/i.ts': 'x',
      'node_modules/p/q.ts': 'x', 'src/y.log': 'x', '.git/z.ts': 'x',
    }); // prettier-ignore
    expect((await search({ pattern: 'x', ...args })).split('\n').toSorted()).toEqual(expected.toSorted());
  });

  it('a type lets no hidden file in', async () => {
    const { search } = await bench({ 'a.ts': 'x', '.b.ts': 'x', '.c/d.ts': 'x', 'e/.f.ts': 'x' });
    expect(await search({ pattern: 'x', type: 'ts' })).toBe('a.ts');
    expect(await search({ pattern: 'x', type: 'ts', output_mode: 'count' })).toBe(
      'a.ts:1\n[1 matching lines in 1 files]',
    );
    expect(await search({ pattern: 'x', type: 'ts', path: '.c' })).toBe('.c/d.ts');
    expect((await search({ pattern: 'x', type: 'ts', glob: '**/.*' })).split('\n').toSorted()).toEqual([
      '.b.ts',
      'e/.f.ts',
    ]);
  });

  it('a type is not a name that objects have', async () => {
    const { answer } = await bench({ 'a.ts': 'x' });
    expect(await answer({ pattern: 'x', type: 'constructor' })).toMatchObject({ isError: true });
  });

  it('shows each path on one line, whatever it holds', async () => {
    const { search } = await bench({ 'two\nlines': 'x\n', 'red\u001B[31m': 'x\n' });
    const shown = ['"red\\u001b[31m"', '"two\\nlines"'];
    expect((await search({ pattern: 'x' })).split('\n').toSorted()).toEqual(shown);
    expect((await search(content({ pattern: 'x' }))).split('\n').toSorted()).toEqual(
      shown.map((path) => `${path}:1:x`),
    );
    expect((await search({ pattern: 'x', output_mode: 'count' })).split('\n').slice(0, 2).toSorted()).toEqual(
      shown.map((path) => `${path}:1`),
    );
  });

  it('says what is odd in a glob that lets nothing in', async () => {
    const { search, answer } = await bench({ 'a.ts': 'x' });
    expect(await search({ pattern: 'x', glob: '*.{ts,tsx' })).toMatch(
      /^No matches found\n(?:.*\n)?\[The glob has a \{ that is never closed: such characters stand for themselves\.\]$/,
    );
    expect(await answer({ pattern: 'x', glob: '{a,b}'.repeat(20) })).toMatchObject({ isError: true });
  });

  it('takes no more time for a glob that could match in many ways', async () => {
    const { search } = await bench({ ['a'.repeat(200)]: 'x' });
    expect(await search({ pattern: 'x', glob: `x/${'*a'.repeat(40)}b` })).toBe('No matches found');
    expect(await search({ pattern: 'x', glob: `!${'*a'.repeat(40)}b` })).toBe('a'.repeat(200));
  });

  it('explains a pattern of many odd lines at once', async () => {
    const { answer } = await bench({ 'a.txt': 'x' });
    expect(await answer({ pattern: `(${'~\n'.repeat(2_000)}` })).toMatchObject({ isError: true });
  });

  it('pages through lines, and through files', async () => {
    const { search } = await bench({ 'a.txt': 'x1\nx2\nx3\n', 'b.txt': 'x4\nx5\n' });
    const page = (offset: number, head_limit = 2) => search(content({ pattern: 'x', offset, head_limit }));
    expect(await page(0)).toBe('a.txt:1:x1\na.txt:2:x2\n[Lines 1-2 of more. Continue with offset=2.]');
    expect(await page(2)).toBe('a.txt:3:x3\nb.txt:1:x4\n[Lines 3-4 of more. Continue with offset=4.]');
    expect(await page(4)).toBe('b.txt:2:x5');
    expect(await page(9)).toBe('No matches shown: offset 9 is past the end: there are 5.');
    expect((await page(0, 0)).split('\n')).toHaveLength(5);
    expect(await search({ pattern: 'x', output_mode: 'count', head_limit: 1 })).toBe(
      'a.txt:3\n[Files 1-1 of 2. Continue with offset=1.]\n[5 matching lines in 2 files]',
    );
  });

  it('shows 250 lines where no limit is given', async () => {
    const { search } = await bench({ 'a.txt': 'x\n'.repeat(1_000) });
    const lines = (await search(content({ pattern: 'x' }))).split('\n');
    expect(lines).toHaveLength(251);
    expect(lines.at(-1)).toBe('[Lines 1-250 of more. Continue with offset=250.]');
  });

  it('shows the stretch around the match in a huge line, between characters, and says what is cut', async () => {
    const { search } = await bench({ 'a.txt': `${'漢'.repeat(300_000)}needle${'é🏷'.repeat(300_000)}\nshort needle\n` });
    const [huge = '', short] = (await search(content({ pattern: 'needle' }))).split('\n');
    expect(short).toBe('a.txt:2:short needle');
    expect(huge).toMatch(/^a\.txt:1:…漢+needle(?:é🏷)+é?… \[cut: bytes 8\d{5}-9\d{5} of a line of 2700006\]$/u);
    expect(Buffer.byteLength(huge)).toBeLessThan(1_500);
  });

  it('finds no match in nothing, and that is not an error', async () => {
    const { answer } = await bench({ 'a.txt': '' });
    for (const output_mode of ['content', 'count', 'files_with_matches']) {
      expect(await answer({ pattern: 'x', output_mode })).toMatchObject({ isError: false, text: 'No matches found' });
    }
  });

  it.each([['a(b'], ['a{2,1}'], ['[z-a]'], ['(?<=a'], ['*']])(
    'explains what is wrong with the pattern %s',
    async (pattern) => {
      const { answer } = await bench({ 'a.txt': 'x' });
      const given = await answer({ pattern });
      expect(given.isError).toBe(true);
      expect(given.text).toMatch(/not valid|Invalid regular expression/);
    },
  );

  it('searches neither binary files nor what the tools may not read', async () => {
    const { search, folder, answer } = await bench({
      'a.bin': Buffer.from('x\0x'),
      '.env': 'x',
      'sub/.env': 'x',
      'b.txt': 'x',
    });
    await symlink('/etc', join(folder, 'out'));
    expect(await search({ pattern: 'x' })).toBe('b.txt');
    expect(await search({ pattern: 'x', glob: '.e*' })).toBe('No matches found');
    for (const path of ['.env', '..', '/etc', 'out', 'out/passwd']) {
      expect(await answer({ pattern: 'x', path })).toMatchObject({ isError: true });
    }
    expect(await answer({ pattern: 'x', path: 'b.tx' })).toMatchObject({
      isError: true,
      text: 'b.tx does not exist. Did you mean b.txt?',
    });
  });

  it('reads UTF-16, CRLF and invalid bytes', async () => {
    const { search } = await bench({
      'a.txt': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('größe x\n', 'utf16le')]),
      'b.txt': 'one x\r\ntwo\r\n',
      'c.txt': Buffer.from([0x78, 0x20, 0xe9, 0x0a]),
    });
    expect(await search(content({ pattern: 'x' }))).toBe(
      `a.txt:1:größe x\nb.txt:1:one x\nc.txt:1:x ${(await search(content({ pattern: 'x', path: 'c.txt' }))).slice(10)}`,
    );
    expect((await search(content({ pattern: 'x' }))).isWellFormed()).toBe(true);
  });

  it('stops when it is aborted', async () => {
    const { answer } = await bench({ 'a.txt': 'x' });
    const signal = AbortSignal.abort(new Error('stop'));
    await expect(answer({ pattern: 'x' }, newContext({ signal }))).rejects.toThrow('stop');
  });
});

describe('a pattern that backtracks without end, without ripgrep', () => {
  async function hostile(grepLimitMs: number) {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'a.txt'), 'a needle\n');
    await writeFile(join(folder, 'b.txt'), `${'a'.repeat(60)}!\n`);
    return grepTool({ cwd: folder, grepLimitMs, ripgrep: () => Promise.resolve(undefined) });
  }

  it.each([{}, { output_mode: 'content' }, { multiline: true }, { output_mode: 'content', '-o': true }])(
    'is ended when the time is up, with %j, and others get their turn meanwhile',
    async (args) => {
      const tool = await hostile(1_500);
      let turns = 0;
      const others = setInterval(() => (turns += 1), 10);
      const { isError, text } = await callTool(tool, { pattern: '(?:needle|(a+)+$)', ...args }, newContext());
      clearInterval(others);
      expect(isError).toBe(false);
      expect(text).toMatch(/^a\.txt/);
      expect(text).toContain('the answer is partial');
      expect(turns).toBeGreaterThan(5);
    },
  );

  it('is not begun once aborted', async () => {
    const what = { source: '(a+)+$', flags: 'g', isMultiline: false, wantsParts: false };
    const signal = AbortSignal.abort(new Error('stop'));
    // Were it begun, it would go on for a minute.
    const matcher = createLineMatcher(what, { deadline: performance.now() + 60_000, signal });
    await expect(matcher.match(`${'a'.repeat(60)}!`)).rejects.toThrow('stop');
    matcher.end();
  });

  it('is ended by an abort', async () => {
    const tool = await hostile(60_000);
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error('stop')), 100);
    const context = newContext({ signal: abort.signal });
    await expect(callTool(tool, { pattern: '(a+)+$' }, context)).rejects.toThrow('stop');
  });
});

it('ends ripgrep once it has enough', async () => {
  const bench = await workbench();
  await bench.put('a.txt', 'x\n'.repeat(5_000_000));
  await bench.put('b.txt', 'y\n');
  const { text } = await bench.call('Grep', { pattern: 'x', output_mode: 'content', head_limit: 3 });
  expect(text).toBe('a.txt:1:x\na.txt:2:x\na.txt:3:x\n[Lines 1-3 of more. Continue with offset=3.]');
});

it('explains a type ripgrep does not know, and a line end in a pattern', async () => {
  const bench = await workbench();
  await bench.put('a.txt', 'x\n');
  expect((await bench.call('Grep', { pattern: 'x', type: 'nope' })).text).toBe(
    'unrecognized file type: nope. Use glob instead, such as *.ext.',
  );
  expect((await bench.call('Grep', { pattern: 'a\nb' })).text).toContain('set multiline to true');
});

it('keeps the rules for tools', async () => {
  const bench = await workbench();
  await bench.put('a.txt', 'x\n');
  const examples = [{ pattern: 'x', '-A': '2', '-n': 'true' }, { pattern: '(' }];
  await expect(checkTool(bench.tool('Grep'), { examples })).resolves.toHaveLength(12);
});

const patterns = fc.constantFrom('foo', '^', 'o+', 'baz$', '^$', 'FOO', 'x|y', 'a.b');

// An ignore file that takes everything back, as `!*/`, makes rg search hidden folders: they have tests of their own.
const isOfTheTree = (line: string): boolean => line !== '' && !/(?:^|\/)\.[^:]*:/.test(line.replace('\0', ':'));

it('law: in any tree it finds what the command rg finds, with and without ripgrep', async () => {
  const program = (await findRipgrep()) ?? '';
  const rg = (args: readonly string[], cwd: string): string[] => {
    try {
      const base = ['--no-config', '--color=never', '--sort=path', '--null', '--no-require-git'];
      return execFileSync(program, [...base, ...args, '.'], { cwd, encoding: 'utf8' })
        .replaceAll(/(?<=^|\n|\0)\.\//g, '')
        .split(/\n/);
    } catch {
      return []; // no match
    }
  };
  await fc.assert(
    fc.asyncProperty(fileTrees, patterns, fc.boolean(), async (tree, pattern, isIgnoringCase) => {
      // In an ignore file rg takes braces for alternatives; Git, and so we, for the characters they are.
      fc.pre(!tree.some(([path, text]) => path.endsWith('ignore') && /[{}]/.test(String(text))));
      const folder = await mkdtemp(join(tmpdir(), 'turnchart-test-'));
      try {
        execFileSync('git', ['init', '-q'], { cwd: folder });
        // A line end in a name cannot be told from one between names in a text.
        await plant(
          folder,
          tree.filter(([path]) => !path.includes('\n')),
        );
        const flags = [...(isIgnoringCase ? ['-i'] : []), '-e', pattern];
        const counts = rg(['--count', ...flags], folder)
          .filter(isOfTheTree)
          .map((line) => line.replace('\0', ':'));
        const lines = rg(['-n', '--no-heading', ...flags], folder)
          .filter(isOfTheTree)
          .map((line) => line.replace('\0', ':'));
        for (const [, ripgrep] of engines) {
          const tool = grepTool({ cwd: folder, denied: [], ripgrep });
          const ours = async (args: object) => {
            const { text } = await callTool(
              tool,
              { pattern, '-i': isIgnoringCase, head_limit: 0, ...args },
              newContext(),
            );
            return text
              .split('\n')
              .filter((line) => !/^\[(?:\d+ matching|Searched )|^No matches/.test(line))
              .filter(isOfTheTree);
          };
          expect((await ours({ output_mode: 'count' })).toSorted()).toEqual(counts.toSorted());
          expect((await ours({ output_mode: 'content' })).toSorted()).toEqual(
            lines.map((line) => line.replace(/\r$/, '')).toSorted(),
          );
        }
      } finally {
        await rm(folder, { recursive: true });
      }
    }),
    { numRuns: 25 * Number(process.env['TURNCHART_RUNS'] ?? 1) },
  );
});
