// The PowerShell tool: runs commands where there is a PowerShell.

import type { BackgroundTool } from '../../contracts/background-task.ts';
import { findProgram } from './find-program.ts';
import { powershellStart, readPowershellReport } from './shell-script.ts';
import { shellTool, type Shell, type ShellOptions } from './shell-tool.ts';

/** Where PowerShell is: version 7 (`pwsh`), else the one of Windows. */
export function findPowershell(): string | undefined {
  return findProgram(['pwsh', 'powershell']);
}

const powershell: Shell = {
  name: 'PowerShell',
  description: 'Runs a command in PowerShell and returns what it printed.',
  program: findPowershell,
  missing: 'There is no PowerShell on this machine.',
  start: powershellStart,
  lastFolder: ({ behind, mark }) => readPowershellReport(behind, mark).folder,
  isReadOnly: () => false,
};

/** PowerShell: needs approval for every command. Must not be run again after a crash. */
export function powershellTool(options: ShellOptions): BackgroundTool {
  return shellTool(powershell, options);
}
