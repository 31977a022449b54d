import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { checkTool } from '../../../src/testing/check-tool.ts';
import { globTool } from '../../../src/tools/index.ts';
import { fileTrees, plant } from './file-trees.ts';
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

it('keeps the rules for tools', async () => {
  const bench = await workbench();
  await bench.put('a.ts', '');
  await expect(
    checkTool(bench.tool('Glob'), { examples: [{ pattern: '**/*.ts' }, { pattern: '[' }] }),
  ).resolves.toHaveLength(12);
});

it('law: in any tree it finds what git lists, tracked or not, without what is ignored', async () => {
  await fc.assert(
    fc.asyncProperty(fileTrees, async (tree) => {
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
          return text.startsWith('No files match') ? '' : text;
        };
        const isHidden = (path: string) => /(?:^|\/)\./.test(path);
        const plain = paths.filter((path) => !isHidden(path));
        expect((await ours('**/*')).split('\n').toSorted().join('\n')).toBe(
          plain.join('\n').split('\n').toSorted().join('\n'),
        );
        const hidden = paths.filter(
          (path) => /^(?:.*\/)?\.[^/]*$/.test(path) && !isHidden(path.slice(0, Math.max(0, path.lastIndexOf('/')))),
        );
        expect((await ours('**/.*')).split('\n').toSorted().join('\n')).toBe(
          hidden.join('\n').split('\n').toSorted().join('\n'),
        );
      } finally {
        await rm(folder, { recursive: true });
      }
    }),
    { numRuns: 60 * Number(process.env['TURNCHART_RUNS'] ?? 1) },
  );
});
