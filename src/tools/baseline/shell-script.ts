// The script around a command: where its output goes, how its end and its last folder are reported. Pure; the shell
// tools start programs with it.

/** A program to start for one command. */
export interface ShellStart {
  readonly file: string;
  readonly args: readonly string[];
}

/** What makes one command known. */
export interface ShellMarks {
  /** A text its output does not contain: printed after the output. */
  readonly end: string;
  /** Digits that all its processes carry, so that they can always be found. */
  readonly family: string;
}

// The outer shell waits for the inner one, which runs the command as if it were the only shell.
// - The pump makes the command's output a real pipe: Node provides a socket, on which /dev/stdout cannot be opened. The
//   pump outlives a reader that is gone, so that a background process never dies of a closed pipe. It is the system's
//   `cat`, whatever is first on the search path.
// - The mark after the inner shell's output shows that all of it has arrived, even if others still hold the pipe.
// - "kill 0" must end neither: the pump starts with the signals ignored, and the outer shell traps them from then on,
//   since traps, unlike ignored signals, are not inherited by the command.
// - The limit on file locks, which kernels no longer enforce, is the mark that all processes below inherit
//   (`familyMembers`).
const outer = String.raw`exec 2>/dev/null
ulimit -x "$4"
trap "" HUP INT QUIT TERM PIPE
pump="command -p cat"
command -pv cat >/dev/null || pump=cat
exec > >($pump 3>&- || $pump >/dev/null 3>&-)
trap : HUP INT QUIT TERM; trap - PIPE
echo "pump $!" >&3
"$0" -c "$3" bash "$2" 2>&1
set -- "$1" "$?"
printf %s "$1"
exit "$2"`;

// The folder is reported at the end in two ways: "exit" skips the second, a trap of the command's own replaces the
// first. Neither reports anything if the folder is gone, the descriptor was closed, or the command's options or traps
// would make this code visible. It is all on one line, so that the command's line numbers in messages are right.
const report = 'builtin pwd -P >&198';
const inner = [
  'exec 198>&3 3>&-',
  `trap '{ ${report}; } 2>/dev/null' EXIT`,
  '__turnchart=$1',
  'shift',
  'eval "unset -v __turnchart;$__turnchart"',
  `{ set -- "$?"; set +xv; trap - DEBUG ERR RETURN; ${report}; } >/dev/null 2>&1`,
  'exit "$1"',
].join('; ');

/**
 * Bash for one command. Descriptor 3 gets a line `pump <pid>`, then the last folder as a line, perhaps twice; the end
 * mark ends the output. A command that ends by `exec`, or by `exit` with an EXIT trap of its own, reports no folder.
 */
export function bashStart(bash: string, command: string, { end, family }: ShellMarks): ShellStart {
  return { file: bash, args: ['-c', outer, bash, end, command, inner, family] };
}

/** The pump's process id and the last folder, out of what came on descriptor 3. */
export function readBashReport(report: string): { readonly pump?: number; readonly folder?: string } {
  const pump = /^pump (\d+)\n/.exec(report);
  // A folder's name may hold line feeds: then both lines are whole and equal, or there is only one.
  const folders = report.slice(pump?.[0].length ?? 0).replace(/\n$/, '');
  const half = folders.slice(0, Math.floor(folders.length / 2));
  const folder = folders === `${half}\n${half}` ? half : folders;
  return {
    ...(pump === null ? {} : { pump: Number(pump[1]) }),
    ...(folder.startsWith('/') ? { folder } : {}),
  };
}

// Gives the program below it the mark: dash calls the limit -w, others -x.
const marked = String.raw`{ ulimit -x "$1" || ulimit -w "$1"; } 2>/dev/null; shift; exec "$0" "$@"`;

/**
 * PowerShell for one command: no profile, no questions, UTF-8 output without colours. After the end mark follow the
 * last folder and the mark again. The exit code is the last program's, or 1 if the command failed otherwise.
 */
export function powershellStart(powershell: string, command: string, { end, family }: ShellMarks): ShellStart {
  // Whether the last statement succeeded is known only right after it, within the same block. The first line end may be
  // taken by a backtick at the end of the command.
  const body = `${command}\n\n$global:turnchartWorked = $?`;
  const script = `$ProgressPreference = 'SilentlyContinue'
try { [Console]::OutputEncoding = [System.Text.UTF8Encoding]::new($false) } catch { }
$OutputEncoding = [System.Text.UTF8Encoding]::new($false)
if ($PSStyle) { $PSStyle.OutputRendering = 'PlainText' }
$global:LASTEXITCODE = 0
$global:turnchartWorked = $true
try {
  . ([scriptblock]::Create(${quotedForPowershell(body)})) | Out-Default
} catch {
  $global:turnchartWorked = $false
  [Console]::Error.WriteLine(($_ | Out-String))
} finally {
  [Console]::Out.Write(${quotedForPowershell(end)} + (Get-Location -PSProvider FileSystem).ProviderPath + ${quotedForPowershell(end)})
}
if ($global:LASTEXITCODE) { exit $global:LASTEXITCODE }
if (-not $global:turnchartWorked) { exit 1 }
exit 0`;
  const encoded = Buffer.from(script, 'utf16le').toString('base64');
  const args = ['-NoLogo', '-NoProfile', '-NonInteractive', '-EncodedCommand', encoded];
  return process.platform === 'win32'
    ? { file: powershell, args }
    : { file: '/bin/sh', args: ['-c', marked, powershell, family, ...args] };
}

/** The last folder, read from what follows the mark. */
export function readPowershellReport(behind: string, mark: string): { readonly folder?: string } {
  const end = behind.indexOf(mark);
  return end > 0 ? { folder: behind.slice(0, end) } : {};
}

/** A PowerShell string of exactly this text. Its curly quotes end a string as the straight one does. */
export function quotedForPowershell(text: string): string {
  return `'${text.replace(/['\u2018\u2019\u201A\u201B]/g, '$&$&')}'`;
}
