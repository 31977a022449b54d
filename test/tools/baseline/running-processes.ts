// What runs on this machine right now, by command line. Used by the tests of shells to see that nothing is left.

import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

let count = 0;

/** A number of seconds nobody else sleeps: `sleep ${uniqueSleep()}` can be told from every other process. */
export function uniqueSleep(): string {
  count += 1;
  return `3${process.pid % 1000}.${Date.now() % 1_000_000}${count}`;
}

/** The processes, zombies not counted, whose command line holds the text. */
export function processesWith(text: string): string[] {
  const listing = execFileSync('ps', ['-A', '-o', 'pid=,stat=,args='], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return listing
    .split('\n')
    .filter((line) => line.includes(text) && !/^\s*\d+\s+Z/.test(line) && !line.includes('bash -c'));
}

/** Waits until the condition holds; fails after a generous time. */
export async function eventually(condition: () => boolean, what: string): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (condition()) return;
    await pause(20);
  }
  throw new Error(`It never came true: ${what}`);
}
