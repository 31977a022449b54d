// What is put around a command: where its output goes, how its end and its last folder are told. Pure; the shell tools
// start programs with it.

/** A program to start for one command. */
export interface ShellStart {
  readonly file: string;
  readonly args: readonly string[];
}

// The outer shell waits for the inner one, which runs the command as if it were the only one there.
// - The pump makes the command's output a real pipe: what Node hands out is a socket, and /dev/stdout cannot be opened on
//   it. It outlives a reader that left, so that a child in the background never dies of a closed pipe.
// - The mark behind the inner shell's output tells that all of it has arrived, whoever else holds the pipe.
// - "kill 0" must end neither: the pump is born with the signals ignored, and the outer shell traps them from then on,
//   since traps, unlike ignored signals, are not inherited by the command.
const outer = String.raw`exec 2>/dev/null
trap "" HUP INT QUIT TERM PIPE
exec > >(cat 3>&- || exec cat >/dev/null 3>&-)
trap : HUP INT QUIT TERM; trap - PIPE
echo "pump $!" >&3
"$0" -c "$3" bash "$2" 2>&1
set -- "$1" "$?"
printf %s "$1"
exit "$2"`;

// The folder is told at the end in two ways: "exit" skips the second, a trap of the command's own replaces the first.
// All before the command stands on one line, so that its line numbers are right in messages.
const inner = String.raw`exec 198>&3 3>&-; trap 'builtin pwd -P >&198' EXIT; __turnchart=$1; shift; eval "unset -v __turnchart;$__turnchart"
set -- "$?"; builtin pwd -P >&198; exit "$1"`;

/**
 * Bash for one command. Descriptor 3 gets a line `pump <pid>`, then the last folder as a line, perhaps twice; the mark
 * ends the output. A command that ends by `exec`, or by `exit` with an EXIT trap of its own, tells no folder.
 */
export function bashStart(bash: string, command: string, mark: string): ShellStart {
  return { file: bash, args: ['-c', outer, bash, mark, command, inner] };
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

/**
 * PowerShell for one command: no profile, no questions, UTF-8 output without colours. Behind the mark stand the last
 * folder and the mark again. The exit code is the last program's, or 1 where the command failed otherwise.
 */
export function powershellStart(powershell: string, command: string, mark: string): ShellStart {
  const script = `$ProgressPreference = 'SilentlyContinue'
[Console]::OutputEncoding = $OutputEncoding = [System.Text.UTF8Encoding]::new($false)
if ($PSStyle) { $PSStyle.OutputRendering = 'PlainText' }
$global:LASTEXITCODE = 0
$turnchartFailed = $false
try {
  . ([scriptblock]::Create(${quotedForPowershell(command)})) | Out-Default
  $turnchartFailed = -not $?
} catch {
  $turnchartFailed = $true
  [Console]::Error.WriteLine(($_ | Out-String))
} finally {
  [Console]::Out.Write(${quotedForPowershell(mark)} + (Get-Location -PSProvider FileSystem).ProviderPath + ${quotedForPowershell(mark)})
}
if ($LASTEXITCODE) { exit $LASTEXITCODE }
if ($turnchartFailed) { exit 1 }
exit 0`;
  const encoded = Buffer.from(script, 'utf16le').toString('base64');
  return { file: powershell, args: ['-NoLogo', '-NoProfile', '-NonInteractive', '-EncodedCommand', encoded] };
}

/** The last folder out of what stood behind the mark. */
export function readPowershellReport(behind: string, mark: string): { readonly folder?: string } {
  const end = behind.indexOf(mark);
  return end > 0 ? { folder: behind.slice(0, end) } : {};
}

/** A PowerShell string of exactly this text. Its curly quotes end a string as the straight one does. */
export function quotedForPowershell(text: string): string {
  return `'${text.replace(/['\u2018\u2019\u201A\u201B]/g, '$&$&')}'`;
}
