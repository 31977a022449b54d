// Who belongs to a command: its process group, everything that carries its mark in the environment, and their children.
// Called when a command is ended and to see what it left running.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** One running process. */
export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly name: string;
}

/** What tells a command's processes from others. */
export interface ProcessFamily {
  /** The process group; absent: only the mark counts. */
  readonly group?: number;
  /** `NAME=value`, or the beginning of it, as it stands in the environment. */
  readonly mark: string;
  /** A process that, with its children, does not count. */
  readonly except?: number;
}

/**
 * The processes of the family, dead ones not counted. On Linux the mark finds also those that left the group and whose
 * parent has ended; elsewhere only the group and the children of its members are known. Empty on Windows.
 */
export function familyMembers(family: ProcessFamily): RunningProcess[] {
  if (process.platform === 'win32') return [];
  const all = process.platform === 'linux' ? linuxProcesses() : listedProcesses();
  const members = new Map<number, RunningProcess>();
  const children = Map.groupBy(all, ({ parent }) => parent);
  const add = (each: RunningProcess): void => {
    if (members.has(each.pid) || each.pid === family.except || each.pid === process.pid) return;
    members.set(each.pid, each);
    for (const child of children.get(each.pid) ?? []) add(child);
  };
  for (const each of all) {
    if (family.except !== undefined && each.parent === family.except) continue;
    if (each.group === family.group || carriesMark(each.pid, family.mark)) add(each);
  }
  return [...members.values()];
}

function carriesMark(pid: number, mark: string): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const environment = readFileSync(`/proc/${pid}/environ`);
    const at = environment.indexOf(mark);
    return at === 0 || (at > 0 && environment[at - 1] === 0);
  } catch {
    return false; // gone, or not ours
  }
}

function linuxProcesses(): RunningProcess[] {
  const found: RunningProcess[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const entry = linuxProcess(pid);
    if (entry !== undefined) found.push(entry);
  }
  return found;
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
    const listing = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,comm='], { encoding: 'utf8' });
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
