// A file that is swapped in the very moments between looking at it and opening it. The moments are made here: the
// library's own calls of the file system do the swap.

import type * as Promises from 'node:fs/promises';
import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { openFile } from '../../../src/tools/baseline/open-file.ts';
import { replaceFile } from '../../../src/tools/baseline/replace-file.ts';
import { createWorkspace } from '../../../src/tools/baseline/workspace.ts';
import { temporaryFolder } from './workbench.ts';

const moments = vi.hoisted(() => ({
  beforeOpen: undefined as ((path: string) => Promise<void>) | undefined,
  afterOpen: undefined as ((path: string) => Promise<void>) | undefined,
  hasProc: true,
}));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof Promises>();
  const open: typeof real.open = async (path, ...rest) => {
    await moments.beforeOpen?.(String(path));
    const handle = await real.open(path, ...rest);
    await moments.afterOpen?.(String(path));
    return handle;
  };
  const readlink = async (path: string) => {
    if (!moments.hasProc && path.startsWith('/proc/')) throw Object.assign(new Error('no /proc'), { code: 'ENOENT' });
    return real.readlink(path);
  };
  return { ...real, open, readlink };
});

afterEach(() => Object.assign(moments, { beforeOpen: undefined, afterOpen: undefined, hasProc: true }));

const secret = 'SECRET-OUTSIDE';

/** A root `repo` with `src/a.txt`, and a file and a folder of the same names outside of it. */
async function place() {
  const top = await temporaryFolder();
  const root = join(top, 'repo');
  const outside = join(top, 'outside');
  for (const folder of [join(root, 'src'), outside]) await mkdir(folder, { recursive: true });
  await writeFile(join(root, 'src', 'a.txt'), 'mine');
  await writeFile(join(outside, 'a.txt'), secret);
  const workspace = createWorkspace({ cwd: root });
  /** What is read under the name, or why nothing is. */
  const read = async (): Promise<string> => {
    const opened = await openFile(workspace, 'src/a.txt', 'read');
    if (opened.type !== 'file') return opened.type === 'refused' ? opened.message : opened.type;
    await using handle = opened.handle;
    return handle.readFile('utf8');
  };
  return { top, root, outside, read };
}

/** Does it at the first call only: another program that did it once. */
function once(act: () => Promise<void>): () => Promise<void> {
  let isDone = false;
  return async () => {
    if (isDone) return;
    isDone = true;
    await act();
  };
}

describe.each([true, false])('openFile (the kernel knows the path of a handle: %s)', (hasProc) => {
  it('opens again what another file took the place of in between, and reads that one', async () => {
    const { top, root, read } = await place();
    moments.hasProc = hasProc;
    await writeFile(join(top, 'new.txt'), 'new');
    const opened: string[] = [];
    const swap = once(() => rename(join(top, 'new.txt'), join(root, 'src', 'a.txt')));
    moments.beforeOpen = async (path) => {
      opened.push(path);
      await swap();
    };
    expect(await read()).toBe('new');
    expect(opened).toHaveLength(2); // the handle of the first was not that of the file that had been looked at
  });

  it('refuses a file that is another one each time', async () => {
    const { top, root, read } = await place();
    moments.hasProc = hasProc;
    let count = 0;
    moments.beforeOpen = async () => {
      const next = join(top, `${++count}.txt`);
      await writeFile(next, `new ${count}`);
      await rename(next, join(root, 'src', 'a.txt'));
    };
    expect(await read()).toBe('src/a.txt was changed by another program while it was being opened. Try again.');
    expect(count).toBe(3);
  });

  it('reads nothing outside when its folder becomes a link in between', async () => {
    const { top, root, outside, read } = await place();
    moments.hasProc = hasProc;
    moments.beforeOpen = once(async () => {
      await rename(join(root, 'src'), join(top, 'away'));
      await symlink(outside, join(root, 'src'));
    });
    expect(await read()).toMatch(/^src\/a\.txt .*outside/);
  });

  // The opened file is the very one that was looked at: only its path tells.
  it('reads nothing that moved out of the root together with its folder', async () => {
    const { top, root, read } = await place();
    moments.hasProc = hasProc;
    moments.afterOpen = once(async () => {
      await rename(join(root, 'src'), join(top, 'away'));
      await symlink(join(top, 'away'), join(root, 'src'));
    });
    expect(await read()).toMatch(/^src\/a\.txt .*outside/);
  });
});

it.each([true, false])(
  'replaceFile writes nothing where its folder leads elsewhere by now (the kernel tells the path of a handle: %s)',
  async (hasProc) => {
    const { top, root, outside } = await place();
    moments.hasProc = hasProc;
    await mkdir(join(root, 'src', 'deep'));
    await mkdir(join(outside, 'deep'));
    await writeFile(join(outside, 'deep', 'a.txt'), secret);
    const path = join(root, 'src', 'deep', 'new.txt');
    moments.beforeOpen = once(async () => {
      await rename(join(root, 'src'), join(top, 'away'));
      await symlink(outside, join(root, 'src'));
    });
    const signal = new AbortController().signal;
    expect(await replaceFile({ path, content: Buffer.from('x'), signal })).toEqual({
      type: 'refused',
      reason: 'its folder was moved by another program meanwhile',
    });
    await expect(readFile(join(outside, 'deep', 'new.txt'))).rejects.toThrow('ENOENT');
  },
);
