import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { checkTool } from '../../../src/testing/check-tool.ts';
import { globTool } from '../../../src/tools/index.ts';
import { gitTrees, plant } from './file-trees.ts';
import { callTool, newContext, temporaryFolder, workbench } from './workbench.ts';

async function found(files: readonly string[], pattern: string, path?: string): Promise<string[]> {
  const bench = await workbench();
  await plant(
    bench.folder,
    files.map((name) => [name, '']),
  );
  const { text } = await bench.call('Glob', { pattern, ...(path === undefined ? {} : { path }) });
  return text.startsWith('No files') ? [] : text.split('\n').toSorted();
}

// Case 24: anthropics/claude-code#33999, anomalyco/opencode#32669
describe('case 24: a dot in the pattern', () => {
  const files = ['.github/workflows/ci.yml', 'src/ci.yml', '.eslintrc.json', 'src/.env.example', '.github/.x/y.yml'];

  it.each([
    ['.github/**/*.yml', ['.github/workflows/ci.yml']],
    ['.github/workflows/ci.yml', ['.github/workflows/ci.yml']],
    ['.github/*/*.yml', ['.github/workflows/ci.yml']],
    ['{.github,src}/**/*.yml', ['.github/workflows/ci.yml', 'src/ci.yml']],
    ['**/.eslintrc*', ['.eslintrc.json']],
    ['**/.env.*', ['src/.env.example']],
    ['.github/.x/*', ['.github/.x/y.yml']],
    // The rule: wildcards match no leading dot.
    ['**/ci.yml', ['src/ci.yml']],
    ['**/*', ['src/ci.yml']],
    ['*.json', []],
  ])('%s finds %j', async (pattern, expected) => {
    expect(await found(files, pattern)).toEqual(expected.toSorted());
  });
});

it.each([
  ['*.ts', ['a.ts', 'src/b.ts', 'src/deep/c.ts']],
  ['./*.ts', ['a.ts', 'src/b.ts', 'src/deep/c.ts']],
  ['src/*.ts', ['src/b.ts']],
  ['src/', ['src/b.ts', 'src/deep/c.ts', 'src/x y.md']],
  ['src/**', ['src/b.ts', 'src/deep/c.ts', 'src/x y.md']],
  ['**/*.{ts,md}', ['a.ts', 'src/b.ts', 'src/deep/c.ts', 'src/x y.md']],
  ['src/x y.*', ['src/x y.md']],
  ['?.ts', ['a.ts', 'src/b.ts', 'src/deep/c.ts']],
  ['[bc].ts', ['src/b.ts', 'src/deep/c.ts']],
  ['app/[id]/page.tsx', ['app/[id]/page.tsx']],
  ['app/(group)/**', ['app/(group)/x.tsx']],
  ['**/A.TS', []],
  ['src/b.ts', ['src/b.ts']],
  ['nowhere/*.ts', []],
  ['**/deep/../*.ts', []],
])('%s finds %j', async (pattern, expected) => {
  const files = ['a.ts', 'src/b.ts', 'src/deep/c.ts', 'src/x y.md', 'app/[id]/page.tsx', 'app/(group)/x.tsx'];
  expect(await found(files, pattern)).toEqual(expected.toSorted());
});

it('looks below path, given from the working directory or whole, and shows paths from the working directory', async () => {
  expect(await found(['a/b/c.ts', 'c.ts'], '*.ts', 'a')).toEqual(['a/b/c.ts']);
  const bench = await workbench();
  await plant(bench.folder, [['a/b.ts', '']]);
  expect((await bench.call('Glob', { pattern: '*.ts', path: join(bench.folder, 'a') })).text).toBe('a/b.ts');
  expect((await bench.call('Glob', { pattern: `${bench.folder}/a/*.ts` })).text).toBe('a/b.ts');
});

it('leaves out ignored files, unless path or the beginning of the pattern leads into them', async () => {
  const bench = await workbench();
  await plant(bench.folder, [
    ['.gitignore', 'node_modules/\n*.log\n'],
    ['a.log', ''],
    ['src/.gitignore', '!kept.log\n'],
    ['src/kept.log', ''],
    ['node_modules/zod/a.ts', ''],
    ['.git/x.ts', ''],
  ]);
  const list = async (args: object) => (await bench.call('Glob', args)).text;
  expect(await list({ pattern: '**/*' })).toBe('src/kept.log');
  expect(await list({ pattern: 'node_modules/**/*.ts' })).toBe('node_modules/zod/a.ts');
  expect(await list({ pattern: '*.ts', path: 'node_modules/zod' })).toBe('node_modules/zod/a.ts');
  expect(await list({ pattern: '**/zod/*.ts' })).toBe('No files match **/zod/*.ts');
});

it('leaves out node_modules also where no .gitignore does', async () => {
  expect(await found(['a.ts', 'node_modules/b.ts', 'x/node_modules/c.ts'], '**/*.ts')).toEqual(['a.ts']);
  expect(await found(['a.ts', 'node_modules/b.ts'], '*.ts', 'node_modules')).toEqual(['node_modules/b.ts']);
});

it('lists the newest first, a hundred of them, and says how many there are', async () => {
  const bench = await workbench();
  for (let index = 0; index < 130; index++) {
    const path = await bench.put(`f${index}.ts`, '');
    await utimes(path, 1_000 + index, 1_000 + index);
  }
  const lines = (await bench.call('Glob', { pattern: '*.ts' })).text.split('\n');
  expect(lines.slice(0, 3)).toEqual(['f129.ts', 'f128.ts', 'f127.ts']);
  expect(lines).toHaveLength(101);
  expect(lines.at(-1)).toBe('[The newest 100 of 130 files. Narrow the pattern to see others.]');
});

it('answers with what it has when the time is up', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'a.ts'), '');
  const answer = await callTool(globTool({ cwd: folder, globLimitMs: 0 }), { pattern: '*.ts' }, newContext());
  expect(answer).toMatchObject({ isError: false });
  expect(answer.text).toContain('the list is partial');
});

it('does not follow links to folders, lists links to files, and shows nothing outside or denied', async () => {
  const outer = await temporaryFolder();
  const folder = join(outer, 'root');
  await mkdir(join(folder, 'a'), { recursive: true });
  await writeFile(join(outer, 'secret.ts'), '');
  await writeFile(join(folder, 'a', 'x.ts'), '');
  await writeFile(join(folder, '.env'), '');
  await symlink(folder, join(folder, 'a', 'loop'));
  await symlink(join(folder, 'a', 'x.ts'), join(folder, 'y.ts'));
  await symlink(outer, join(folder, 'out'));
  await symlink(join(outer, 'secret.ts'), join(folder, 'z.ts'));
  await symlink('nowhere', join(folder, 'broken.ts'));
  const bench = await workbench({ cwd: folder });
  const list = async (args: object) => await bench.call('Glob', args);
  expect((await list({ pattern: '**/*.ts' })).text.split('\n').toSorted()).toEqual(['a/x.ts', 'y.ts']);
  expect((await list({ pattern: '.env*' })).text).toBe('No files match .env*');
  for (const pattern of ['../*', '../secret.ts', `${outer}/*`, 'out/*', '/etc/*']) {
    expect(await list({ pattern })).toMatchObject({ isError: true });
  }
  expect(await list({ pattern: '*', path: 'nope' })).toMatchObject({ isError: true, text: 'nope does not exist.' });
  expect(await list({ pattern: '*', path: 'y.ts' })).toMatchObject({ isError: true });
});

it('stops when it is aborted', async () => {
  const bench = await workbench();
  for (let index = 0; index < 50; index++) await mkdir(join(bench.folder, `d${index}`, 'e'), { recursive: true });
  const signal = AbortSignal.abort(new Error('stop'));
  await expect(bench.call('Glob', { pattern: '**/*' }, { signal })).rejects.toThrow('stop');
});

it.each([
  ['a glob', '*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b', undefined],
  ['a glob with classes', '[!x]*[!x]*[!x]*[!x]*[!x]*[!x]*[!x]*[!x]*[!x]*[!x]*[!x]*[!x]*b', undefined],
  ['a glob of folders', `${'**/a*/'.repeat(40)}b`, undefined],
  ['a glob of groups', `${'+(a|aa)'.repeat(20)}b`, undefined],
  ['a glob of alternatives', `${'{a,aa,*a}'.repeat(6)}b`, undefined],
  ['an ignore file', '*', '*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b\n**/a*/**/a*/**/a*/**/a*/**/a*/**/b\n'],
])('takes no more time for %s that could match in many ways', async (_what, pattern, rules) => {
  const bench = await workbench();
  const long = 'a'.repeat(200);
  await plant(bench.folder, [
    [long, ''],
    [`${'a/'.repeat(60)}${long}`, ''],
    ...(rules === undefined ? [] : [['.gitignore', rules] as const]),
  ]);
  // A matcher that tries the ways one by one would not come back: the test would run out of time.
  const { text } = await bench.call('Glob', { pattern });
  expect(text).toContain(rules === undefined ? 'No files match' : long);
});

it.each([
  ['[', 'a [ that is never closed or a \\ at the end'],
  ['src/[a-', 'a [ that is never closed or a \\ at the end'],
  ['a\\', 'a [ that is never closed or a \\ at the end'],
  ['{a,b', 'a { that is never closed'],
  ['**/*.{ts,tsx', 'a { that is never closed'],
  ['!(a).ts', 'parentheses, which group nothing here (use {a,b})'],
])('says what is odd in %s, which finds nothing', async (pattern, what) => {
  const bench = await workbench();
  await bench.put('a.ts', '');
  expect(await bench.call('Glob', { pattern })).toMatchObject({
    isError: false,
    text: `No files match ${pattern}. The pattern has ${what}: such characters stand for themselves.`,
  });
});

it('finds names that hold such characters, and says nothing then', async () => {
  expect(await found(['a[.ts', '{a,b'], 'a[.ts')).toEqual(['a[.ts']);
  expect(await found(['a[.ts', '{a,b'], '{a,b')).toEqual(['{a,b']);
});

it('refuses braces that stand for too many patterns', async () => {
  const bench = await workbench();
  for (const pattern of ['{a,b}'.repeat(20), '{1..100000}', '{1..40}{1..40}']) {
    expect(await bench.call('Glob', { pattern })).toMatchObject({
      isError: true,
      text: 'The braces of the pattern stand for more than 1000 patterns.',
    });
  }
});

it('lists each file on one line, whatever its name holds', async () => {
  const bench = await workbench();
  const names = [
    'two\nlines.ts',
    'red\u001B[31m.ts',
    'bell\u0007.ts',
    '"quoted".ts',
    'mirrored\u202Est.ts',
    'line\u2028.ts',
    'del\u007F.ts',
    'a b.ts',
  ];
  for (const name of names) await bench.put(name, '');
  const lines = (await bench.call('Glob', { pattern: '*.ts' })).text.split('\n');
  expect(lines.toSorted()).toEqual([
    '"\\"quoted\\".ts"', '"bell\\u0007.ts"', '"del\\u007f.ts"', '"line\\u2028.ts"', '"mirrored\\u202est.ts"', '"red\\u001b[31m.ts"', '"two\\nlines.ts"', 'a b.ts',
  ]); // prettier-ignore
  expect(
    lines
      .filter((line) => line.startsWith('"'))
      .map((line) => JSON.parse(line) as string)
      .toSorted(),
  ).toEqual(names.filter((name) => name !== 'a b.ts').toSorted());
});

it.each(['.gitignore', '.ignore', '.git/info/exclude', 'sub/.gitignore'])(
  'is not held up by a pipe or a device in the place of %s',
  async (name) => {
    const bench = await workbench();
    await plant(bench.folder, [
      ['.git/info/x', ''],
      ['sub/a.ts', ''],
    ]);
    execFileSync('mkfifo', [join(bench.folder, name)]);
    expect((await bench.call('Glob', { pattern: '**/*.ts' })).text).toBe('sub/a.ts');
    await rm(join(bench.folder, name));
    await symlink('/dev/zero', join(bench.folder, name));
    expect((await bench.call('Glob', { pattern: '**/*.ts' })).text).toBe('sub/a.ts');
  },
);

it('lists a name that is not text', async () => {
  const bench = await workbench();
  await writeFile(Buffer.concat([Buffer.from(`${bench.folder}/a`), Buffer.from([0xff]), Buffer.from('.ts')]), '');
  expect((await bench.call('Glob', { pattern: '*.ts' })).text).toBe('a\u{FFFD}.ts');
});

it('keeps the rules for tools', async () => {
  const bench = await workbench();
  await bench.put('a.ts', '');
  await expect(
    checkTool(bench.tool('Glob'), { examples: [{ pattern: '**/*.ts' }, { pattern: '[' }] }),
  ).resolves.toHaveLength(12);
});

it('law: in any tree it finds what git lists, tracked or not, without what is ignored', async () => {
  await fc.assert(
    fc.asyncProperty(gitTrees, async (tree) => {
      const folder = await mkdtemp(join(tmpdir(), 'turnchart-test-'));
      try {
        execFileSync('git', ['init', '-q'], { cwd: folder });
        await plant(folder, tree);
        const listed = execFileSync('git', ['ls-files', '-z', '--others', '--cached', '--exclude-standard'], {
          cwd: folder,
          encoding: 'utf8',
        });
        const paths = listed
          .split('\0')
          .filter((path) => path !== '')
          .toSorted();
        const tool = globTool({ cwd: folder, denied: [] });
        const ours = async (pattern: string) => {
          const { text } = await callTool(tool, { pattern }, newContext());
          return text.startsWith('No files match') ? [] : text.split('\n').toSorted();
        };
        const listedAs = (all: readonly string[]) =>
          all.map((path) => (path.includes('\n') ? JSON.stringify(path) : path)).toSorted();
        const isHidden = (path: string) => /(?:^|\/)\./.test(path);
        expect(await ours('**/*')).toEqual(listedAs(paths.filter((path) => !isHidden(path))));
        const hidden = paths.filter(
          (path) => /^(?:.*\/)?\.[^/]*$/.test(path) && !isHidden(path.slice(0, Math.max(0, path.lastIndexOf('/')))),
        );
        expect(await ours('**/.*')).toEqual(listedAs(hidden));
      } finally {
        await rm(folder, { recursive: true });
      }
    }),
    { numRuns: 60 * Number(process.env['TURNCHART_RUNS'] ?? 1) },
  );
});
