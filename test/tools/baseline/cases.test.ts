// Bug cases from public trackers, by number and source.

import { symlink } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { cutToBytes, cutToUnits } from '../../../src/tools/baseline/cut-text.ts';
import { shownLines, workbench, type Workbench } from './workbench.ts';

async function edited(bench: Workbench, before: string | Buffer, edit: object): Promise<Buffer> {
  await bench.put('a.txt', before);
  await bench.read('a.txt');
  const answer = await bench.call('Edit', { file_path: 'a.txt', ...edit });
  expect(answer).toMatchObject({ isError: false });
  return await bench.bytes('a.txt');
}

// Case 19: anomalyco/opencode#45892, modelcontextprotocol/servers#4157, microsoft/vscode#323167
it.each([false, true])('case 19: dollar patterns in the new text are literal (replace_all %s)', async (replaceAll) => {
  const bytes = await edited(await workbench(), 'log("done");\n', {
    old_string: 'log("done");',
    new_string: 'log("$& ok $$ $\' $` $1");',
    replace_all: replaceAll,
  });
  expect(bytes.toString()).toBe('log("$& ok $$ $\' $` $1");\n');
});

// Case 20: earendil-works/pi#355, QwenLM/qwen-code#2474
it.each([false, true])(
  'case 20: an LF text matches in a CRLF file and CRLF stays (replace_all %s)',
  async (replaceAll) => {
    const bytes = await edited(await workbench(), 'a\r\nb\r\nc', {
      old_string: 'a\nb',
      new_string: 'A\nB',
      replace_all: replaceAll,
    });
    expect(bytes.toString()).toBe('A\r\nB\r\nc');
  },
);

it('case 20: in a file with mixed line ends untouched lines keep theirs', async () => {
  const bytes = await edited(await workbench(), 'a\nb\r\nc\nd\r\n', { old_string: 'b\nc\n', new_string: 'B\nx\nc\n' });
  expect(bytes.toString()).toBe('a\nB\r\nx\r\nc\nd\r\n');
});

it('case 20: a CRLF text matches in an LF file and LF stays', async () => {
  const bytes = await edited(await workbench(), 'a\nb\nc', { old_string: 'a\r\nb', new_string: 'A\r\nB' });
  expect(bytes.toString()).toBe('A\nB\nc');
});

it('case 20: a CRLF text matches in an LF file wherever it stands', async () => {
  const edit = { old_string: 'a\r\nb', new_string: 'A\r\nB', replace_all: true };
  expect((await edited(await workbench(), 'a\nb\nc\na\nb', edit)).toString()).toBe('A\nB\nc\nA\nB');
});

// Case 21: MoonshotAI/kimi-code#3825, NousResearch/hermes-agent#35278
it('case 21: Read does not show a byte order mark', async () => {
  const bench = await workbench();
  await bench.put('a.txt', '\u{FEFF}hello\n');
  expect(shownLines(await bench.read('a.txt')).lines).toEqual(['hello']);
});

it('case 21: an edit of the first line keeps the byte order mark', async () => {
  const bytes = await edited(await workbench(), '\u{FEFF}hello\n', { old_string: 'hello', new_string: 'hello2' });
  expect(bytes).toEqual(Buffer.from('\u{FEFF}hello2\n'));
});

it.each(['plain\n', '\u{FEFF}plain\n'])(
  'case 21: Write over a file with a mark leaves exactly one (%j)',
  async (content) => {
    const bench = await workbench();
    await bench.put('a.txt', '\u{FEFF}hello\n');
    await bench.read('a.txt');
    expect(await bench.call('Write', { file_path: 'a.txt', content })).toMatchObject({ isError: false });
    expect(await bench.bytes('a.txt')).toEqual(Buffer.from('\u{FEFF}plain\n'));
  },
);

// Case 22: earendil-works/pi#2327, google-gemini/gemini-cli#26731
it.each([
  ['the same path', 'n.txt', 'n.txt'],
  ['a path with a dot', 'n.txt', './n.txt'],
  ['a link', 'link.txt', 'n.txt'],
])('case 22: two edits at once of one file by %s both land', async (_, first, second) => {
  const bench = await workbench();
  await bench.put('n.txt', Array.from({ length: 100 }, (__, index) => `${index + 1}\n`).join(''));
  await symlink('n.txt', join(bench.folder, 'link.txt'));
  await bench.read('n.txt');
  const answers = await Promise.all([
    bench.call('Edit', { file_path: first, old_string: '\n50\n', new_string: '\nFIFTY\n' }),
    bench.call('Edit', { file_path: second, old_string: '\n75\n', new_string: '\nSEVENTY\n' }),
  ]);
  expect(answers.map(({ isError }) => isError)).toEqual([false, false]);
  const lines = (await bench.text('n.txt')).split('\n');
  expect([lines[49], lines[74], lines.length]).toEqual(['FIFTY', 'SEVENTY', 101]);
});

// Case 23: earendil-works/pi#7329
it('case 23: the piece after the last line end is not a line', async () => {
  const bench = await workbench();
  await bench.put('a.txt', 'x\n'.repeat(10));
  expect((await bench.read('a.txt', { limit: 5 })).text).toContain('[Lines 1-5 of 10. Continue with offset=6.]');
  expect(await bench.read('a.txt', { offset: 11 })).toMatchObject({
    isError: true,
    text: 'a.txt has 10 lines: offset 11 is past the end.',
  });
});

it('case 23: a last line without a line end counts', async () => {
  const bench = await workbench();
  await bench.put('a.txt', 'x\nx\ny');
  expect((await bench.read('a.txt')).text).toBe('1\tx\n2\tx\n3\ty\n[The last line has no line end.]');
  expect((await bench.read('a.txt', { offset: 4 })).text).toBe('a.txt has 3 lines: offset 4 is past the end.');
});

it('case 23: an empty file says so', async () => {
  const bench = await workbench();
  await bench.put('a.txt', '');
  expect(await bench.read('a.txt')).toMatchObject({ isError: false, text: 'a.txt is empty (0 bytes).' });
});

// Case 27: anthropics/claude-code#45982, #50019, nanocoai/nanoclaw#889
it('case 27: a cut at any number of characters leaves no half of a pair', () => {
  const tags = '🏷'.repeat(50);
  for (let limit = 0; limit <= 101; limit++) {
    const cut = cutToUnits(tags, limit);
    expect(cut.isWellFormed() && tags.startsWith(cut) && cut.length > limit - 2).toBe(true);
  }
});

it('case 27: a cut at any number of bytes leaves no half of a character', () => {
  const mixed = 'aé€🏷'.repeat(20);
  for (let limit = 0; limit <= 201; limit++) {
    const cut = cutToBytes(mixed, limit);
    expect(cut.isWellFormed() && mixed.startsWith(cut)).toBe(true);
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(limit);
    expect(Buffer.byteLength(cut)).toBeGreaterThan(Math.min(200, limit) - 4);
  }
});

it.each([0, 1])('case 27: Read cuts a line of 5,000 tags between characters (%i in front)', async (shift) => {
  const bench = await workbench();
  await bench.put('a.txt', `${'x'.repeat(shift)}${'🏷'.repeat(5000)}\n`);
  const { text } = await bench.read('a.txt');
  expect(text.isWellFormed()).toBe(true);
  expect(text).not.toContain('\u{FFFD}');
  expect(JSON.parse(JSON.stringify(text))).toBe(text);
});

it('case 27: invalid bytes in a file become U+FFFD', async () => {
  const bench = await workbench();
  await bench.put(
    'a.txt',
    Buffer.concat([Buffer.from('日本 '), Buffer.from([0xff, 0xf0, 0x9f]), Buffer.from(' 語\n')]),
  );
  const { text } = await bench.read('a.txt');
  expect(text.isWellFormed()).toBe(true);
  expect(text).toMatch(/^1\t日本 \u{FFFD}+ 語\n\[Format: encoding UTF-8 with invalid bytes/u);
});

// Case 28: datalayer/jupyter-mcp-server#449 and #338
const oldNotebook = (minor: number): string =>
  JSON.stringify({
    cells: [{ cell_type: 'code', execution_count: 1, metadata: {}, outputs: [], source: ['1'] }],
    metadata: {},
    nbformat: 4,
    nbformat_minor: minor,
  });

it.each([2, 4])('case 28: no cell gets an id in nbformat 4.%i', async (minor) => {
  const bench = await workbench();
  await bench.put('n.ipynb', oldNotebook(minor));
  await bench.read('n.ipynb');
  await bench.call('NotebookEdit', {
    notebook_path: 'n.ipynb',
    edit_mode: 'insert',
    cell_type: 'code',
    new_source: '2',
  });
  await bench.call('NotebookEdit', { notebook_path: 'n.ipynb', cell_id: 'cell-1', new_source: '3' });
  const { cells } = JSON.parse(await bench.text('n.ipynb')) as { cells: { source: string[] }[] };
  expect(cells.map(({ source }) => source)).toEqual([['2'], ['3']]);
  expect(cells.some((cell) => 'id' in cell)).toBe(false);
});

it('case 28: every new or changed cell has an id in nbformat 4.5', async () => {
  const bench = await workbench();
  await bench.put('n.ipynb', oldNotebook(5));
  await bench.read('n.ipynb');
  await bench.call('NotebookEdit', {
    notebook_path: 'n.ipynb',
    edit_mode: 'insert',
    cell_type: 'markdown',
    new_source: '2',
  });
  const idsNow = async (): Promise<unknown[]> =>
    (JSON.parse(await bench.text('n.ipynb')) as { cells: { id?: unknown }[] }).cells.map(({ id }) => id);
  const inserted = await idsNow();
  expect(inserted).toEqual([expect.stringMatching(/^[a-zA-Z0-9_-]{1,64}$/), undefined]);
  await bench.call('NotebookEdit', { notebook_path: 'n.ipynb', cell_id: 'cell-1', new_source: '3' });
  expect(await idsNow()).toEqual([inserted[0], expect.stringMatching(/^[a-zA-Z0-9_-]{1,64}$/)]);
});
