// In which order what is written reaches the disk: the text before the name, and the name before the save is over. Seen at
// the library's own calls of the file system.

import type * as Promises from 'node:fs/promises';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { createTranscriptWriter } from '../../../src/cli/session/transcript-writer.ts';
import { editTool, readTool, writeTool } from '../../../src/tools/index.ts';
import { callTool, newContext } from '../../tools/baseline/workbench.ts';

const calls = vi.hoisted((): string[] => []);

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof Promises>();
  const open: typeof real.open = async (path, ...rest) => {
    const handle = await real.open(path, ...rest);
    const [sync, write] = [handle.sync.bind(handle), handle.writeFile.bind(handle)];
    handle.sync = async () => {
      await sync();
      calls.push(`sync ${String(path)}`);
    };
    handle.writeFile = async (...given) => {
      await write(...given);
      calls.push(`write ${String(path)}`);
    };
    return handle;
  };
  const rename: typeof real.rename = async (from, to) => {
    await real.rename(from, to);
    calls.push(`rename ${String(from)} ${String(to)}`);
  };
  const link: typeof real.link = async (from, to) => {
    await real.link(from, to);
    calls.push(`link ${String(from)} ${String(to)}`);
  };
  return { ...real, open, rename, link };
});

let folder: string;

async function emptyFolder(): Promise<string> {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'turnchart-test-')));
  calls.length = 0;
  return folder;
}

afterEach(() => rm(folder, { recursive: true, force: true }));

/** The calls by the names of the files; a temporary one is `temp`, the folder `.`. */
const order = () =>
  calls.map((call) =>
    call
      .split(' ')
      .map((word, index) => (index === 0 ? word : named(word)))
      .join(' '),
  );
function named(path: string): string {
  const name = basename(path);
  if (name.endsWith('.tmp')) return 'temp';
  return name === basename(folder) ? '.' : name;
}

test('a session is written to a temporary file, synced, renamed, and its folder is synced', async () => {
  const path = join(await emptyFolder(), 'session.json');
  const faults: unknown[] = [];
  const writer = createTranscriptWriter({ path, text: () => 'text', onFault: (fault) => faults.push(fault) });
  await writer.save();
  expect(faults).toEqual([]);
  expect(order()).toEqual(['write temp', 'sync temp', 'rename temp session.json', 'sync .']);
});

test('Write syncs the text of a new file before it gets its name, and the folder after', async () => {
  const cwd = await emptyFolder();
  await callTool(writeTool({ cwd }), { file_path: 'a.txt', content: 'new' }, newContext());
  expect(order()).toEqual(['write temp', 'sync temp', 'link temp a.txt', 'sync .']);
});

test('Edit syncs the new text before it takes the place of the old one, and the folder after', async () => {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, 'a.txt'), 'old');
  const context = newContext();
  await callTool(readTool({ cwd }), { file_path: 'a.txt' }, context);
  calls.length = 0;
  await callTool(editTool({ cwd }), { file_path: 'a.txt', old_string: 'old', new_string: 'new' }, context);
  expect(order()).toEqual(['write temp', 'sync temp', 'rename temp a.txt', 'sync .']);
});
