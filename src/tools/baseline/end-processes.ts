// Ends a command with everything it started: asked first, then forced, until nothing of it is left.

import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

import { familyMembers, type ProcessFamily } from './process-table.ts';

const pollMs = 10;
// Each round ends what is there; more are needed only against programs that start new ones as fast.
const maxRounds = 100;

/**
 * Sends TERM, waits up to `graceMs` for all to end, then KILL until none is left. Processes that left the group, the
 * session or their parents are found too, as far as `familyMembers` finds them.
 */
export async function endProcesses(family: ProcessFamily & { readonly group: number }, graceMs: number): Promise<void> {
  if (process.platform === 'win32') return endTree(family.group);
  let members = familyMembers(family);
  send(-family.group, 'SIGTERM');
  for (const { pid, group } of members) if (group !== family.group) send(pid, 'SIGTERM');
  const end = performance.now() + graceMs;
  while (performance.now() < end) {
    if (!members.some(({ pid }) => send(pid, 0))) {
      members = familyMembers(family);
      if (members.length === 0) return;
    }
    await pause(pollMs);
  }
  for (let round = 0; round < maxRounds; round++) {
    members = familyMembers(family);
    if (members.length === 0) return;
    for (const { pid } of members) send(pid, 'SIGKILL');
    await pause(round < 10 ? 1 : pollMs);
  }
}

/** Ends at once, and synchronously, whatever carries the mark. For the end of the host program. */
export function killMarked(mark: string): void {
  for (let round = 0; round < 10; round++) {
    const members = familyMembers({ mark });
    if (members.length === 0) return;
    for (const { pid } of members) send(pid, 'SIGKILL');
  }
}

/** Whether the signal could be sent; 0 asks if the process (or, below zero, the group) is there. */
export function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false; // gone, or not ours to end
  }
}

function endTree(pid: number): void {
  try {
    execFileSync('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' });
  } catch {
    // it had ended
  }
}
