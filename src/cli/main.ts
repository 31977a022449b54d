#!/usr/bin/env node
// The `turnchart` command: one turn of an agent on the folder it stands in.

import { readFileSync } from 'node:fs';
import { createEngine } from '../index.ts';
import { commandOf, usage, type TurnOptions } from './arguments.ts';
import { chooseModel } from './choose-model.ts';
import { listenForInterrupts } from './interrupts.ts';
import { createOutlet } from './outlet.ts';
import { readPrompt } from './read-prompt.ts';
import { jsonReporter, textReporter, type Reporter } from './report.ts';
import { runTurn } from './run-turn.ts';
import { workspaceTools } from './workspace-tools.ts';

const { stdin, stdout, stderr, env } = process;
stderr.on('error', () => {}); // a closed diagnostics channel must not end the work
const abort = new AbortController();
const outlet = createOutlet(stdout, () => abort.abort());
let interruptCode: number | undefined;

/** Exit codes: see `usage`. */
async function main(): Promise<number> {
  const command = commandOf(process.argv.slice(2));
  switch (command.type) {
    case 'help':
      outlet.write(usage);
      return 0;
    case 'version':
      outlet.write(`${version()}\n`);
      return 0;
    case 'misuse':
      stderr.write(`turnchart: ${command.message}\n\n${usage}`);
      return 2;
    case 'turn':
      return turn(command.options);
  }
}

async function turn(options: TurnOptions): Promise<number> {
  listenForInterrupts({
    cancel(exitCode) {
      interruptCode = exitCode;
      abort.abort();
    },
    leave: (exitCode) => process.exit(exitCode),
  });
  const prompt = options.prompt ?? (await pipedPrompt());
  if (prompt === undefined) return interruptCode ?? 2;
  const { model, why } = chooseModel(options);
  const { maxIterations } = options;
  const engine = createEngine({
    model,
    tools: workspaceTools(process.cwd()),
    ...(maxIterations === undefined ? {} : { maxIterations }),
  });
  if (options.json) diagnose(`model: ${model.id}; ${why}`);
  else outlet.write(`${model.id}: ${why}\n\n`);
  const result = await runTurn(engine, prompt, reporterFor(options), abort.signal);
  if (result.reason === 'failed') diagnose(`the turn failed: ${result.error?.message ?? 'no reason given'}`);
  if (outlet.state() === 'left' || result.reason === 'completed') return 0;
  if (result.reason === 'maxIterations')
    diagnose(`the turn reached its limit of ${result.iterations} model calls (--max-iterations)`);
  return result.reason === 'aborted' ? (interruptCode ?? 1) : 1;
}

async function pipedPrompt(): Promise<string | undefined> {
  try {
    const { prompt, remark } = await readPrompt(stdin, abort.signal);
    if (remark !== undefined) diagnose(`${remark}: "${prompt}"`);
    return prompt;
  } catch (fault) {
    if (!abort.signal.aborted) diagnose(fault instanceof Error ? fault.message : String(fault));
    return undefined;
  }
}

function reporterFor(options: TurnOptions): Reporter {
  if (options.json) return jsonReporter(outlet.write);
  const terminal = stdout.isTTY && env['TERM'] !== 'dumb';
  return textReporter({
    write: outlet.write,
    color: options.color && terminal && (env['NO_COLOR'] ?? '') === '',
    ...(terminal ? { columns: () => stdout.columns || 80 } : {}),
  });
}

function diagnose(message: string): void {
  stderr.write(`turnchart: ${message}\n`);
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const manifest = JSON.parse(text) as { readonly version: string }; // our own manifest
  return manifest.version;
}

try {
  const exitCode = await main();
  await outlet.flushed();
  const lost = outlet.state();
  if (lost instanceof Error) throw new Error(`standard output cannot be written: ${lost.message}`);
  process.exit(exitCode); // what still runs (a tool that ignores its signal, an open pipe) must not keep us
} catch (fault) {
  diagnose(fault instanceof Error ? fault.message : String(fault));
  process.exit(1);
}
