import { execFileSync } from 'node:child_process';
import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { workspaceTools } from '../../src/cli/workspace-tools.ts';
import { createConversation, type ToolContext } from '../../src/index.ts';
import { temporaryFolder } from './temporary-folder.ts';

const context: ToolContext = {
  callId: 'call',
  idempotencyKey: 'key',
  signal: new AbortController().signal,
  turnContext: undefined,
  session: { id: 'session', get: (_, create) => create() },
  conversation: createConversation(),
  progress: () => {},
};

// As the engine does: what does not parse is not run; what is thrown is a failure.
async function call(root: string, name: string, args: unknown): Promise<string> {
  const tool = workspaceTools(root).find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`No tool ${name}.`);
  const parsed = tool.parse(args);
  if (!parsed.ok) return `refused: ${parsed.message}`;
  try {
    const result: unknown = await tool.execute(parsed.args, context);
    return typeof result === 'string' ? result : JSON.stringify(result);
  } catch (error) {
    return `threw: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const files = {
  'b.ts': 'one\ntwo\n',
  'a/deep/c.tsx': 'one\r\ntwo\r\nthree',
  '.hidden/d.md': '',
  'node_modules/x/e.ts': 'no',
  '.git/f.ts': 'no',
  'dist/g.ts': 'no',
  '.gitignore': 'dist/\n*.log\n',
  'picture.png': new Uint8Array([137, 80, 78, 71, 0, 1]),
};

describe('list_files', () => {
  test('lists all files, sorted, without packages, version control and ignored folders', async () => {
    expect(await call(temporaryFolder(files), 'list_files', {})).toBe(
      '.gitignore\n.hidden/d.md\na/deep/c.tsx\nb.ts\npicture.png',
    );
  });

  test.for([
    ['**/*.{ts,tsx}', 'a/deep/c.tsx\nb.ts'],
    ['*.ts', 'b.ts'],
    ['a/**', 'a/deep/c.tsx'],
    ['a/*.tsx', '(no files match)'],
    ['?.ts', 'b.ts'],
    ['**/d.md', '.hidden/d.md'],
    ['b(ts', '(no files match)'],
    ['[', '(no files match)'],
    ['{', '(no files match)'],
  ] as const)('fits files to %s', async ([pattern, expected]) => {
    expect(await call(temporaryFolder(files), 'list_files', { pattern })).toBe(expected);
  });

  test('looks below a folder only', async () => {
    expect(await call(temporaryFolder(files), 'list_files', { path: 'a' })).toBe('a/deep/c.tsx');
  });

  test.for(['..', '/', '../..', 'a/../../'])('refuses to look into %s', async (path) => {
    expect(await call(temporaryFolder(files), 'list_files', { path })).toBe(`threw: ${path} is outside of the folder`);
  });

  test('says what is no folder', async () => {
    expect(await call(temporaryFolder(files), 'list_files', { path: 'b.ts' })).toBe(
      'threw: b.ts is no folder that can be read',
    );
    expect(await call(temporaryFolder(files), 'list_files', { path: 'nope' })).toBe('threw: nope does not exist');
  });

  test('does not follow links', async () => {
    const folder = temporaryFolder({ 'a.ts': '' });
    symlinkSync(temporaryFolder({ 'secret.ts': '' }), join(folder, 'link'));
    symlinkSync(folder, join(folder, 'loop'));
    expect(await call(folder, 'list_files', {})).toBe('a.ts');
  });

  test('goes on behind a folder that cannot be read', async () => {
    const folder = temporaryFolder({ 'a.ts': '', 'shut/b.ts': '' });
    chmodSync(join(folder, 'shut'), 0);
    const listed = await call(folder, 'list_files', {});
    chmodSync(join(folder, 'shut'), 0o700);
    expect(listed).toMatch(/^a\.ts/); // an administrator reads it all the same
  });
});

describe('read_file', () => {
  test('numbers the lines and does not count what follows the last line end', async () => {
    expect(await call(temporaryFolder(files), 'read_file', { file_path: 'b.ts' })).toBe('     1\tone\n     2\ttwo');
  });

  test('reads a part and says of how much', async () => {
    const folder = temporaryFolder(files);
    expect(await call(folder, 'read_file', { file_path: 'a/deep/c.tsx', offset: 2, limit: 1 })).toBe(
      '     2\ttwo\n(lines 2 to 2 of 3)',
    );
    expect(await call(folder, 'read_file', { file_path: 'b.ts', offset: 3 })).toContain(
      'b.ts has 2 lines; offset 3 is outside of them',
    );
  });

  test('says what is empty, binary, missing, a folder, too large, a pipe or outside', async () => {
    const folder = temporaryFolder({ ...files, 'large.txt': 'x'.repeat(4 * 1024 * 1024 + 1) });
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    symlinkSync(join(temporaryFolder({ secret: 'secret' }), 'secret'), join(folder, 'link'));
    const reading = (path: string) => call(folder, 'read_file', { file_path: path });
    expect(await reading('.hidden/d.md')).toBe('(.hidden/d.md is empty)');
    expect(await reading('picture.png')).toBe('threw: picture.png is a binary file; only text can be read');
    expect(await reading('nope')).toBe('threw: nope does not exist');
    expect(await reading('a')).toBe('threw: a is a folder');
    expect(await reading('large.txt')).toBe('threw: large.txt has 4,194,305 bytes; at most 4,194,304 can be read');
    expect(await reading('pipe')).toBe('threw: pipe is no regular file');
    expect(await reading('link')).toBe('threw: link is outside of the folder');
    expect(await reading('/etc/passwd')).toBe('threw: /etc/passwd is outside of the folder');
    expect(await reading('b.ts\0.png')).toBe('threw: b.ts\0.png does not exist');
  });

  test('refuses arguments of another shape', async () => {
    const folder = temporaryFolder(files);
    expect(await call(folder, 'read_file', {})).toMatch(/^refused: .*file_path/s);
    expect(await call(folder, 'read_file', { file_path: 7 })).toMatch(/^refused: .*file_path/s);
  });
});

describe('search_text', () => {
  test('finds a text as it stands, in text files only', async () => {
    const folder = temporaryFolder({
      'a.txt': 'x\n  a.*b  \n',
      'b/c.txt': 'a.*b',
      'd.txt': 'aXXb',
      'e.bin': new Uint8Array([0, 97]),
    });
    expect(await call(folder, 'search_text', { text: 'a.*b' })).toBe('a.txt:2: a.*b\nb/c.txt:1: a.*b');
    expect(await call(folder, 'search_text', { text: 'a.*b', path: 'b' })).toBe('b/c.txt:1: a.*b');
    expect(await call(folder, 'search_text', { text: 'a.*b', glob: 'a.*' })).toBe('a.txt:2: a.*b');
    expect(await call(folder, 'search_text', { text: 'zzz' })).toBe('(no match)');
  });

  test('stops after 200 matches and says so', async () => {
    const found = (await call(temporaryFolder({ 'a.txt': 'x\n'.repeat(300) }), 'search_text', { text: 'x' })).split(
      '\n',
    );
    expect(found).toHaveLength(201);
    expect(found.at(-1)).toBe('(the first 200 matches; there are more)');
  });
});

describe('count_lines', () => {
  test('counts the lines of text files, longest first, and says what it skipped', async () => {
    expect(await call(temporaryFolder(files), 'count_lines', {})).toBe(
      '      3 a/deep/c.tsx\n      2 .gitignore\n      2 b.ts\n      0 .hidden/d.md\n(7 lines in 4 files; 1 skipped: not text or too large)',
    );
  });
});
