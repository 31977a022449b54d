// A small process next to the host program that ends what commands left running and removes what they left in the
// temporary folder, however the host program ends, even by SIGKILL. Called where commands are run and output is kept.

import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';

import { systemPath } from './find-program.ts';
import { markVariable } from './process-table.ts';

// It notices the host's end by the end of its standard input, which only the host holds open: we install no signal
// handlers that would change how the host ends. A process may be under way to its mark, or start others while it is
// looked for: so it looks until it has found nothing new several times. Without /proc only the groups of running
// commands are known.
const script = String.raw`trap "" HUP INT QUIT TERM PIPE
groups=
while IFS=" " read -r what value; do
  case $what in
    folder) set -- "$@" "$value" ;;
    group) groups="$groups $value" ;;
    ended)
      others=
      for group in $groups; do [ "$group" = "$value" ] || others="$others $group"; done
      groups=$others
      ;;
  esac
done
if [ -r /proc/self/limits ]; then
  known=" "
  quiet=0
  round=0
  while [ $quiet -lt 5 ] && [ $round -lt 200 ]; do
    quiet=$((quiet + 1))
    round=$((round + 1))
    for pid in $(grep -lasE -e "^Max file locks +$HOST_NUMBER[0-9]{8} " -e "TURNCHART_SHELL=([0-9]+,)*$HOST_NUMBER[0-9]{8}" /proc/[0-9]*/limits /proc/[0-9]*/environ | cut -d / -f 3); do
      case $known in *" $pid "*) ;; *) known="$known$pid "; quiet=0 ;; esac
      kill -KILL "$pid" 2>/dev/null
    done
    [ $quiet -eq 0 ] || sleep 0.05
  done
else
  for group in $groups; do kill -KILL "-$group" 2>/dev/null; done
fi
for folder; do rm -rf -- "$folder"; done`;

const callDigits = 8;
// Ten digits that begin the marks of all commands of this host program.
const hostNumber: string = String(randomInt(1_000_000_000, largestHostNumber()));

let families = 0;

/** The processes of one command, before there are any. */
export interface NewFamily {
  /** Digits unique to this command, lower than every limit of this program. */
  readonly mark: string;
  /** To be set for its first process. Within a command of another host program that one's mark stays before it. */
  readonly variable: Readonly<Record<string, string>>;
}

/** Whatever carries the mark ends with the host program. */
export function startFamily(): NewFamily {
  watchHost();
  families += 1;
  const mark = hostNumber + String(families).padStart(callDigits, '0');
  const above = process.env[markVariable];
  return { mark, variable: { [markVariable]: above === undefined ? mark : `${above},${mark}` } };
}

let lifeline: Socket | undefined;
let folders: string[] = [];

// Starts the watcher if there is none yet. Does nothing on Windows, where children end with their parent.
function watchHost(): void {
  if (lifeline !== undefined || process.platform === 'win32') return;
  const watcher = spawn('/bin/sh', ['-c', script, 'turnchart-watch'], {
    cwd: '/',
    env: { PATH: systemPath, HOST_NUMBER: hostNumber },
    detached: true, // what is sent to the host's group must not reach it
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  lifeline = watcher.stdin as Socket; // a pipe, as asked for above
  lifeline.on('error', () => {}); // it has gone
  watcher.once('error', () => (lifeline = undefined)); // no /bin/sh: the work at the host's exit is all there is
  const began = performance.now();
  watcher.once('exit', () => {
    lifeline = undefined;
    if (performance.now() - began > 1_000) watchHost(); // something ended it
  });
  watcher.unref();
  lifeline.unref();
  for (const folder of folders) tell(`folder ${folder}`);
}

/** The folder is removed when the host program ends. */
export function removeWithHost(folder: string): void {
  if (folders.length === 0) process.once('exit', removeFolders); // at once, where the end can be heard of
  folders = [...folders, folder];
  watchHost();
  tell(`folder ${folder}`);
}

/** Tells that a command runs in this process group, and returns what to call when it has ended. */
export function watchGroup(group: number): () => void {
  tell(`group ${group}`);
  return () => tell(`ended ${group}`);
}

function removeFolders(): void {
  for (const folder of folders) {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // the program is ending: the watcher could not be told
    }
  }
}

function tell(line: string): void {
  if (!line.includes('\n')) lifeline?.write(`${line}\n`);
}

// Within a command of another host program the limit is that one's mark already, and can only be lowered.
function largestHostNumber(): number {
  const largest = 9_000_000_000;
  try {
    const found = /^Max file locks\s+\d+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    const limit = found === undefined ? largest : Math.floor(Number(found) / 10 ** callDigits);
    return limit > 1_000_000_001 ? Math.min(largest, limit) : largest;
  } catch {
    return largest; // not Linux
  }
}
