// The Bash tool: runs commands.

import type { BackgroundTool } from '../../contracts/background-task.ts';
import { findProgram } from './find-program.ts';
import { isReadOnlyCommand } from './read-only-commands.ts';
import { bashStart, readBashReport } from './shell-script.ts';
import { shellTool, type Shell, type ShellOptions } from './shell-tool.ts';

const gitBash = ['C:\\Program Files\\Git\\bin\\bash.exe', 'C:\\Program Files (x86)\\Git\\bin\\bash.exe'];

/** The path of bash: the first on the search path; on Windows the one that comes with git. */
export function findBash(): string | undefined {
  // On Windows, "bash" on the path is that of WSL, which has another file system.
  return findProgram(process.platform === 'win32' ? gitBash : ['bash']);
}

const bash: Shell = {
  name: 'Bash',
  description: 'Runs a command in bash and returns what it printed, standard output and error together.',
  program: findBash,
  missing: 'There is no bash on this machine.',
  start: bashStart,
  lastFolder: ({ report }) => readBashReport(report).folder,
  isReadOnly: isReadOnlyCommand,
};

/**
 * Bash: needs approval unless every program of the command is on the short list of those that only show names and
 * states (`readOnlyPrograms`: `ls`, `pwd`, `wc`, …). A command that is not fully understood needs approval, and so does
 * a program that the search path finds in the workspace. Must not be run again after a crash.
 */
export function bashTool(options: ShellOptions): BackgroundTool {
  return shellTool(bash, options);
}
