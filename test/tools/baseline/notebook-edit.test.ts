import fc from 'fast-check';
import { expect, it } from 'vitest';

import { editNotebook, type NotebookChange } from '../../../src/tools/baseline/edit-notebook.ts';
import { minors, notebookFaults } from './notebook-schema.ts';
import { shownLines, workbench } from './workbench.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

type Cell = { readonly [key: string]: unknown };

const cells: readonly Cell[] = [
  { cell_type: 'markdown', id: 'intro', metadata: {}, source: ['# Title\n', 'text'] },
  {
    cell_type: 'code',
    execution_count: 3,
    id: 'sum',
    metadata: { tags: ['keep', 'me'] },
    outputs: [{ data: { 'text/plain': ['3'] }, execution_count: 3, metadata: {}, output_type: 'execute_result' }],
    source: ['1 + 2'],
  },
  { cell_type: 'code', execution_count: null, id: 'last', metadata: {}, outputs: [], source: '"one string"' },
];
const notebook = (minor: number, list: readonly Cell[] = cells): object => ({
  cells: minor >= 5 ? list : list.map(({ id: _, ...cell }) => cell),
  metadata: { language_info: { name: 'python' } },
  nbformat: 4,
  nbformat_minor: minor,
});
/** As nbformat writes files. */
const onDisk = (value: object): string => `${JSON.stringify(value, null, 1)}\n`;

function edited(text: string, change: Partial<NotebookChange>): string {
  const outcome = editNotebook(text, { mode: 'replace', source: '', ...change });
  if (outcome.type === 'refused') throw new Error(outcome.message);
  return outcome.text;
}
const parsedCells = (text: string): Cell[] => (JSON.parse(text) as { cells: Cell[] }).cells;

it('replaces a source, clears the outputs and leaves the rest byte for byte', () => {
  const text = onDisk(notebook(5));
  const result = edited(text, { cellId: 'sum', source: 'a = 1\nb = 2' });
  const expected = onDisk(
    notebook(
      5,
      cells.map((cell) =>
        cell['id'] === 'sum' ? { ...cell, execution_count: null, outputs: [], source: ['a = 1\n', 'b = 2'] } : cell,
      ),
    ),
  );
  expect(result).toBe(expected);
});

it.each(minors)('the schema of nbformat 4.%i takes a notebook, and finds what is wrong with one', (minor) => {
  const cell = { cell_type: 'code', metadata: {}, source: 'x', outputs: [], execution_count: null };
  const id = minor >= 5 ? { id: 'a' } : {};
  const faultsOf = (more: object) => notebookFaults(notebook(minor, [{ ...cell, ...id, ...more }]), minor);
  const result = (data: object) => ({ output_type: 'execute_result', execution_count: 1, metadata: {}, data });
  expect(notebookFaults(notebook(minor), minor)).toEqual([]);
  expect(faultsOf({ outputs: [result({ 'text/plain': ['1'], 'application/json': { any: 1 } })] })).toEqual([]);
  const wrong: readonly object[] = [
    { source: 5 },
    { execution_count: 'one' },
    { metadata: { tags: 'one' } },
    { metadata: { name: '' } },
    { cell_type: 'poem' },
    { outputs: [{ output_type: 'whisper' }] },
    { outputs: [result({ 'text/plain': { any: 1 } })] },
    { more: 1 },
    ...(minor >= 5 ? [{ id: 'a b' }, { id: 'a'.repeat(65) }, { id: undefined }] : []),
  ];
  const passed = wrong.filter((more) => faultsOf(more).length === 0);
  expect(passed).toEqual([]);
});

it('keeps a source that is one string one string', () => {
  const result = edited(onDisk(notebook(5)), { cellId: 'last', source: 'x\ny' });
  expect(parsedCells(result)[2]).toMatchObject({ source: 'x\ny' });
});

it.each([
  ['at the top', {}, ['new', 'intro', 'sum', 'last']],
  ['behind a cell', { cellId: 'sum' }, ['intro', 'sum', 'new', 'last']],
  ['behind the last cell', { cellId: 'last' }, ['intro', 'sum', 'last', 'new']],
])('inserts %s as nbformat would write it', (_, where, order) => {
  const result = edited(onDisk(notebook(5)), { mode: 'insert', cellType: 'code', source: 'x', ...where });
  const list = parsedCells(result);
  expect(list.map(({ id }) => (['intro', 'sum', 'last'].includes(String(id)) ? id : 'new'))).toEqual(order);
  expect(result).toBe(onDisk(notebook(5, list)));
});

it.each(['intro', 'sum', 'last'])('deletes %s and nothing else', (id) => {
  const result = edited(onDisk(notebook(5)), { mode: 'delete', cellId: id });
  expect(result).toBe(
    onDisk(
      notebook(
        5,
        cells.filter((cell) => cell['id'] !== id),
      ),
    ),
  );
});

it('deletes the only cell', () => {
  expect(edited(onDisk(notebook(5, cells.slice(0, 1))), { mode: 'delete', cellId: 'intro' })).toBe(
    onDisk(notebook(5, [])),
  );
});

it('inserts into a notebook without cells', () => {
  const result = edited(onDisk(notebook(4, [])), { mode: 'insert', cellType: 'markdown', source: 'hi' });
  expect(result).toBe(onDisk(notebook(4, [{ cell_type: 'markdown', metadata: {}, source: ['hi'] }])));
});

it('turns code into markdown without outputs and back with empty ones', () => {
  const markdown = edited(onDisk(notebook(5)), { cellId: 'sum', cellType: 'markdown', source: 'text' });
  expect(markdown).toBe(
    onDisk(
      notebook(
        5,
        cells.map((cell) =>
          cell['id'] === 'sum'
            ? { cell_type: 'markdown', id: 'sum', metadata: { tags: ['keep', 'me'] }, source: ['text'] }
            : cell,
        ),
      ),
    ),
  );
  const code = edited(markdown, { cellId: 'sum', cellType: 'code', source: '1' });
  expect(parsedCells(code)[1]).toEqual({
    cell_type: 'code',
    execution_count: null,
    id: 'sum',
    metadata: { tags: ['keep', 'me'] },
    outputs: [],
    source: ['1'],
  });
});

it('keeps the style of a notebook on one line', () => {
  const text = JSON.stringify(notebook(4));
  expect(edited(text, { cellId: '0', source: 'x' })).toBe(text.replace('["# Title\\n","text"]', '["x"]'));
});

it('keeps CRLF, four spaces and ASCII escapes', () => {
  const text = JSON.stringify(
    notebook(5, [{ cell_type: 'markdown', id: 'a', metadata: {}, source: ['K\u00f6ln'] }]),
    null,
    4,
  )
    .replace('ö', '\\u00f6')
    .replaceAll('\n', '\r\n');
  const result = edited(text, { mode: 'insert', cellId: 'a', cellType: 'markdown', source: 'Z\u00fcrich 🏷' });
  expect(result.replaceAll('\r\n', '')).not.toContain('\n');
  expect(result).toContain('            "source": [\r\n                "Z\\u00fcrich \\ud83c\\udff7"\r\n            ]');
  expect(parsedCells(result)[1]).toMatchObject({ source: ['Zürich 🏷'] });
});

it.each([
  ['an escaped control character', '\u0001'],
  ['a backslash and a u', '\\u00fc'],
])('does not take %s for ASCII escapes', (_, source) => {
  const text = onDisk(notebook(5, [{ cell_type: 'markdown', id: 'a', metadata: {}, source: [source] }]));
  expect(edited(text, { mode: 'insert', cellType: 'markdown', source: 'Zürich' })).toContain('"Zürich"');
});

it.each([
  ['an unknown cell', { cellId: 'no' }, 'There is no cell no. The cells are intro, sum, last.'],
  ['a replace without a cell', {}, 'edit_mode replace needs a cell_id.'],
  ['a delete without a cell', { mode: 'delete' }, 'edit_mode delete needs a cell_id.'],
  ['an insert without a type', { mode: 'insert' }, 'edit_mode insert needs a cell_type'],
] as const)('refuses %s', (_, change, message) => {
  const outcome = editNotebook(onDisk(notebook(5)), { mode: 'replace', source: 'x', ...change });
  expect(outcome).toMatchObject({ type: 'refused', message: expect.stringContaining(message) as string });
});

it('refuses an id that two cells have and names the way out', () => {
  const double = [cells[0] ?? {}, cells[0] ?? {}];
  const outcome = editNotebook(onDisk(notebook(5, double)), { mode: 'replace', source: 'x', cellId: 'intro' });
  expect(outcome).toMatchObject({
    type: 'refused',
    message: '2 cells have the id intro: use cell-0 or cell-1 instead.',
  });
});

it.each([
  ['no JSON', '{', 'it is not valid JSON'],
  ['nbformat 3', '{"nbformat":3,"worksheets":[]}', 'only nbformat 4 is understood'],
  ['no notebook', '{}', 'it has no nbformat number'],
  ['no cells', '{"nbformat":4}', 'it has no list of cells'],
  ['odd cells', '{"nbformat":4,"cells":[1]}', 'cell 0 has no known cell_type'],
])('refuses a file that is not a notebook: %s', (_, text, message) => {
  expect(editNotebook(text, { mode: 'delete', source: '', cellId: '0' })).toMatchObject({
    message: expect.stringContaining(message) as string,
  });
});

it('law: any chain of edits keeps a notebook valid and every untouched cell byte for byte', () => {
  const change = fc.record({
    mode: fc.constantFrom('replace', 'insert', 'delete'),
    at: fc.nat(9),
    source: fc.string({ unit: 'binary', maxLength: 20 }),
    cellType: fc.constantFrom('code', 'markdown', 'raw'),
  });
  fc.assert(
    fc.property(
      fc.constantFrom(...minors),
      fc.constantFrom<string | number>(1, 2, '\t', 0),
      fc.array(change, { maxLength: 8 }),
      (minor, indent, changes) => {
        let text = JSON.stringify(notebook(minor), null, indent);
        for (const { mode, at, source, cellType } of changes) {
          const before = parsedCells(text);
          const index = before.length === 0 ? undefined : at % before.length;
          if (index === undefined && mode !== 'insert') continue;
          const outcome = editNotebook(text, {
            mode,
            source,
            cellType,
            ...(index === undefined ? {} : { cellId: `cell-${index}` }),
          });
          if (outcome.type !== 'edited') throw new Error(outcome.message);
          text = outcome.text;
          const after = parsedCells(text);
          const untouched = before.filter((_, position) => mode === 'insert' || position !== index);
          const kept =
            mode === 'insert'
              ? after.toSpliced(index === undefined ? 0 : index + 1, 1)
              : mode === 'delete'
                ? after
                : after.toSpliced(index ?? 0, 1);
          expect(kept).toEqual(untouched);
        }
        expect(notebookFaults(JSON.parse(text), minor)).toEqual([]);
        // Written by the same rules throughout: nothing but what a JSON writer would give.
        expect(text).toBe(JSON.stringify(JSON.parse(text), null, indent));
      },
    ),
    { numRuns: 150 * runs },
  );
});

it('edits a notebook file that was read, under its lock and with a preview', async () => {
  const bench = await workbench();
  await bench.put('n.ipynb', onDisk(notebook(5)));
  const args = { notebook_path: 'n.ipynb', cell_id: 'sum', new_source: '2 + 2' };
  expect(await bench.call('NotebookEdit', args)).toMatchObject({
    isError: true,
    text: expect.stringContaining('Read it first') as string,
  });
  await bench.read('n.ipynb');
  expect(await bench.call('NotebookEdit', args)).toMatchObject({
    isError: false,
    text: 'Replaced the source of sum (code) and cleared its outputs.',
  });
  expect(parsedCells(await bench.text('n.ipynb'))[1]).toMatchObject({ source: ['2 + 2'], outputs: [] });
});

it('needs a notebook that exists, a .ipynb name, and a source', async () => {
  const bench = await workbench({ readBeforeEdit: false });
  await bench.put('a.txt', '{}');
  await bench.put('n.ipynb', onDisk(notebook(5)));
  const message = async (args: object): Promise<string> =>
    (await bench.call('NotebookEdit', { new_source: 'x', ...args })).text;
  expect(await message({ notebook_path: 'no.ipynb' })).toContain('no.ipynb does not exist.');
  expect(await message({ notebook_path: 'a.txt' })).toBe('a.txt is not a notebook (.ipynb): use Edit.');
  expect(await message({ notebook_path: 'n.ipynb', cell_id: 'sum', new_source: null })).toBe(
    'edit_mode replace needs new_source.',
  );
});

it('shows a notebook cell by cell with ids, outputs and pictures', async () => {
  const bench = await workbench();
  const outputs = [
    { output_type: 'stream', name: 'stdout', text: ['\u001b[31mred\u001b[0m\n'] },
    { output_type: 'display_data', metadata: {}, data: { 'image/png': 'iVBORw0KGgo=\n', 'text/html': '<b>x</b>' } },
    { output_type: 'error', ename: 'ValueError', evalue: 'bad', traceback: [] },
  ];
  await bench.put('n.ipynb', onDisk(notebook(4, [cells[0] ?? {}, { ...cells[1], outputs }])));
  const { content } = await bench.read('n.ipynb');
  expect(content).toEqual([
    {
      type: 'text',
      text: [
        '<cell id="cell-0" type="markdown">\n# Title\ntext\n</cell>',
        '<cell id="cell-1" type="code" language="python" execution_count="3">\n1 + 2\n</cell>',
        '<output name="stdout">\nred\n</output>',
      ].join('\n'),
    },
    { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'iVBORw0KGgo=' } },
    {
      type: 'text',
      text: '[output not shown: text/html (8 characters)]\n<output name="error">\nValueError: bad\n</output>',
    },
  ]);
});

it('shortens large outputs and says by how much', async () => {
  const bench = await workbench();
  await bench.put(
    'n.ipynb',
    onDisk(
      notebook(5, [{ ...cells[1], outputs: [{ output_type: 'stream', name: 'stdout', text: 'x'.repeat(100_000) }] }]),
    ),
  );
  const { text } = await bench.read('n.ipynb');
  expect(text.length).toBeLessThan(5000);
  expect(text).toContain('of 100000 bytes left out');
});

it('shows a window of cells', async () => {
  const bench = await workbench();
  await bench.put('n.ipynb', onDisk(notebook(5)));
  const answer = await bench.read('n.ipynb', { offset: 2, limit: 1 });
  expect(answer.text).toContain('<cell id="sum"');
  expect(answer.text).toContain('[Cells 2-2 of 3. Continue with offset=3.]');
  expect(await bench.read('n.ipynb', { offset: 4 })).toMatchObject({
    isError: true,
    text: 'n.ipynb has 3 cells: offset 4 is past the end.',
  });
});

it('shows a broken notebook as text and says why', async () => {
  const bench = await workbench();
  await bench.put('n.ipynb', '{"nbformat": 4,\n');
  const answer = await bench.read('n.ipynb');
  expect(shownLines(answer).lines).toEqual(['{"nbformat": 4,']);
  expect(answer.text).toContain('[Shown as plain text: it is not valid JSON');
});

it('refuses a cell that has a field twice, of which only one would be replaced', async () => {
  const text =
    '{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[{"cell_type":"raw","id":"a","metadata":{},"source":"x","source":"y"}]}';
  const bench = await workbench();
  await bench.put('n.ipynb', text);
  await bench.read('n.ipynb');
  const answer = await bench.call('NotebookEdit', { notebook_path: 'n.ipynb', cell_id: 'a', new_source: 'z' });
  expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('the field source twice') as string });
  expect(await bench.text('n.ipynb')).toBe(text);
});

it('refuses a notebook that is nested too deeply', () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  const text = `{"nbformat":4,"nbformat_minor":5,"metadata":{"deep":${deep}},"cells":[]}`;
  expect(editNotebook(text, { mode: 'insert', source: 'x', cellType: 'raw' })).toMatchObject({ type: 'refused' });
});

it('takes an empty cell_id for none', async () => {
  const bench = await workbench();
  await bench.put('n.ipynb', '{"nbformat":4,"nbformat_minor":4,"metadata":{},"cells":[]}');
  await bench.read('n.ipynb');
  const args = { notebook_path: 'n.ipynb', cell_id: '', cell_type: 'raw', new_source: 'x', edit_mode: 'insert' };
  expect(await bench.call('NotebookEdit', args)).toMatchObject({ isError: false });
});
