import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { appendFile, mkdir, symlink, truncate } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

import fc from 'fast-check';
import { expect, it } from 'vitest';

import { shownLines, workbench } from './workbench.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);
// Milliseconds, a bound for hangs.
const diskBound = 30_000 + 4_000 * runs;

it('numbers lines and says nothing more about a small file', async () => {
  const { put, read } = await workbench();
  await put('a.txt', 'one\ntwo\n');
  expect(await read('a.txt')).toMatchObject({ isError: false, text: '1\tone\n2\ttwo' });
});

it('says that an empty file is empty', async () => {
  const { put, read } = await workbench();
  await put('a.txt', '');
  expect(await read('a.txt')).toMatchObject({ isError: false, text: 'a.txt is empty (0 bytes).' });
});

it('says that a file holds nothing but a byte order mark', async () => {
  const { put, read } = await workbench();
  await put('a.txt', Buffer.from([0xef, 0xbb, 0xbf]));
  expect((await read('a.txt')).text).toBe('The file is empty but for a byte order mark.');
});

it('says where a window ends, of how many lines, and where to continue', async () => {
  const { put, read } = await workbench();
  await put('a.txt', 'x\n'.repeat(30));
  expect((await read('a.txt', { offset: 11, limit: 10 })).text.split('\n').at(-1)).toBe(
    '[Lines 11-20 of 30. Continue with offset=21.]',
  );
});

it('says that a window is the end of the file', async () => {
  const { put, read } = await workbench();
  await put('a.txt', 'x\n'.repeat(30));
  expect((await read('a.txt', { offset: 21, limit: 10 })).text.split('\n').at(-1)).toBe(
    '[Lines 21-30 of 30: the end of the file.]',
  );
});

it('shows at most 2000 lines by default', async () => {
  const { put, read } = await workbench();
  await put('a.txt', 'x\n'.repeat(2001));
  const { lines, next } = shownLines(await read('a.txt'));
  expect([lines.length, next]).toEqual([2000, 2001]);
});

it('shows at most 50 kB at once', async () => {
  const { put, read } = await workbench();
  await put('a.txt', `${'é'.repeat(499)}\n`.repeat(100));
  const answer = await read('a.txt');
  const { lines, next } = shownLines(answer);
  expect([lines.length, next]).toEqual([50, 51]);
  expect(answer.text).toContain('as much as is shown at once');
});

it('shows up to 256 kB at once with allow_large', async () => {
  const { put, read } = await workbench();
  await put('a.txt', `${'x'.repeat(999)}\n`.repeat(200));
  expect(shownLines(await read('a.txt', { allow_large: true })).lines.length).toBe(200);
});

it('cuts a long line and says how long it is', async () => {
  const { put, read } = await workbench();
  await put('a.txt', `${'x'.repeat(10_000)}\nnext\n`);
  expect((await read('a.txt')).text).toBe(
    `1\t${'x'.repeat(2000)}… [cut: 2000 characters shown of a line of 10000 bytes]\n2\tnext`,
  );
});

it('understands numbers sent as text and null for what is left out', async () => {
  const { put, read } = await workbench();
  await put('a.txt', 'a\nb\nc\n');
  expect(shownLines(await read('a.txt', { offset: '2', limit: null })).lines).toEqual(['b', 'c']);
});

it('names the arguments it knows when it gets another', async () => {
  const { put, read } = await workbench();
  await put('a.txt', 'a\n');
  const answer = await read('a.txt', { view_range: [1, 2] });
  expect(answer.isError).toBe(true);
  expect(answer.text).toContain('view_range');
  expect(answer.text).toContain('offset');
});

it('offers names near one that does not exist', async () => {
  const { put, read, folder } = await workbench();
  await mkdir(join(folder, 'src'));
  await put('src/Engine.ts', 'x');
  expect(await read('src/engin.ts')).toMatchObject({
    isError: true,
    text: 'src/engin.ts does not exist. Did you mean src/Engine.ts?',
  });
});

it('offers the path below the working directory for one that starts at the root', async () => {
  const { put, read, folder } = await workbench({});
  await mkdir(join(folder, 'src'));
  await put('src/a.ts', 'x');
  const answer = await read(`${folder}/lib/src/a.ts`);
  expect(answer.text).toContain('Did you mean src/a.ts?');
});

it('does not offer denied names', async () => {
  const { put, read } = await workbench();
  await put('.env', 'SECRET=1');
  expect((await read('.enx')).text).toBe('.enx does not exist.');
});

it('says what is in a folder it is asked to read', async () => {
  const { put, read, folder } = await workbench();
  await mkdir(join(folder, 'src/inner'), { recursive: true });
  await put('src/a.ts', 'x');
  await put('src/.env', 'SECRET=1');
  expect(await read('src')).toMatchObject({
    isError: true,
    text: 'src is a folder, not a file. It holds a.ts, inner/.',
  });
});

it.each([
  ['a NUL byte', Buffer.from('text\0text'), 'it holds NUL bytes', 'application/octet-stream'],
  ['a program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0]), 'it holds NUL bytes', 'application/x-elf'],
  [
    'an archive',
    Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(30)]),
    'it holds NUL bytes',
    'application/zip',
  ],
  [
    '16-bit numbers',
    Buffer.from(Uint16Array.of(1, 2, 3, 4, 5, 6).buffer),
    'it holds NUL bytes',
    'application/octet-stream',
  ],
  ['control characters', Buffer.from('\u0001\u0002\u0003abc'), 'more than 30 %', 'application/octet-stream'],
])('refuses %s with a reason, the type and the size', async (_, bytes, reason, mediaType) => {
  const { put, read } = await workbench();
  await put('a.bin', bytes);
  const answer = await read('a.bin');
  expect(answer.isError).toBe(true);
  expect(answer.text).toContain(reason);
  expect(answer.text).toContain(mediaType);
  expect(answer.text).toContain(`${bytes.length} bytes`);
});

it('reads coloured logs as text', async () => {
  const { put, read } = await workbench();
  await put('a.log', '\u001b[31mred\u001b[0m\n'.repeat(10));
  expect((await read('a.log')).isError).toBe(false);
});

it('refuses a pipe without waiting for a writer', async () => {
  const { read, folder } = await workbench();
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  expect(await read('pipe')).toMatchObject({
    isError: true,
    text: expect.stringContaining('named pipe (FIFO)') as string,
  });
});

it('refuses a socket', async () => {
  const { read, folder } = await workbench();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(folder, 'socket'), resolve));
  const answer = await read('socket');
  await new Promise((resolve) => server.close(resolve));
  expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('is a socket') as string });
});

it('refuses a device even where /dev is a root', async () => {
  const { read } = await workbench({ roots: ['/dev'] });
  expect(await read('/dev/zero')).toMatchObject({
    isError: true,
    text: expect.stringContaining('is a device') as string,
  });
});

it('refuses links that lead in a circle', async () => {
  const { read, folder } = await workbench();
  await symlink('b', join(folder, 'a'));
  await symlink('a', join(folder, 'b'));
  expect(await read('a')).toMatchObject({ isError: true, text: 'a cannot be reached: its links lead in a circle.' });
});

it('reads through a link inside the root', async () => {
  const { read, put, folder } = await workbench();
  await put('real.txt', 'text\n');
  await symlink('real.txt', join(folder, 'link.txt'));
  expect((await read('link.txt')).text).toBe('1\ttext');
});

it('shows a picture as an image block with its size in pixels', async () => {
  const { read, put } = await workbench();
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  await put('dot.png', png);
  const { content } = await read('dot.png');
  expect(content).toEqual([
    { type: 'text', text: `dot.png: image/png, 1 × 1 pixels, ${png.length} bytes.` },
    { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: png.toString('base64') } },
  ]);
});

it.each([
  ['gif', Buffer.from('GIF89a\u0003\u0000\u0002\u0000\u0000\u0000\u0000', 'latin1'), '3 × 2'],
  ['jpg', Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0000b080004000501011100ffd9', 'hex'), '5 × 4'],
  ['webp', Buffer.from(`524946461a000000574542505650384c0d0000002f${'02400000'}000000`, 'hex'), '3 × 2'],
])('knows the pixels of a .%s', async (extension, bytes, pixels) => {
  const { read, put } = await workbench();
  await put(`picture.${extension}`, bytes);
  expect((await read(`picture.${extension}`)).text).toContain(`${pixels} pixels`);
});

it('shows a PDF as a document block', async () => {
  const { read, put } = await workbench();
  await put('paper.pdf', '%PDF-1.4\n%%EOF\n');
  const { content } = await read('paper.pdf');
  expect(content[1]).toMatchObject({ type: 'document', title: 'paper.pdf', source: { mediaType: 'application/pdf' } });
});

it('refuses a picture too large for any provider, with the limit', async () => {
  const { read, put, folder } = await workbench();
  await put('big.png', Buffer.from('89504e470d0a1a0a', 'hex'));
  await truncate(join(folder, 'big.png'), 5_000_000);
  expect((await read('big.png')).text).toContain('the most that can be shown is 3750000');
});

it('reads 2,000 lines at the start of a 1 GB file with little memory and without reading on', async () => {
  const { read, put, folder } = await workbench();
  await put('big.txt', `${'x'.repeat(19)}\n`.repeat(2000));
  await truncate(join(folder, 'big.txt'), 1024 ** 3);
  await read('big.txt', { limit: 10 }); // code is loaded
  const before = process.memoryUsage();
  const answer = await read('big.txt', { limit: 2000 });
  const after = process.memoryUsage();
  expect(shownLines(answer)).toMatchObject({ next: 2001 });
  expect(answer.text.split('\n').at(-1)).toContain('its lines were not counted');
  expect(after.arrayBuffers + after.external - before.arrayBuffers - before.external).toBeLessThan(10 * 1024 * 1024);
});

it('finds lines after a line of 128 MB, and names the length of that line', async () => {
  const { read, put } = await workbench();
  const path = await put('big.txt', 'first\n'.repeat(2000));
  await truncate(path, 128 * 1024 ** 2);
  await appendFile(path, '\nlast\n');
  const before = process.memoryUsage();
  const answer = await read('big.txt', { offset: 2002 });
  expect(answer.text).toContain('2002\tlast\n[Lines 2002-2002 of 2002: the end of the file.]');
  expect(process.memoryUsage().arrayBuffers - before.arrayBuffers).toBeLessThan(10 * 1024 * 1024);
  expect((await read('big.txt', { offset: 2001, limit: 1 })).text).toContain(
    `of a line of ${128 * 1024 ** 2 - 12_000} bytes`,
  );
});

it('continues in a long file from where the last window ended', async () => {
  const { read, put } = await workbench();
  const line = (index: number): string => `line ${index} ${createHash('sha1').update(String(index)).digest('hex')}\n`;
  await put('long.txt', Array.from({ length: 100_000 }, (_, index) => line(index + 1)).join(''));
  const seen: string[] = [];
  let next: number | undefined = 75_000;
  for (let window = 0; window < 3 && next !== undefined; window++) {
    const shown = shownLines(await read('long.txt', { offset: next, limit: 100 }));
    seen.push(...shown.lines);
    next = shown.next;
  }
  expect(seen).toEqual(Array.from({ length: 300 }, (_, index) => line(75_000 + index).trimEnd()));
});

it('stops at once when it is aborted', async () => {
  const { put, call } = await workbench();
  const path = await put('big.txt', 'first\n'.repeat(2000));
  await truncate(path, 1024 ** 3);
  const controller = new AbortController();
  const reading = call('Read', { file_path: 'big.txt', offset: 5000 }, { signal: controller.signal });
  controller.abort(new Error('enough'));
  await expect(reading).rejects.toThrow('enough');
});

it.skipIf(process.platform !== 'linux')('closes every file it opens', async () => {
  const { put, read } = await workbench();
  await put('a.txt', 'x\n');
  await put('b.bin', Buffer.from([0, 1, 2]));
  const openFiles = (): number => readdirSync('/proc/self/fd').length;
  const before = openFiles();
  for (let round = 0; round < 20; round++) {
    await Promise.all([read('a.txt'), read('b.bin'), read('no'), read('a.txt', { offset: 9 })]);
  }
  expect(openFiles()).toBe(before);
});

it(
  'law: windows put together by the reported offsets are the whole file',
  async () => {
    const { put, read } = await workbench();
    const text = fc.array(fc.tuple(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.constantFrom('\n', '\r\n')), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.string({ maxLength: 10 }),
        fc.integer({ min: 1, max: 13 }),
        async (lines, tail, limit) => {
          const content =
            lines.map(([line, ending]) => line.replace(/[\r\n\0]/g, '.') + ending).join('') +
            tail.replace(/[\r\n\0]/g, '.');
          // Lines of control characters would make it no text.
          fc.pre(content !== '' && !/(?![\t\r\n])[\p{Cc}\ufeff]/u.test(content));
          await put('law.txt', content);
          const expected = content.replaceAll('\r\n', '\n').replace(/\n$/, '').split('\n');
          const seen: string[] = [];
          let next: number | undefined = 1;
          while (next !== undefined) {
            expect(next).toBe(seen.length + 1);
            const shown = shownLines(await read('law.txt', { offset: next, limit }));
            seen.push(...shown.lines);
            next = shown.next;
          }
          expect(seen).toEqual(expected);
        },
      ),
      { numRuns: 30 * runs },
    );
  },
  diskBound,
);
