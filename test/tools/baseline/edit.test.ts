import { appendFile, chmod, mkdir, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { newContext, newSession, workbench, type Answer, type Workbench } from './workbench.ts';

async function edit(bench: Workbench, before: string | Buffer, args: object): Promise<Answer> {
  await bench.put('a.txt', before);
  await bench.read('a.txt');
  return await bench.call('Edit', { file_path: 'a.txt', ...args });
}

it('replaces the one occurrence and answers with the difference', async () => {
  const bench = await workbench();
  const answer = await edit(bench, 'one\ntwo\nthree\n', { old_string: 'two', new_string: 'TWO' });
  expect(answer.text).toBe('Edited a.txt: 1 replacement (+1 -1 lines).\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three');
  expect(await bench.text('a.txt')).toBe('one\nTWO\nthree\n');
});

it('names the lines of several occurrences and changes nothing', async () => {
  const bench = await workbench();
  const answer = await edit(bench, 'x\ny\nx\n', { old_string: 'x', new_string: 'z' });
  expect(answer.isError).toBe(true);
  expect(answer.text).toContain('occurs 2 times, at lines 1, 3.');
  expect(await bench.text('a.txt')).toBe('x\ny\nx\n');
});

it('counts occurrences that overlap as several', async () => {
  const answer = await edit(await workbench(), 'aaa', { old_string: 'aa', new_string: 'b' });
  expect(answer.text).toContain('occurs 2 times');
});

it('counts no more than a thousand occurrences where one would be right', async () => {
  const answer = await edit(await workbench(), 'x'.repeat(3000), { old_string: 'x', new_string: 'y' });
  expect(answer.text).toContain('occurs at least 1000 times, at lines 1, ');
});

it('names few of many places that match but for their white space', async () => {
  const answer = await edit(await workbench(), '}\n'.repeat(3000), { old_string: '}  ', new_string: ']' });
  expect(answer).toMatchObject({ isError: true });
  expect(answer.text).toContain('it occurs at least 1000 times, at lines 1, 2, 3, ');
  expect(answer.text).toContain(' and 980 more.');
});

it('replaces every occurrence with replace_all and says how many', async () => {
  const bench = await workbench();
  const answer = await edit(bench, 'x y x\nx\n', { old_string: 'x', new_string: 'xx', replace_all: true });
  expect(answer.text).toContain('3 replacements');
  expect(await bench.text('a.txt')).toBe('xx y xx\nxx\n');
});

it('refuses replacements that would make a file too large, and counts what they would make', async () => {
  const bench = await workbench();
  const args = { old_string: 'x', new_string: 'y'.repeat(60_000), replace_all: true };
  const answer = await edit(bench, 'x'.repeat(30_000), args);
  expect(answer).toMatchObject({ isError: true });
  expect(answer.text).toContain('All 30000 replacements would make the file 1800000000 characters long');
  expect(await bench.text('a.txt')).toHaveLength(30_000);
});

it.each([
  [{ old_string: 'x', new_string: 'x' }, 'are the same'],
  [{ old_string: 'x\ny', new_string: 'x\r\ny' }, 'differ only in their line ends'],
])('refuses an edit that changes nothing: %j', async (args, words) => {
  const answer = await edit(await workbench(), 'x\ny\n', args);
  expect(answer).toMatchObject({ isError: true, text: expect.stringContaining(words) as string });
});

it('creates a file and its folders from an empty old_string', async () => {
  const bench = await workbench();
  const answer = await bench.call('Edit', { file_path: 'new/folder/a.txt', old_string: '', new_string: 'text\n' });
  expect(answer).toMatchObject({ isError: false, text: 'Created new/folder/a.txt (5 bytes).' });
  expect(await bench.text('new/folder/a.txt')).toBe('text\n');
});

it('fills an empty file from an empty old_string', async () => {
  const bench = await workbench();
  await edit(bench, '', { old_string: '', new_string: 'text\n' });
  expect(await bench.text('a.txt')).toBe('text\n');
});

it('refuses an empty old_string for a file with content', async () => {
  const answer = await edit(await workbench(), 'x', { old_string: '', new_string: 'y' });
  expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('only for new files') as string });
});

it('says how to create a file that does not exist', async () => {
  const answer = await (await workbench()).call('Edit', { file_path: 'no.txt', old_string: 'x', new_string: 'y' });
  expect(answer).toMatchObject({
    isError: true,
    text: 'no.txt does not exist. To create a file use Write, or Edit with an empty old_string.',
  });
});

it('refuses a file that was not read, and says what to do', async () => {
  const bench = await workbench();
  await bench.put('a.txt', 'x');
  const answer = await bench.call('Edit', { file_path: 'a.txt', old_string: 'x', new_string: 'y' });
  expect(answer).toMatchObject({
    isError: true,
    text: 'a.txt exists and was not read in this conversation. Read it first, then repeat the call.',
  });
});

it('does not count what another conversation has read', async () => {
  const bench = await workbench();
  await bench.put('a.txt', 'x');
  await bench.read('a.txt');
  const answer = await bench.call(
    'Edit',
    { file_path: 'a.txt', old_string: 'x', new_string: 'y' },
    { session: newSession() },
  );
  expect(answer.isError).toBe(true);
});

it('edits without a read where readBeforeEdit is off', async () => {
  const bench = await workbench({ readBeforeEdit: false });
  await bench.put('a.txt', 'x');
  expect(await bench.call('Edit', { file_path: 'a.txt', old_string: 'x', new_string: 'y' })).toMatchObject({
    isError: false,
  });
});

it('refuses a file that was changed since it was read', async () => {
  const bench = await workbench();
  await bench.put('a.txt', 'x\n');
  await bench.read('a.txt');
  await appendFile(join(bench.folder, 'a.txt'), 'more\n');
  const answer = await bench.call('Edit', { file_path: 'a.txt', old_string: 'x', new_string: 'y' });
  expect(answer).toMatchObject({
    isError: true,
    text: expect.stringContaining('was changed since it was last read') as string,
  });
  expect(await bench.text('a.txt')).toBe('x\nmore\n');
});

it('notices a change of the same size within the same clock tick', async () => {
  const bench = await workbench();
  const path = await bench.put('a.txt', 'x1\n');
  await utimes(path, 1, 1);
  await bench.read('a.txt');
  await writeFile(path, 'x2\n');
  await utimes(path, 1, 1);
  const answer = await bench.call('Edit', { file_path: 'a.txt', old_string: 'x', new_string: 'y' });
  expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('was changed since') as string });
});

it('takes a file that was only touched as unchanged', async () => {
  const bench = await workbench();
  const path = await bench.put('a.txt', 'x\n');
  await bench.read('a.txt');
  await utimes(path, 1, 1);
  expect(await bench.call('Edit', { file_path: 'a.txt', old_string: 'x', new_string: 'y' })).toMatchObject({
    isError: false,
  });
});

it('continues editing after its own edits without another read', async () => {
  const bench = await workbench();
  await edit(bench, 'a b c', { old_string: 'a', new_string: '1' });
  await bench.call('Edit', { file_path: 'a.txt', old_string: 'b', new_string: '2' });
  expect(await bench.text('a.txt')).toBe('1 2 c');
});

it('counts a link and its target as one file for the ledger', async () => {
  const bench = await workbench();
  await bench.put('a.txt', 'x');
  await symlink('a.txt', join(bench.folder, 'link'));
  await bench.read('link');
  expect(await bench.call('Edit', { file_path: 'a.txt', old_string: 'x', new_string: 'y' })).toMatchObject({
    isError: false,
  });
});

it('refuses binary files', async () => {
  const bench = await workbench({ readBeforeEdit: false });
  await bench.put('a.txt', Buffer.from([0, 1, 2]));
  const answer = await bench.call('Edit', { file_path: 'a.txt', old_string: 'x', new_string: 'y' });
  expect(answer).toMatchObject({ isError: true, text: 'a.txt is not a text file; Edit only changes text.' });
});

it('refuses a folder', async () => {
  const bench = await workbench();
  await mkdir(join(bench.folder, 'src'));
  expect(await bench.call('Edit', { file_path: 'src', old_string: 'x', new_string: 'y' })).toMatchObject({
    isError: true,
    text: 'src is a folder, not a file.',
  });
});

it('refuses a write-protected file', async () => {
  const bench = await workbench();
  const path = await bench.put('a.txt', 'x');
  await chmod(path, 0o444);
  await bench.read('a.txt');
  const answer = await bench.call('Edit', { file_path: 'a.txt', old_string: 'x', new_string: 'y' });
  expect(answer).toMatchObject({
    isError: true,
    text: 'a.txt was not changed: it is write-protected (no write permission in its mode).',
  });
  expect((await stat(path)).mode & 0o777).toBe(0o444);
});

it('reports the nearest text when nothing matches, and changes nothing', async () => {
  const bench = await workbench();
  const answer = await edit(bench, 'function add(a, b) {\n  return a + b;\n}\n', {
    old_string: 'function add(a, b) {\n  return a - b;\n}',
    new_string: 'x',
  });
  expect(answer.isError).toBe(true);
  expect(answer.text).toBe(
    [
      'a.txt: old_string was not found. Nothing was changed.',
      'The nearest text is at lines 1-3. It differs like this (- is old_string, + is the file):',
      ' function add(a, b) {',
      '-  return a - b;',
      '+  return a + b;',
      ' }',
      'Copy the text exactly as the file has it and try again.',
    ].join('\n'),
  );
  expect(await bench.text('a.txt')).toBe('function add(a, b) {\n  return a + b;\n}\n');
});

it('finds the nearest line by likeness when no line is the same', async () => {
  const answer = await edit(await workbench(), 'alpha\nconst veryLongName = compute(1);\nomega\n', {
    old_string: 'const veryLongNam = compute(2);',
    new_string: 'x',
  });
  expect(answer.text).toContain('The nearest text is at line 2.');
});

it('says so when nothing is similar', async () => {
  const answer = await edit(await workbench(), 'alpha\n', { old_string: 'zzzzzzzz qqqq', new_string: 'x' });
  expect(answer.text).toContain('Nothing in the file is similar.');
});

it('points out line numbers copied from Read', async () => {
  const answer = await edit(await workbench(), 'alpha\nbeta\n', { old_string: '1\talpha\n2\tbeta', new_string: 'x' });
  expect(answer.text).toContain('line numbers');
});

it('points out that the new text is already there', async () => {
  const answer = await edit(await workbench(), 'const answer = 42;\n', {
    old_string: 'const answer = 41;',
    new_string: 'const answer = 42;',
  });
  expect(answer.text).toContain('new_string is already in the file');
});

it('never edits by similarity', async () => {
  const bench = await workbench();
  const text = 'start\n  completely();\n  different();\nend\n';
  expect((await edit(bench, text, { old_string: 'start\n  some();\n  thing();\nend', new_string: 'x' })).isError).toBe(
    true,
  );
  expect(await bench.text('a.txt')).toBe(text);
});

it('matches but for trailing whitespace, keeps it in lines that stay, and says so', async () => {
  const bench = await workbench();
  const answer = await edit(bench, 'a  \nb\t\nc\n', { old_string: 'a\nb\n', new_string: 'a\nB\n' });
  expect(answer.text).toContain('matched but for trailing whitespace');
  expect(await bench.text('a.txt')).toBe('a  \nB\nc\n');
});

it('matches but for typographic quotes and keeps those of the text that stays', async () => {
  const bench = await workbench();
  const answer = await edit(bench, 'He said “hello” — twice\n', {
    old_string: 'said "hello" - twice',
    new_string: 'said "hello" - thrice',
  });
  expect(answer.text).toContain('matched but for typographic');
  expect(await bench.text('a.txt')).toBe('He said “hello” — thrice\n');
});

it.each([
  [
    'deeper',
    'if (x) {\n    a();\n      b();\n}\n',
    'a();\n  b();\n',
    'a();\n  c();\n  b();\n',
    'if (x) {\n    a();\n      c();\n      b();\n}\n',
  ],
  ['less deep', 'a();\n  b();\n', '    a();\n      b();\n', '    a();\n      c();\n', 'a();\n  c();\n'],
  ['with tabs', '\t\ta();\n\t\t\tb();\n', '\ta();\n\t\tb();\n', '\ta();\n\t\tc();\n', '\t\ta();\n\t\t\tc();\n'],
])('matches with one uniform indentation shift: %s', async (_, before, oldText, newText, after) => {
  const bench = await workbench();
  const answer = await edit(bench, before, { old_string: oldText, new_string: newText });
  expect(answer).toMatchObject({ isError: false });
  expect(await bench.text('a.txt')).toBe(after);
});

it('does not match where the indentation shift is not uniform', async () => {
  const answer = await edit(await workbench(), '  a();\n  b();\n', {
    old_string: '    a();\n   b();\n',
    new_string: 'x',
  });
  expect(answer.isError).toBe(true);
});

it('refuses an inexact match that is not unique', async () => {
  const answer = await edit(await workbench(), 'a  \nb\na  \nb\n', { old_string: 'a\nb\n', new_string: 'x\n' });
  expect(answer).toMatchObject({
    isError: true,
    text: expect.stringContaining('but for trailing whitespace it occurs 2 times, at lines 1, 3') as string,
  });
});

it('keeps CR line ends of a file that has only those', async () => {
  const bench = await workbench();
  await edit(bench, 'a\rb\rc\r', { old_string: 'b\nc', new_string: 'B\nx\nC' });
  expect(await bench.text('a.txt')).toBe('a\rB\rx\rC\r');
});

it('gives lines put into a CRLF file CRLF', async () => {
  const bench = await workbench();
  await edit(bench, 'a\r\nb\r\n', { old_string: 'a', new_string: 'a\nx\ny' });
  expect(await bench.text('a.txt')).toBe('a\r\nx\r\ny\r\nb\r\n');
});

it('previews an edit without making it', async () => {
  const bench = await workbench();
  await bench.put('a.txt', 'x\n');
  await bench.read('a.txt');
  const args = { file_path: 'a.txt', old_string: 'x', new_string: 'y' };
  const preview = await bench.tool('Edit').preview?.(args, newContext({ session: bench.session }));
  expect(preview).toEqual({ type: 'update', path: 'a.txt', diff: '@@ -1,1 +1,1 @@\n-x\n+y', added: 1, removed: 1 });
  expect(await bench.text('a.txt')).toBe('x\n');
});

it('previews an edit that will be refused as what it is', async () => {
  const bench = await workbench();
  await bench.put('a.txt', 'x\n');
  const preview = await bench
    .tool('Edit')
    .preview?.({ file_path: 'a.txt', old_string: 'x', new_string: 'y' }, newContext());
  expect(preview).toMatchObject({
    type: 'refused',
    path: 'a.txt',
    message: expect.stringContaining('was not read') as string,
  });
});
