// Attempts to get at what the workspace does not allow. Outside each root lies a file whose text must never be seen.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { link, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { openFile } from '../../../src/tools/baseline/open-file.ts';
import { openFolder } from '../../../src/tools/baseline/open-folder.ts';
import { pathFault } from '../../../src/tools/baseline/path-fault.ts';
import { replaceFile } from '../../../src/tools/baseline/replace-file.ts';
import { createWorkspace, type Workspace } from '../../../src/tools/baseline/workspace.ts';
import { temporaryFolder, workbench, type Workbench } from './workbench.ts';

const secret = 'SECRET-OUTSIDE';
const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);
// Milliseconds, a bound for hangs.
const diskBound = 30_000 + 4_000 * runs;
const live = new AbortController().signal;

interface House extends Workbench {
  readonly outside: string;
}

/** A root `<folder>/repo` beside `<folder>/outside/secret.txt`. */
async function house(options: Parameters<typeof workbench>[0] = {}): Promise<House> {
  const top = await temporaryFolder();
  const root = join(top, 'repo');
  const outside = join(top, 'outside');
  await mkdir(join(root, 'src'), { recursive: true });
  await mkdir(outside);
  await mkdir(join(top, 'repo-two'));
  await writeFile(join(outside, 'secret.txt'), secret);
  await writeFile(join(top, 'repo-two', 'secret.txt'), secret);
  const bench = await workbench({ cwd: root, readBeforeEdit: false, ...options });
  return { ...bench, outside };
}

const escapes: readonly [name: string, path: string, prepare?: (house: House) => Promise<void>][] = [
  ['the parent folder', '../outside/secret.txt'],
  ['the parent folder from below', 'src/../../outside/secret.txt'],
  ['a long way up', `${'../'.repeat(40)}etc/passwd`],
  ['an absolute path', '/etc/passwd'],
  ['a folder whose name begins like the root', '../repo-two/secret.txt'],
  ['a link to the file', 'link', ({ folder, outside }) => symlink(join(outside, 'secret.txt'), join(folder, 'link'))],
  ['a relative link', 'link', ({ folder }) => symlink('../outside/secret.txt', join(folder, 'link'))],
  ['a link to the folder', 'link/secret.txt', ({ folder, outside }) => symlink(outside, join(folder, 'link'))],
  ['a link to the parent', 'up/outside/secret.txt', ({ folder }) => symlink('..', join(folder, 'up'))],
  [
    'a link to a link',
    'two',
    async ({ folder }) => {
      await symlink('../outside/secret.txt', join(folder, 'one'));
      await symlink('one', join(folder, 'two'));
    },
  ],
  [
    'a link to a file that does not exist',
    'link',
    ({ folder, outside }) => symlink(join(outside, 'new.txt'), join(folder, 'link')),
  ],
  [
    'a link to a folder that does not exist',
    'link/new.txt',
    ({ folder, outside }) => symlink(join(outside, 'new'), join(folder, 'link')),
  ],
  [
    'a link that goes out and on',
    'link/../outside/secret.txt',
    ({ folder, outside }) => symlink(join(outside, 'x', '..', 'secret.txt'), join(folder, 'link')),
  ],
  ['the root of a process', '/proc/self/root/etc/passwd'],
  ['the environment of a process', '/proc/self/environ'],
  ['a device', '/dev/zero'],
  ['the descriptor of a process', '/dev/fd/0'],
];

it.each(escapes)('refuses to read %s', async (_, path, prepare) => {
  const home = await house();
  await prepare?.(home);
  const answer = await home.read(path);
  expect(answer.isError).toBe(true);
  expect(answer.text).not.toContain(secret);
  expect(answer.text).toMatch(/is outside the folders|does not exist/);
  expect(answer.text).not.toContain(home.outside);
});

it.each(escapes)('refuses to write and to edit %s, and creates nothing', async (_, path, prepare) => {
  const home = await house();
  await prepare?.(home);
  const answers = [
    await home.call('Write', { file_path: path, content: 'x' }),
    await home.call('Edit', { file_path: path, old_string: '', new_string: 'x' }),
    await home.call('Edit', { file_path: path, old_string: secret, new_string: 'x' }),
    await home.call('NotebookEdit', { notebook_path: path, cell_id: '0', new_source: 'x' }),
  ];
  const inside = path === 'link/../outside/secret.txt'; // means <root>/outside/secret.txt, which may be created
  if (!inside) expect(answers.map(({ isError }) => isError)).toEqual([true, true, true, true]);
  expect(answers.map(({ text }) => text).join()).not.toContain(home.outside);
  expect(await readFile(join(home.outside, 'secret.txt'), 'utf8')).toBe(secret);
  expect(existsSync(join(home.outside, 'new.txt')) || existsSync(join(home.outside, 'new'))).toBe(false);
});

it('names the roots in a refusal', async () => {
  const home = await house();
  expect((await home.read('../outside/secret.txt')).text).toBe(
    `../outside/secret.txt is outside the folders the tools may use: ${home.folder}.`,
  );
});

it('answers the same for outside paths that exist and that do not', async () => {
  const home = await house();
  const there = (await home.read('../outside/secret.txt')).text.replace('secret', '?');
  expect((await home.read('../outside/nothing.txt')).text.replace('nothing', '?')).toBe(there);
});

it.each([
  ['an empty path', ' ', 'it is empty'],
  ['a NUL character', 'a\0b', 'it holds a NUL character'],
  ['a path of 5,000 bytes', 'a/'.repeat(2500), 'longer than 4096 bytes'],
  ['a name of 300 bytes', 'é'.repeat(150), 'a part of it is longer than 255 bytes'],
  ['half a surrogate pair', 'a\ud83c', 'half of a surrogate pair'],
])('refuses %s', async (_, path, words) => {
  const answer = await (await house()).read(path);
  expect(answer).toMatchObject({ isError: true, text: expect.stringContaining(words) as string });
  expect(answer.text.length).toBeLessThan(500);
  expect(answer.text.isWellFormed()).toBe(true);
});

it.each([
  ['C:\\work\\con', 'it names a device'],
  ['C:\\work\\NUL.txt', 'it names a device'],
  ['C:\\work\\com1 .log', 'it names a device'],
  ['\\\\?\\C:\\work\\a', 'device paths'],
  ['\\\\.\\pipe\\x', 'device paths'],
  ['C:\\work\\a.txt:stream', 'alternate data stream'],
])('refuses %s on Windows', (path, words) => {
  expect(pathFault(path, 'win32')).toContain(words);
});

it.each(['C:\\work\\console.log', 'src/communication.ts', 'D:\\a b\\c.txt'])('allows %s on Windows', (path) => {
  expect(pathFault(path, 'win32')).toBeUndefined();
});

it('refuses /proc, /sys and /dev also where the whole file system is the root', async () => {
  const home = await house({ roots: ['/'] });
  for (const path of ['/proc/self/environ', '/dev/null', '/sys/kernel/notes']) {
    expect(await home.read(path)).toMatchObject({
      isError: true,
      text: expect.stringContaining('is outside the folders') as string,
    });
  }
});

it.each([
  '.env',
  '.ENV',
  '.env.production',
  'src/.env',
  './src/../.env',
  '.git/hooks/pre-commit',
  'src/.git/hooks/pre-commit',
  '.git/config',
  '.bashrc',
  '.ssh/id_rsa',
  'allowed-name',
])('denies %s by default', async (path) => {
  const home = await house();
  for (const folder of ['.git/hooks', 'src/.git/hooks', '.ssh'])
    await mkdir(join(home.folder, folder), { recursive: true });
  for (const name of ['.env', '.env.production', 'src/.env', '.git/hooks/pre-commit', '.bashrc', '.ssh/id_rsa'])
    await home.put(name, secret);
  await symlink('.env', join(home.folder, 'allowed-name'));
  for (const answer of [await home.read(path), await home.call('Write', { file_path: path, content: 'x' })]) {
    expect(answer).toMatchObject({
      isError: true,
      text: `${path} is denied: the tools may neither read nor change it.`,
    });
  }
});

it.each(['.env.example', 'environment.ts', '.gitignore', '.git/HEAD'])('allows %s by default', async (path) => {
  const home = await house();
  await mkdir(join(home.folder, '.git'));
  await home.put(path, 'text');
  expect(await home.read(path)).toMatchObject({ isError: false });
});

it('denies by own patterns: relative, absolute, and allowed again', async () => {
  const top = await temporaryFolder();
  const home = await house({ cwd: top, denied: ['*.pem', 'vault', join(top, 'private'), '!public.pem'] });
  for (const name of ['key.pem', 'public.pem', '.env']) await home.put(name, 'text');
  const isAllowed = async (path: string): Promise<boolean> => !(await home.read(path)).text.includes('is denied');
  expect(
    await Promise.all(['key.pem', 'public.pem', '.env', 'a/vault/x', 'private/x', 'a/private/x'].map(isAllowed)),
  ).toEqual([false, true, true, false, false, true]);
});

it('denies by the name of a link, too', async () => {
  const home = await house({ denied: ['vault'] });
  await mkdir(join(home.folder, 'data'));
  await home.put('data/x', 'text');
  await symlink('data', join(home.folder, 'vault'));
  expect((await home.read('vault/x')).text).toContain('is denied');
});

it('reads but does not change what lies in a read-only root; the innermost root decides', async () => {
  const top = await temporaryFolder();
  await mkdir(join(top, 'vendor/patched'), { recursive: true });
  const home = await house({ cwd: top, readOnlyRoots: ['vendor'], roots: ['.', 'vendor/patched'] });
  await home.put('vendor/a.txt', 'text');
  expect(await home.read('vendor/a.txt')).toMatchObject({ isError: false });
  expect(await home.call('Write', { file_path: 'vendor/a.txt', content: 'x' })).toMatchObject({
    isError: true,
    text: `vendor/a.txt lies in a folder the tools may only read: ${join(top, 'vendor')}.`,
  });
  expect(await home.call('Write', { file_path: 'vendor/patched/a.txt', content: 'x' })).toMatchObject({
    isError: false,
  });
});

it('works in a root that is a link', async () => {
  const home = await house();
  await symlink(home.folder, join(home.outside, 'alias'));
  const bench = await workbench({ cwd: join(home.outside, 'alias') });
  expect(await bench.call('Write', { file_path: 'a.txt', content: 'x' })).toMatchObject({ isError: false });
  expect(await bench.read(join(home.outside, 'alias', 'a.txt'))).toMatchObject({ isError: false });
  expect(await bench.read(join(home.folder, 'a.txt'))).toMatchObject({ isError: false });
});

it('demands an absolute cwd', () => {
  expect(() => createWorkspace({ cwd: 'relative' })).toThrow(
    expect.objectContaining({ code: 'options.invalid' }) as Error,
  );
});

it('changes only its own name of a file that has another one outside, and says so', async () => {
  const home = await house();
  await link(join(home.outside, 'secret.txt'), join(home.folder, 'hard.txt'));
  const answer = await home.call('Edit', { file_path: 'hard.txt', old_string: secret, new_string: 'mine' });
  expect(answer.text).toContain('[The file had 1 other hard link: there the old content stays.]');
  expect(await readFile(join(home.outside, 'secret.txt'), 'utf8')).toBe(secret);
  expect(await home.text('hard.txt')).toBe('mine');
});

/** The workspace, but a folder is swapped for a link to the outside just after a path was resolved. */
function swappedAfterResolve(home: House, workspace: Workspace): Workspace {
  let isSwapped = false;
  return {
    ...workspace,
    resolve: async (named, use) => {
      const found = await workspace.resolve(named, use);
      if (!isSwapped) {
        isSwapped = true;
        await rename(join(home.folder, 'src'), join(home.folder, 'old'));
        await symlink(home.outside, join(home.folder, 'src'));
      }
      return found;
    },
  };
}

it('notices that a folder became a link between the check and the opening', async () => {
  const home = await house();
  await home.put('src/secret.txt', 'inside');
  const workspace = swappedAfterResolve(home, createWorkspace({ cwd: home.folder }));
  const opened = await openFile(workspace, 'src/secret.txt', 'read');
  expect(opened).toMatchObject({ type: 'refused', message: expect.stringContaining('outside the folders') as string });
});

it('does not write through a folder that became a link after the check', async () => {
  const home = await house();
  await rm(join(home.folder, 'src'), { recursive: true });
  await symlink(home.outside, join(home.folder, 'src'));
  const path = join(home.folder, 'src', 'new.txt');
  expect(await replaceFile({ path, content: Buffer.from('x'), signal: live })).toEqual({
    type: 'refused',
    reason: 'its folder was moved by another program meanwhile',
  });
  expect(existsSync(join(home.outside, 'new.txt'))).toBe(false);
});

it('does not write where a folder further up became a link after the check', async () => {
  const home = await house();
  await mkdir(join(home.outside, 'deep'));
  await rm(join(home.folder, 'src'), { recursive: true });
  await symlink(home.outside, join(home.folder, 'src'));
  const path = join(home.folder, 'src', 'deep', 'new.txt');
  expect(await replaceFile({ path, content: Buffer.from('x'), signal: live })).toMatchObject({ type: 'refused' });
  expect(await readdir(join(home.outside, 'deep'))).toEqual([]);
});

it.skipIf(process.platform !== 'linux')(
  'writes into the folder it holds open, whatever its name leads to by now',
  async () => {
    const home = await house();
    const folder = await openFolder(join(home.folder, 'src'));
    if (folder === undefined) throw new Error('not opened');
    await rename(join(home.folder, 'src'), join(home.folder, 'old'));
    await symlink(home.outside, join(home.folder, 'src'));
    await writeFile(folder.entry('new.txt'), 'x');
    await folder.close();
    expect(existsSync(join(home.folder, 'old', 'new.txt'))).toBe(true);
    expect(existsSync(join(home.outside, 'new.txt'))).toBe(false);
  },
);

it(
  'never reads or writes outside while another program swaps folder and link all the time',
  async () => {
    const home = await house();
    await home.put('src/secret.txt', 'inside\n');
    const script = `
    const fs = require('fs');
    process.on('message', () => process.exit(0));
    process.send('ready');
    for (;;) {
      try { fs.renameSync('src', 'real'); } catch {}
      try { fs.symlinkSync(${JSON.stringify(home.outside)}, 'src'); } catch {}
      try { if (fs.lstatSync('src').isSymbolicLink()) fs.unlinkSync('src'); } catch {}
      try { fs.renameSync('real', 'src'); } catch {}
    }`;
    const swapper = spawn(process.execPath, ['-e', script], {
      cwd: home.folder,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    await new Promise((resolve) => swapper.once('message', resolve));
    const texts: string[] = [];
    for (let round = 0; round < 60 * runs; round++) texts.push((await home.read('src/secret.txt')).text);
    for (let round = 0; round < 60 * runs; round++)
      await home.call('Write', { file_path: `src/new-${round}/deep/a.txt`, content: 'x' });
    swapper.kill('SIGKILL');
    await new Promise((resolve) => swapper.once('exit', resolve));
    expect(texts.some((text) => text.includes(secret))).toBe(false);
    expect(await readdir(home.outside)).toEqual(['secret.txt']);
  },
  diskBound,
);
