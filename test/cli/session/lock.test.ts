import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { takeLock } from '../../../src/cli/session/lock.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const lockIn = (content?: string) => {
  const folder = temporaryFolder(content === undefined ? {} : { 'a.lock': content });
  return { folder, path: join(folder, 'a.lock') };
};
const owner = (fields: object) => JSON.stringify({ pid: process.pid, host: hostname(), ...fields });

/** The number of a process that has ended. */
const deadPid = () => spawnSync(process.execPath, ['-e', '']).pid;

describe('takeLock', () => {
  test('takes a free lock and gives it back', async () => {
    const { folder, path } = lockIn();
    const lock = await takeLock(path);
    expect(lock.held).toBe(true);
    expect(readdirSync(folder)).toEqual(['a.lock']);
    if (lock.held) lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is refused while its owner lives', async () => {
    const { path } = lockIn();
    await takeLock(path);
    expect(await takeLock(path)).toEqual({ held: false, why: `process ${process.pid} uses it` });
    expect(existsSync(path)).toBe(true);
  });

  test('takes over from a dead process, from another one under the number of a dead one, and from rubbish', async () => {
    for (const content of [owner({ pid: deadPid() }), owner({ began: 'long ago' }), '', '{"pid":']) {
      const { folder, path } = lockIn(content);
      // Without /proc a live process under the number cannot be told from the owner.
      if (content.includes('long ago') && process.platform !== 'linux') continue;
      expect(await takeLock(path)).toMatchObject({ held: true });
      expect(readdirSync(folder)).toEqual(['a.lock']);
    }
  });

  test('does not judge a process of another machine', async () => {
    const { path } = lockIn(owner({ host: 'elsewhere' }));
    expect(await takeLock(path)).toEqual({
      held: false,
      why: `process ${process.pid} on elsewhere uses it (if not, delete ${path})`,
    });
  });

  test('gives nothing back that is not its own any more', async () => {
    const { path } = lockIn();
    const lock = await takeLock(path);
    writeFileSync(path, 'someone else');
    if (lock.held) lock.release();
    expect(readFileSync(path, 'utf8')).toBe('someone else');
  });

  test('a takeover that broke off is not an obstacle', async () => {
    const { folder, path } = lockIn(owner({ pid: deadPid() }));
    writeFileSync(`${path}.takeover`, owner({ pid: deadPid() }));
    expect(await takeLock(path)).toMatchObject({ held: true });
    expect(readdirSync(folder)).toEqual(['a.lock']);
  });
});
