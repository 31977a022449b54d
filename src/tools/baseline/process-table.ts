// Finds the processes of a command: its process group, everything that carries its mark, and their children. Called
// when a command is ended and to see what it left running.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

import { systemPath } from './find-program.ts';

/** One running process. */
export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly name: string;
}

/** What identifies a command's processes. */
export interface ProcessFamily {
  /** The process group its first process leads. */
  readonly group: number;
  /** Digits, of this command alone. */
  readonly mark: string;
  /** A process that, with its children, does not count. */
  readonly except?: number;
}

/** The variable that holds the mark; within a command of another host program that one's mark stands before it. */
export const markVariable = 'TURNCHART_SHELL';

/**
 * The processes of the family, dead ones not counted. On Linux the mark finds also those that left the group, the
 * session and their parents: it is a limit that nothing heeds (RLIMIT_LOCKS), which every child inherits whatever it
 * does to its environment, and a variable until that is set. Elsewhere only the group and the children of its members
 * are known. Empty on Windows. `isFresh`: looks only at processes started since, which is all there is to a command
 * that just ended.
 */
export function familyMembers(family: ProcessFamily, isFresh = false): RunningProcess[] {
  if (process.platform === 'win32') return [];
  const isLinux = process.platform === 'linux';
  const all = isLinux ? linuxProcesses(isFresh ? pidsSince(family.group) : () => true) : listedProcesses();
  const members = new Map<number, RunningProcess>();
  const children = Map.groupBy(all, ({ parent }) => parent);
  const add = (each: RunningProcess): void => {
    if (members.has(each.pid) || each.pid === family.except || each.pid === process.pid) return;
    members.set(each.pid, each);
    for (const child of children.get(each.pid) ?? []) add(child);
  };
  for (const each of all) {
    if (family.except !== undefined && each.parent === family.except) continue;
    if (each.group === family.group || (isLinux && carriesMark(each.pid, family.mark))) add(each);
  }
  return [...members.values()];
}

function carriesMark(pid: number, mark: string): boolean {
  try {
    if (readFileSync(`/proc/${pid}/limits`, 'latin1').includes(` ${mark} `)) return true;
    const environment = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`;
    const start = environment.indexOf(`\0${markVariable}=`);
    if (start < 0) return false;
    const end = environment.indexOf('\0', start + 1);
    return environment
      .slice(start + markVariable.length + 2, end < 0 ? undefined : end)
      .split(',')
      .includes(mark);
  } catch {
    return false; // gone, or not ours
  }
}

// Ids are given in order, beginning again at the largest.
function pidsSince(first: number): (pid: number) => boolean {
  const last = Number(readFileSync('/proc/loadavg', 'latin1').split(' ')[4]);
  return last >= first ? (pid) => pid > first && pid <= last : (pid) => pid > first || pid <= last;
}

// The newest first: of programs that start others and end they are the ones that will be gone soonest.
function linuxProcesses(isCandidate: (pid: number) => boolean): RunningProcess[] {
  const pids = readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && isCandidate(pid))
    .toSorted((left, right) => right - left);
  return pids.flatMap((pid) => linuxProcess(pid) ?? []);
}

// "pid (name) state parent group …"; the name may hold anything.
function linuxProcess(pid: number): RunningProcess | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined; // it has ended meanwhile
  }
  const open = stat.indexOf('(');
  const close = stat.lastIndexOf(')');
  const [state, parent, group] = stat.slice(close + 2).split(' ', 3);
  if (state === 'Z' || state === 'X') return undefined;
  return { pid, parent: Number(parent), group: Number(group), name: stat.slice(open + 1, close) };
}

function listedProcesses(): RunningProcess[] {
  try {
    const listing = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,comm='], {
      encoding: 'utf8',
      env: { PATH: systemPath },
    });
    return listing.split('\n').flatMap((line) => {
      const [, pid, parent, group, state = '', name = ''] =
        /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
      if (pid === undefined || state.startsWith('Z')) return [];
      return [{ pid: Number(pid), parent: Number(parent), group: Number(group), name }];
    });
  } catch {
    return []; // no ps: the group is all we can end
  }
}
