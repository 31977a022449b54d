// What becomes of a file, its folder and its neighbours when it is changed, fails to be changed, or the program dies.

import { execFile, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

import { replaceFile } from '../../../src/tools/baseline/replace-file.ts';
import { temporaryFolder, workbench } from './workbench.ts';

const live = new AbortController().signal;
const isRoot = process.getuid?.() === 0;
const entry = fileURLToPath(new URL('../../../src/tools/index.ts', import.meta.url));

it.each([0o755, 0o600, 0o640, 0o4755])('keeps mode %o', async (mode) => {
  const bench = await workbench();
  const path = await bench.put('a.sh', 'echo old\n');
  await chmod(path, mode);
  await bench.read('a.sh');
  await bench.call('Edit', { file_path: 'a.sh', old_string: 'old', new_string: 'new' });
  expect(await bench.text('a.sh')).toBe('echo new\n');
  expect((await stat(path)).mode & 0o7777).toBe(mode);
});

it.skipIf(!isRoot)('keeps the owner', async () => {
  const bench = await workbench();
  const path = await bench.put('a.txt', 'old\n');
  await chown(path, 1234, 5678);
  await bench.read('a.txt');
  await bench.call('Edit', { file_path: 'a.txt', old_string: 'old', new_string: 'new' });
  expect(await stat(path)).toMatchObject({ uid: 1234, gid: 5678 });
});

it.each(['Edit', 'Write'])('%s through a link changes the target and leaves the link', async (name) => {
  const bench = await workbench();
  await mkdir(join(bench.folder, 'deep'));
  await bench.put('deep/real.txt', 'old\n');
  await symlink('deep/real.txt', join(bench.folder, 'link.txt'));
  await bench.read('link.txt');
  await bench.call(
    name,
    name === 'Edit'
      ? { file_path: 'link.txt', old_string: 'old', new_string: 'new' }
      : { file_path: 'link.txt', content: 'new\n' },
  );
  expect(await readlink(join(bench.folder, 'link.txt'))).toBe('deep/real.txt');
  expect(await bench.text('deep/real.txt')).toBe('new\n');
});

it('creates the target of a link that leads to nothing yet', async () => {
  const bench = await workbench();
  await symlink('later/real.txt', join(bench.folder, 'link.txt'));
  expect(await bench.call('Write', { file_path: 'link.txt', content: 'new\n' })).toMatchObject({ isError: false });
  expect((await lstat(join(bench.folder, 'link.txt'))).isSymbolicLink()).toBe(true);
  expect(await bench.text('later/real.txt')).toBe('new\n');
});

it('takes a file with another hard link out of the pair', async () => {
  const bench = await workbench();
  const path = await bench.put('a.txt', 'old\n');
  await link(path, join(bench.folder, 'b.txt'));
  await bench.read('a.txt');
  await bench.call('Edit', { file_path: 'a.txt', old_string: 'old', new_string: 'new' });
  expect([await bench.text('a.txt'), await bench.text('b.txt')]).toEqual(['new\n', 'old\n']);
});

it('leaves nothing next to the file, whether it works or not', async () => {
  const bench = await workbench();
  await bench.put('a.txt', 'old\n');
  await bench.read('a.txt');
  await bench.call('Edit', { file_path: 'a.txt', old_string: 'old', new_string: 'new' });
  await bench.call('Edit', { file_path: 'a.txt', old_string: 'old', new_string: 'new' });
  await bench.call('Write', { file_path: 'b.txt', content: 'x' });
  expect(await readdir(bench.folder)).toEqual(['a.txt', 'b.txt']);
});

it('leaves file and folder alone when it is aborted', async () => {
  const bench = await workbench();
  await bench.put('a.txt', 'old\n');
  await bench.read('a.txt');
  const controller = new AbortController();
  controller.abort(new Error('enough'));
  const call = bench.call(
    'Edit',
    { file_path: 'a.txt', old_string: 'old', new_string: 'new' },
    { signal: controller.signal },
  );
  await expect(call).rejects.toThrow('enough');
  expect(await readdir(bench.folder)).toEqual(['a.txt']);
  expect(await bench.text('a.txt')).toBe('old\n');
});

it('does not replace a file that changed after it was looked at', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'a.txt');
  await writeFile(path, 'old');
  const before = await lstat(path, { bigint: true });
  await writeFile(path, 'changed by another');
  expect(await replaceFile({ path, content: Buffer.from('new'), before, signal: live })).toEqual({
    type: 'refused',
    reason: 'another program changed it meanwhile',
  });
  expect(await readFile(path, 'utf8')).toBe('changed by another');
  expect(await readdir(folder)).toEqual(['a.txt']);
});

it('does not replace a file that appeared after it was missing', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'a.txt');
  await writeFile(path, 'mine');
  expect(await replaceFile({ path, content: Buffer.from('new'), signal: live })).toEqual({
    type: 'refused',
    reason: 'another program created it meanwhile',
  });
  expect(await readFile(path, 'utf8')).toBe('mine');
});

it('replaces a file with a name of 255 bytes', async () => {
  const bench = await workbench({ readBeforeEdit: false });
  const name = 'n'.repeat(255);
  await bench.put(name, 'old');
  await bench.call('Edit', { file_path: name, old_string: 'old', new_string: 'new' });
  expect(await bench.text(name)).toBe('new');
});

it('a reader sees the old text or the new one, never a part', async () => {
  const bench = await workbench({ readBeforeEdit: false });
  const text = (letter: string): string => letter.repeat(200_000);
  await bench.put('a.txt', text('a'));
  let isDone = false;
  const seen = new Set<string>();
  const reader = (async () => {
    while (!isDone) seen.add(summary(await bench.text('a.txt')));
  })();
  for (const letter of 'bcdef') await bench.call('Write', { file_path: 'a.txt', content: text(letter) });
  isDone = true;
  await reader;
  expect([...seen].filter((each) => !/^[a-j] × 200000$/.test(each))).toEqual([]);
});

it('the file is whole after the program was killed in the middle of writing', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'a.txt');
  await writeFile(path, 'a'.repeat(1_000_000));
  const program = join(folder, 'writer.mjs');
  await writeFile(
    program,
    `
    import { writeTool } from ${JSON.stringify(entry)};
    const tool = writeTool({ cwd: ${JSON.stringify(folder)}, readBeforeEdit: false });
    const values = new Map();
    const session = { id: 's', get: (key, create) => values.get(key) ?? (values.set(key, create()), values.get(key)) };
    process.send('ready');
    for (let round = 0; ; round++) {
      await tool.execute({ file_path: 'a.txt', content: 'bcdef'[round % 5].repeat(1_000_000) }, { session, signal: new AbortController().signal });
      process.send('written');
    }`,
  );
  for (const messages of [1, 3]) {
    const child = fork(program, { execArgv: [] });
    await new Promise<void>((resolve) => {
      let count = 0;
      child.on('message', () => {
        if (++count === messages) resolve();
      });
    });
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    expect(summary(await readFile(path, 'utf8'))).toMatch(/^[a-f] × 1000000$/);
  }
});

/** Runs a program text as a user without rights (the own one where that has none), with `call` for tool calls. */
async function asOrdinaryUser(folder: string, code: string): Promise<string> {
  const program = `
    const { baselineTools } = await import(${JSON.stringify(entry)});
    const values = new Map();
    const session = { id: 's', get: (key, create) => values.get(key) ?? (values.set(key, create()), values.get(key)) };
    const tools = baselineTools({ cwd: ${JSON.stringify(folder)}, readBeforeEdit: false });
    const call = async (name, args) => (await tools.find((tool) => tool.name === name).execute(args, { session, signal: new AbortController().signal })).content[0].text;
    ${code}`;
  const user = isRoot ? { uid: 65_534, gid: 65_534 } : {};
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    ...user,
    cwd: '/',
  });
  return stdout.trim();
}

it('says that a file may not be read', async () => {
  const bench = await workbench();
  await chmod(bench.folder, 0o777);
  await chmod(await bench.put('a.txt', 'x'), 0o000);
  expect(await asOrdinaryUser(bench.folder, `console.log(await call('Read', { file_path: 'a.txt' }))`)).toBe(
    'a.txt could not be read: the permissions do not allow it.',
  );
});

it('says that a folder may not be entered', async () => {
  const bench = await workbench();
  await mkdir(join(bench.folder, 'closed'));
  await bench.put('closed/a.txt', 'x');
  await chmod(bench.folder, 0o777);
  await chmod(join(bench.folder, 'closed'), 0o000);
  expect(await asOrdinaryUser(bench.folder, `console.log(await call('Read', { file_path: 'closed/a.txt' }))`)).toBe(
    'closed/a.txt cannot be reached: a part of it may not be entered.',
  );
});

it('says that a folder does not allow new files, and changes nothing', async () => {
  const bench = await workbench();
  await chmod(await bench.put('a.txt', 'old\n'), 0o666);
  await chmod(bench.folder, 0o555);
  const said = await asOrdinaryUser(
    bench.folder,
    `
    console.log(await call('Edit', { file_path: 'a.txt', old_string: 'old', new_string: 'new' }));
    console.log(await call('Write', { file_path: 'b.txt', content: 'x' }));
    console.log(await call('Write', { file_path: 'sub/b.txt', content: 'x' }));`,
  );
  await chmod(bench.folder, 0o755);
  expect(said.split('\n')).toEqual([
    'a.txt was not changed: its folder does not allow new files, and a file is only ever replaced as a whole.',
    'b.txt was not changed: its folder does not allow new files, and a file is only ever replaced as a whole.',
    'sub/b.txt could not be written: the permissions do not allow it.',
  ]);
  expect([await bench.text('a.txt'), existsSync(join(bench.folder, 'b.txt'))]).toEqual(['old\n', false]);
});

it('says that a file belongs to somebody else', async () => {
  const bench = await workbench();
  await chmod(await bench.put('a.txt', 'old\n'), isRoot ? 0o644 : 0o444);
  await chmod(bench.folder, 0o777);
  const said = await asOrdinaryUser(
    bench.folder,
    `console.log(await call('Edit', { file_path: 'a.txt', old_string: 'old', new_string: 'new' }))`,
  );
  expect(said).toContain(isRoot ? 'the permissions do not allow it' : 'it is write-protected');
  expect(await bench.text('a.txt')).toBe('old\n');
});

function summary(text: string): string {
  const letters = [...new Set(text)].join('');
  return `${letters} × ${text.length}`;
}
