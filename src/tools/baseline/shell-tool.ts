// What Bash and PowerShell have in common: arguments, limits, running a command and describing its result.

import { resolve } from 'node:path';

import type { BackgroundTool } from '../../contracts/background-task.ts';
import { defineBackgroundTool, type BackgroundToolContext } from '../define-background-tool.ts';
import { ToolResult } from '../tool-result.ts';
import { errorMessage } from '../error-message.ts';
import { isWithin } from './canonical-path.ts';
import { exitMeaning } from './exit-meaning.ts';
import { leadsOutside } from './find-program.ts';
import { lenientArguments } from './lenient-arguments.ts';
import { createOutputFiles, type OutputFile, type OutputFiles } from './output-files.ts';
import { createOutputWindow } from './output-window.ts';
import { createPacedWriter } from './paced-writer.ts';
import { runCommand, type CommandOutcome } from './run-command.ts';
import { shellVariables, startsOtherCode, type ShellEnvironment } from './shell-environment.ts';
import { currentFolder, keepFolder, startFolder } from './shell-folder.ts';
import type { ShellMarks, ShellStart } from './shell-script.ts';
import { realOr } from './shown-path.ts';
import { createWorkspace, type Workspace, type WorkspaceOptions } from './workspace.ts';

/** Arguments of the shell tools. */
export interface ShellArguments {
  readonly command: string;
  /** Milliseconds. Default 120,000, at most 600,000; as a background task 30 minutes and 2 hours. */
  readonly timeout?: number;
  readonly description?: string;
}

/** Options of the shell tools. */
export interface ShellOptions extends WorkspaceOptions {
  /**
   * The environment variables of commands. Default `scrubbed`: those of the host program, except what looks like a
   * secret.
   */
  readonly env?: ShellEnvironment;
  /** Where the full output of long commands is kept. Default: the tool's own folder. */
  readonly outputFiles?: OutputFiles;
}

/** What distinguishes the shells. */
export interface Shell {
  readonly name: string;
  /** The tool's description for the model; what holds for all shells is added. */
  readonly description: string;
  /** The program, looked up at each call; undefined if there is none. */
  readonly program: () => string | undefined;
  readonly missing: string;
  readonly start: (program: string, command: string, marks: ShellMarks) => ShellStart;
  readonly lastFolder: (outcome: CommandOutcome) => string | undefined;
  /** `isTrusted`: whether a name leads to a program outside of the workspace. */
  readonly isReadOnly: (command: string, isTrusted: (program: string) => boolean) => boolean;
}

const defaultTimeoutMs = 120_000;
const maxTimeoutMs = 600_000;
const backgroundTimeoutMs = 30 * 60_000;
const maxBackgroundTimeoutMs = 2 * 60 * 60_000;
const graceMs = { timeout: 200, abort: 100 };
const maxShownUnits = 30_000;
const progressMs = 100;
const maxProgressUnits = 4_000;

/** A tool over the shell. Throws `options.invalid` when `cwd` is not absolute. */
export function shellTool(shell: Shell, options: ShellOptions): BackgroundTool {
  const workspace = createWorkspace(options);
  const outputFiles = options.outputFiles ?? createOutputFiles();
  const isReadOnly = readOnlyTest(shell, options);
  return defineBackgroundTool({
    name: shell.name,
    description: `${shell.description}
- Each command runs in a fresh shell. The working directory is kept between commands (it starts as ${workspace.cwd} and stays inside the workspace); variables, functions and options are not.
- Standard input is empty: nothing can be typed in. Variables that look like secrets are not set.
- timeout is in milliseconds: default ${defaultTimeoutMs}, at most ${maxTimeoutMs}. A command that takes longer is ended with the processes it started; its output until then is shown.
- Of an output longer than ${maxShownUnits} characters the beginning and the end are shown, lines that repeat once, and the file that holds all of it is named.
- What a command leaves running in the background lives on until this program ends; its later output is not seen. Send it to a file (command >file 2>&1 &).
- For files prefer Read, Edit, Write, Glob and Grep.`,
    parameters: lenientArguments<ShellArguments>({
      type: 'object',
      properties: {
        command: { type: 'string', minLength: 1, description: 'The command to run' },
        timeout: { type: 'integer', minimum: 1, description: 'Milliseconds before the command is ended' },
        description: {
          type: 'string',
          description: 'What the command does, in a few words, for the person who watches',
        },
      },
      required: ['command'],
    }),
    isConcurrencySafe: ({ command }) => isReadOnly(command),
    needsApproval: ({ command }) => !isReadOnly(command),
    replay: 'unsafe',
    preview: ({ command, description }, { session }) => ({
      type: 'command',
      command,
      folder: currentFolder(workspace, session),
      ...(description === undefined ? {} : { description }),
    }),
    execute: (args, context) => execute({ shell, workspace, outputFiles, options }, args, context),
  });
}

// A program in a folder the tools may write to cannot be trusted.
function readOnlyTest(shell: Shell, { cwd, roots, env = 'scrubbed' }: ShellOptions): (command: string) => boolean {
  return (command) => {
    const variables = shellVariables(env, process.env);
    if (startsOtherCode(variables)) return false;
    const folders = (roots ?? [cwd]).map((folder) => realOr(resolve(cwd, folder)));
    const program = shell.program();
    if (program === undefined || folders.some((folder) => isWithin(realOr(program), folder))) return false;
    return shell.isReadOnly(command, (program) => leadsOutside(program, variables['PATH'] ?? '', folders));
  };
}

interface ShellParts {
  readonly shell: Shell;
  readonly workspace: Workspace;
  readonly outputFiles: OutputFiles;
  readonly options: ShellOptions;
}

async function execute(
  { shell, workspace, outputFiles, options }: ShellParts,
  args: ShellArguments,
  context: BackgroundToolContext,
): Promise<ToolResult> {
  const { session, signal, taskId } = context;
  signal.throwIfAborted();
  if (args.command.includes('\0')) return ToolResult.error('The command holds a NUL character.');
  const program = shell.program();
  if (program === undefined) return ToolResult.error(shell.missing);
  const window = createOutputWindow(maxShownUnits);
  const full = fullOutput(outputFiles, window.isFull);
  // Before any await, so that the task's handle can name the file at once.
  if (taskId !== undefined) context.noteOutputFile(full.open().path);
  const { folder, note } = await startFolder(workspace, session).catch((error: unknown) => {
    full.end();
    throw error;
  });
  const timeoutMs = timeLimit(args.timeout, taskId !== undefined);
  const progress = createPacedWriter(
    context.write,
    progressMs,
    taskId === undefined ? maxProgressUnits : Number.POSITIVE_INFINITY,
  );
  let outcome: CommandOutcome;
  try {
    outcome = await runCommand({
      start: (marks) => shell.start(program, args.command.toWellFormed(), marks),
      folder,
      variables: shellVariables(options.env ?? 'scrubbed', process.env),
      timeoutMs,
      graceMs,
      signal,
      onOutput: (bytes) => {
        progress.push(window.push(bytes));
        full.push(bytes);
      },
    });
  } catch (error) {
    full.end();
    return ToolResult.error(startFailureText(shell, folder, error));
  } finally {
    progress.end(taskId !== undefined);
  }
  const file = full.end();
  // What a task writes is read while it runs.
  const output = taskId === undefined ? window.shown(file?.path).replace(/\n+$/, '') : '';
  const folderNote =
    taskId !== undefined || outcome.cause !== 'ended'
      ? '' // a task runs beside other commands; one that was ended never got to tell
      : await keepFolder(workspace, session, folder, shell.lastFolder(outcome));
  const leftNote =
    outcome.left.length === 0
      ? ''
      : `[Left running in the background: ${outcome.left.slice(0, 10).join(', ')}.${window.isFull() && taskId === undefined ? floodText : ''}]`;
  const fileNote = file === undefined || file.fault === '' ? '' : `[About ${file.path}: ${file.fault}.]`;
  const { isError, text } = verdict(outcome, args.command, timeoutMs);
  const told = { isError, text: text === '' && taskId !== undefined ? 'Exit code 0' : text };
  return result(told, output, [note, fileNote, leftNote, folderNote]);
}

// Both write to one pipe, which does not say who wrote what.
const floodText =
  ' If it prints, the last lines of the command itself may be in the part that is left out: send its output to a file.';

interface Verdict {
  readonly isError: boolean;
  readonly text: string;
}

// Elsewhere, processes that left the group or the tree are not known.
const endedToo = { linux: 'the processes it had started', win32: 'its tree of processes' };
const othersEnded = process.platform === 'linux' || process.platform === 'win32' ? endedToo[process.platform] : 'its group of processes'; // prettier-ignore

function verdict({ cause, code, signal, unended }: CommandOutcome, command: string, timeoutMs: number): Verdict {
  const but = unended.length === 0 ? '' : ` These could not be ended: ${unended.slice(0, 10).join(', ')}.`;
  if (cause === 'timedOut') {
    return {
      isError: true,
      text: `The command took longer than ${timeoutMs} ms and was ended, with ${othersEnded}.${but}`,
    };
  }
  if (cause === 'aborted') {
    return {
      isError: true,
      text: `The command was interrupted and ended, with ${othersEnded}. It may have had effects.${but}`,
    };
  }
  if (code === null) return { isError: true, text: `The shell was ended by ${signal ?? 'something unknown'}.` };
  const { isFailure, text } = exitMeaning(code, command);
  if (code === 0) return { isError: false, text: '' };
  return { isError: isFailure, text: `Exit code ${code}${text === '' ? '' : `: ${text}`}` };
}

function result({ isError, text }: Verdict, output: string, notes: readonly string[]): ToolResult {
  const parts = [text, output, ...notes].filter((part) => part !== '');
  if (output === '' && text === '') parts.unshift('(no output)');
  return isError ? ToolResult.error(parts.join('\n')) : ToolResult.text(parts.join('\n'));
}

function timeLimit(wanted: number | undefined, isTask: boolean): number {
  return isTask
    ? Math.min(wanted ?? backgroundTimeoutMs, maxBackgroundTimeoutMs)
    : Math.min(wanted ?? defaultTimeoutMs, maxTimeoutMs);
}

// Keeps everything from the start, in memory until it is known that a file is needed, or one is opened.
function fullOutput(files: OutputFiles, isNeeded: () => boolean) {
  let early: Buffer[] | undefined = [];
  let file: OutputFile | undefined;
  const open = (): OutputFile => {
    file ??= files.create();
    for (const each of early ?? []) file.write(each);
    early = undefined;
    return file;
  };
  return {
    open,
    push: (bytes: Buffer): void => {
      early?.push(bytes);
      if (file !== undefined) file.write(bytes);
      else if (isNeeded()) open();
    },
    end: () => (file === undefined ? undefined : { path: file.path, fault: file.close() }),
  };
}

function startFailureText({ name }: Shell, folder: string, error: unknown): string {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  if (code === 'E2BIG' || code === 'ENAMETOOLONG')
    return 'The command is too long for the operating system. Write it to a file and run that.';
  if (code === 'ENOENT' || code === 'ENOTDIR') return `${name} could not be started in ${folder}: it is gone.`;
  return `${name} could not be started: ${errorMessage(error) ?? 'no reason was given'}.`;
}
