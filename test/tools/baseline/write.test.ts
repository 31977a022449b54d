import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { newContext, workbench } from './workbench.ts';

it('creates a file and the folders it needs', async () => {
  const bench = await workbench();
  expect(await bench.call('Write', { file_path: 'a/b/c.txt', content: 'one\ntwo\n' })).toMatchObject({
    isError: false,
    text: 'Created a/b/c.txt (2 lines, 8 bytes).',
  });
  expect(await bench.text('a/b/c.txt')).toBe('one\ntwo\n');
});

it('gives a new file the mode the umask leaves', async () => {
  const bench = await workbench();
  await bench.call('Write', { file_path: 'a.txt', content: '' });
  expect((await stat(join(bench.folder, 'a.txt'))).mode & 0o777).toBe(0o666 & ~process.umask());
});

it('replaces a file that was read and answers with the difference', async () => {
  const bench = await workbench();
  await bench.put('a.txt', 'one\ntwo\n');
  await bench.read('a.txt');
  const answer = await bench.call('Write', { file_path: 'a.txt', content: 'one\n2\n' });
  expect(answer.text).toBe('Updated a.txt (+1 -1 lines, 6 bytes).\n@@ -1,2 +1,2 @@\n one\n-two\n+2');
});

it('refuses to replace a file that was not read', async () => {
  const bench = await workbench();
  await bench.put('a.txt', 'one\n');
  expect(await bench.call('Write', { file_path: 'a.txt', content: 'x' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('Read it first') as string,
  });
  expect(await bench.text('a.txt')).toBe('one\n');
});

it('edits a file it has written without another read', async () => {
  const bench = await workbench();
  await bench.call('Write', { file_path: 'a.txt', content: 'one\n' });
  expect(await bench.call('Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' })).toMatchObject({
    isError: false,
  });
});

it('says when only a part of what it replaces had been read', async () => {
  const bench = await workbench();
  await bench.put('a.txt', 'x\n'.repeat(10));
  await bench.read('a.txt', { limit: 5 });
  expect((await bench.call('Write', { file_path: 'a.txt', content: 'y\n' })).text).toContain(
    '[Only a part of the old content had been read.]',
  );
});

it('counts a line that was cut as not read whole', async () => {
  const bench = await workbench();
  await bench.put('a.txt', 'x'.repeat(5000));
  await bench.read('a.txt');
  expect((await bench.call('Write', { file_path: 'a.txt', content: 'y\n' })).text).toContain('Only a part');
});

it('leaves a file alone that has the content already', async () => {
  const bench = await workbench();
  const path = await bench.put('a.txt', 'x\n');
  await bench.read('a.txt');
  const before = await stat(path);
  expect((await bench.call('Write', { file_path: 'a.txt', content: 'x\n' })).text).toBe(
    'a.txt already has this content. Nothing was changed.',
  );
  expect((await stat(path)).ino).toBe(before.ino);
});

it.each([
  ['CRLF stays for content with LF', 'a\r\nb\r\n', 'x\ny\n', 'x\r\ny\r\n'],
  ['CR stays for content with LF', 'a\rb\r', 'x\ny\n', 'x\ry\r'],
  ['the most frequent line end wins', 'a\r\nb\r\nc\n', 'x\ny\n', 'x\r\ny\r\n'],
  ['content with CRLF is taken as it is', 'a\nb\n', 'x\r\ny\n', 'x\r\ny\n'],
  ['a mark in the content is kept', 'a\n', '\u{FEFF}x\n', '\u{FEFF}x\n'],
])('%s', async (_, before, content, after) => {
  const bench = await workbench();
  await bench.put('a.txt', before);
  await bench.read('a.txt');
  await bench.call('Write', { file_path: 'a.txt', content });
  expect(await bench.text('a.txt')).toBe(after);
});

it('keeps the encoding of the old file', async () => {
  const bench = await workbench();
  await bench.put('a.txt', Buffer.from('caf\u00e9\n', 'latin1'));
  await bench.read('a.txt');
  await bench.call('Write', { file_path: 'a.txt', content: 'th\u00e9\n' });
  expect(await bench.bytes('a.txt')).toEqual(Buffer.from('th\u00e9\n', 'latin1'));
});

it('keeps UTF-16 and its mark', async () => {
  const bench = await workbench();
  await bench.put('a.txt', Buffer.from('\u{FEFF}old\n', 'utf16le'));
  await bench.read('a.txt');
  await bench.call('Write', { file_path: 'a.txt', content: 'new 北\n' });
  expect(await bench.bytes('a.txt')).toEqual(Buffer.from('\u{FEFF}new 北\n', 'utf16le'));
});

it('writes whole UTF-8 over UTF-8 with stray bytes', async () => {
  const bench = await workbench();
  await bench.put('a.txt', Buffer.concat([Buffer.from('北京 日本'), Buffer.from([0xff, 0x0a])]));
  await bench.read('a.txt');
  await bench.call('Write', { file_path: 'a.txt', content: 'größe 北\n' });
  expect(await bench.text('a.txt')).toBe('größe 北\n');
});

it('turns to UTF-8 and says so when the old encoding lacks a character', async () => {
  const bench = await workbench();
  await bench.put('a.txt', Buffer.from('caf\u00e9\n', 'latin1'));
  await bench.read('a.txt');
  const answer = await bench.call('Write', { file_path: 'a.txt', content: '北\n' });
  expect(answer.text).toContain('the file is UTF-8 now');
  expect(await bench.text('a.txt')).toBe('北\n');
});

it('refuses a path whose parent is a file', async () => {
  const bench = await workbench();
  await bench.put('a.txt', 'x');
  expect(await bench.call('Write', { file_path: 'a.txt/b.txt', content: 'x' })).toMatchObject({
    isError: true,
    text: 'a.txt/b.txt cannot be reached: a part of it is a file, not a folder.',
  });
});

it('refuses a folder', async () => {
  const bench = await workbench();
  await mkdir(join(bench.folder, 'src'));
  expect(await bench.call('Write', { file_path: 'src', content: 'x' })).toMatchObject({
    isError: true,
    text: 'src is a folder, not a file.',
  });
});

it('previews a new file', async () => {
  const bench = await workbench();
  const preview = await bench.tool('Write').preview?.({ file_path: 'a.txt', content: 'x\ny\n' }, newContext());
  expect(preview).toEqual({ type: 'create', path: 'a.txt', diff: '@@ -0,0 +1,2 @@\n+x\n+y', added: 2, removed: 0 });
});

it('bounds the difference of two large texts that have nothing in common', async () => {
  const bench = await workbench();
  const lines = (word: string): string => Array.from({ length: 20_000 }, (_, index) => `${word} ${index}\n`).join('');
  await bench.put('a.txt', lines('old'));
  await bench.read('a.txt');
  const answer = await bench.call('Write', { file_path: 'a.txt', content: lines('new') });
  expect(answer.text).toContain('+20000 -20000 lines');
  expect(answer.text.split('\n').length).toBeLessThan(70);
});
