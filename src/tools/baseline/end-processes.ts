// Ends a command and everything it started: first politely, then by force, until nothing of it is left.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { familyMembers, type ProcessFamily, type RunningProcess } from './process-table.ts';

const pollMs = 10;
// Each round ends everything found; more are needed only if programs keep starting new ones.
const maxRounds = 100;
const sparingRounds = 20;
// One look proves nothing: a process may end and another begin meanwhile.
const emptyLooks = 2;

/**
 * Sends TERM, waits up to `graceMs` for all to end, then KILL until none is left. Also ends processes that left the
 * group, the session or their parents, as far as `familyMembers` finds them. Returns those that could not be ended,
 * such as programs of another user.
 */
export async function endProcesses(family: ProcessFamily, graceMs: number): Promise<readonly RunningProcess[]> {
  if (process.platform === 'win32') return endTree(family.group);
  let members = familyMembers(family);
  for (const group of groupsOf(members, family.group)) send(-group, 'SIGTERM');
  send(-family.group, 'SIGTERM');
  const end = performance.now() + graceMs;
  while (performance.now() < end && members.length > 0) {
    await pause(pollMs);
    if (!members.some(({ pid }) => send(pid, 0))) members = familyMembers(family);
  }
  for (let round = 0, empty = 0; round < maxRounds && empty < emptyLooks; round++) {
    members = familyMembers(family);
    empty = members.length === 0 ? empty + 1 : 0;
    for (const group of groupsOf(members, family.group)) send(-group, 'SIGKILL');
    for (const { pid } of members) send(pid, 'SIGKILL');
    // The whole group at once, so that it can start nothing meanwhile; this also ends the pump that passes output on.
    if (round >= sparingRounds) send(-family.group, 'SIGKILL');
    await pause(round < sparingRounds ? 1 : pollMs);
  }
  return members;
}

// Whether the signal could be sent; 0 asks if the process (or, below zero, the group) is there.
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false; // gone, or not ours to end
  }
}

// Those other than the family's own. Their sessions began below a member, so that nobody else is in them.
function groupsOf(members: readonly RunningProcess[], own: number): Iterable<number> {
  return new Set(members.map(({ group }) => group).filter((group) => group !== own && group > 1));
}

function endTree(pid: number): readonly RunningProcess[] {
  try {
    const program = join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'taskkill.exe');
    execFileSync(program, ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' });
  } catch {
    // it had ended
  }
  return [];
}
