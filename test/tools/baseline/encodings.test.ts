import iconv from 'iconv-lite';
import { expect, it } from 'vitest';

import { shownLines, workbench } from './workbench.ts';

const mark = '\u{FEFF}';

it.each([
  ['UTF-16LE', Buffer.from(`${mark}naïve 北京\r\nzwei\r\n`, 'utf16le')],
  ['UTF-16BE', Buffer.from(`${mark}naïve 北京\r\nzwei\r\n`, 'utf16le').swap16()],
  ['UTF-16LE', Buffer.from('plain ascii as utf-16\r\nzwei\r\n', 'utf16le')],
  ['UTF-16BE', Buffer.from('plain ascii as utf-16\r\nzwei\r\n', 'utf16le').swap16()],
])('reads and edits %s', async (name, bytes) => {
  const bench = await workbench();
  await bench.put('a.txt', bytes);
  const answer = await bench.read('a.txt');
  expect(answer.text).toContain(`encoding ${name}`);
  expect(shownLines(answer).lines.at(-1)).toBe('zwei');
  expect(await bench.call('Edit', { file_path: 'a.txt', old_string: 'zwei', new_string: 'drei\nvier' })).toMatchObject({
    isError: false,
  });
  const encode = (text: string): Buffer =>
    name === 'UTF-16BE' ? Buffer.from(text, 'utf16le').swap16() : Buffer.from(text, 'utf16le');
  const old = encode('zwei\r\n');
  expect(await bench.bytes('a.txt')).toEqual(
    Buffer.concat([bytes.subarray(0, bytes.length - old.length), encode('drei\r\nvier\r\n')]),
  );
});

it.each([
  ['windows-1252', 'café', 'caf\u00e9 cr\u00e8me'],
  ['windows-1252', 'für', 'Übermut für alle'],
  ['Shift_JIS', 'テスト', 'x = "テスト"; // コメント'],
  ['Shift_JIS', 'こんにちは', '日本語のテキスト\nこんにちは'],
  ['EUC-JP', 'こんにちは', '日本語のテキスト\nこんにちは\n漢字かな交じり文'],
  ['windows-1251', 'мир', 'Привет, мир! Это файл на русском языке'],
])('reads and edits %s: %s', async (name, old, text) => {
  const bench = await workbench();
  await bench.put('a.txt', iconv.encode(`${text}\n`, name));
  const answer = await bench.read('a.txt');
  expect(shownLines(answer).lines.join('\n')).toBe(text);
  expect(answer.text).toContain(`encoding ${name}`);
  await bench.call('Edit', { file_path: 'a.txt', old_string: old, new_string: `${old}+` });
  expect(await bench.bytes('a.txt')).toEqual(iconv.encode(`${text.replace(old, `${old}+`)}\n`, name));
});

it('keeps every byte of a Latin-1 file that windows-1252 does not have', async () => {
  const bench = await workbench();
  const bytes = Buffer.concat([Buffer.from('caf'), Buffer.from([0xe9, 0x81, 0x8d, 0x20]), Buffer.from('end\n')]);
  await bench.put('a.txt', bytes);
  await bench.read('a.txt');
  await bench.call('Edit', { file_path: 'a.txt', old_string: 'end', new_string: 'END' });
  expect((await bench.bytes('a.txt')).toString('latin1')).toBe('caf\u00e9\u0081\u008d END\n');
});

it('keeps stray bytes in a UTF-8 file', async () => {
  const bench = await workbench();
  const head = Buffer.concat([Buffer.from('日本語 ☃ '), Buffer.from([0xff, 0xc3]), Buffer.from('\n')]);
  await bench.put('a.txt', Buffer.concat([head, Buffer.from('größe 北\n')]));
  await bench.read('a.txt');
  const answer = await bench.call('Edit', { file_path: 'a.txt', old_string: 'größe', new_string: 'maß' });
  expect(answer.text).toContain('-größe 北\n+maß 北');
  expect(await bench.bytes('a.txt')).toEqual(Buffer.concat([head, Buffer.from('maß 北\n')]));
});

it('reports a miss in a file with stray bytes in readable text', async () => {
  const bench = await workbench();
  await bench.put('a.txt', Buffer.concat([Buffer.from('größe ist 北京\n日本\n'), Buffer.from([0xff])]));
  await bench.read('a.txt');
  const answer = await bench.call('Edit', { file_path: 'a.txt', old_string: 'größe war 北京', new_string: 'x' });
  expect(answer.text).toContain('+größe ist 北京');
});

it('refuses characters the encoding of the file lacks, by name', async () => {
  const bench = await workbench();
  await bench.put('a.txt', Buffer.from('caf\u00e9\n', 'latin1'));
  await bench.read('a.txt');
  const answer = await bench.call('Edit', { file_path: 'a.txt', old_string: 'caf', new_string: 'caf → ' });
  expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('→ (U+2192)') as string });
  expect((await bench.bytes('a.txt')).toString('latin1')).toBe('caf\u00e9\n');
});

it('refuses half a surrogate pair', async () => {
  const bench = await workbench();
  await bench.put('a.txt', 'x\n');
  await bench.read('a.txt');
  const answer = await bench.call('Edit', { file_path: 'a.txt', old_string: 'x', new_string: '\ud83c' });
  expect(answer).toMatchObject({
    isError: true,
    text: expect.stringContaining('half a surrogate pair (U+D83C)') as string,
  });
});

it('shows text it could not write back byte for byte, and refuses to edit it', async () => {
  const bench = await workbench();
  // 87 90 is a second code for ≒: an encoder would write 81 E0.
  const bytes = Buffer.concat([
    iconv.encode('テスト 円周率 ', 'Shift_JIS'),
    Buffer.from([0x87, 0x90]),
    Buffer.from(' 3.14\n'),
  ]);
  await bench.put('a.txt', bytes);
  expect(shownLines(await bench.read('a.txt')).lines).toEqual(['テスト 円周率 ≒ 3.14']);
  const answer = await bench.call('Edit', { file_path: 'a.txt', old_string: '3.14', new_string: '3.1415' });
  expect(answer.text).toBe(
    'a.txt cannot be edited: read as Shift_JIS it holds bytes that could not be written back as they are.',
  );
  expect(await bench.bytes('a.txt')).toEqual(bytes);
});

it('keeps every byte where an older encoding is not valid throughout', async () => {
  const bench = await workbench();
  const japanese = iconv.encode('日本語のテキスト\nこんにちは\n漢字かな交じり文\n', 'EUC-JP');
  const bytes = Buffer.concat([japanese, Buffer.from([0xff, 0xff]), Buffer.from('end\n')]);
  await bench.put('a.txt', bytes);
  await bench.read('a.txt');
  await bench.call('Edit', { file_path: 'a.txt', old_string: 'end', new_string: 'END' });
  expect(await bench.bytes('a.txt')).toEqual(Buffer.concat([bytes.subarray(0, -4), Buffer.from('END\n')]));
});

it('refuses UTF-32 as no text', async () => {
  const bench = await workbench();
  await bench.put('a.txt', Buffer.from('fffe000061000000', 'hex'));
  expect((await bench.read('a.txt')).text).toContain('UTF-32');
});

it.each([
  ['CRLF', 'a\r\nb\r\n'],
  ['mixed CRLF and LF', 'a\r\nb\n'],
  ['CR', 'a\rb\r'],
])('names line ends other than LF: %s', async (name, text) => {
  const bench = await workbench();
  await bench.put('a.txt', text);
  expect((await bench.read('a.txt')).text).toBe(`1\ta\n2\tb\n[Format: line ends ${name}. Edit and Write keep it.]`);
});

it('counts a lone CR in a file with LF as an ordinary character, as search programs do', async () => {
  const bench = await workbench();
  await bench.put('a.txt', '10%\r20%\ndone\n');
  expect(shownLines(await bench.read('a.txt')).lines).toEqual(['10%\r20%', 'done']);
});
