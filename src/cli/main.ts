#!/usr/bin/env node
// The `turnchart` command: an agent that works in the current folder, as a chat, one turn, or a guided demo.

import { readFileSync } from 'node:fs';
import {
  createEngine,
  createOperative,
  userMessage,
  type Engine,
  type EngineOptions,
  type Message,
  type Tool,
} from '../index.ts';
import { baselineTools } from '../tools/index.ts';
import { approveBy, type AskPerson } from './approval.ts';
import { commandOf, usage, type RunOptions } from './arguments.ts';
import { askOnTerminal } from './ask-on-terminal.ts';
import { startChat, type Chat } from './chat/chat.ts';
import { openConsole } from './chat/console.ts';
import { runGuidedDemo } from './guided-demo.ts';
import { listenForInterrupts } from './interrupts.ts';
import { chooseModel, type ModelChoice } from './models/choose-model.ts';
import { createOutlet } from './outlet.ts';
import { readPrompt } from './read-prompt.ts';
import { jsonReporter, textReporter, type Reporter } from './report.ts';
import { runTurn } from './run-turn.ts';
import type { Session } from './session/session.ts';
import { sessionFolder } from './session/session-name.ts';

const { stdin, stdout, stderr, env } = process;
stderr.on('error', () => {}); // a closed standard error must not end the work
const abort = new AbortController();
const outlet = createOutlet(stdout, () => abort.abort());
const isTerminal = stdout.isTTY && env['TERM'] !== 'dumb';
const defaultPrompt = 'How many files are here, and which is the longest?';
let interruptCode: number | undefined;
let inspect: EngineOptions['inspect'];
let diagnose = (message: string): void => void stderr.write(`turnchart: ${message}\n`);

/** Returns the exit code, see `usage`. */
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
      stderr.write(`turnchart: ${command.message}\nturnchart --help lists the options.\n`);
      return 2;
    case 'run': {
      const { options } = command;
      const isChat = isTerminal && stdin.isTTY && options.prompt === undefined && !options.json;
      if (!options.inspect) return isChat ? chat(options) : once(options);
      const url = await openInspector();
      if (isChat) return chat(options);
      const exitCode = await once(options);
      await stay(url);
      return exitCode;
    }
  }
}

async function openInspector(): Promise<string> {
  const { startInspector } = await import('../inspect/server/index.ts'); // loads a server that is rarely needed
  const inspector = await startInspector();
  ({ inspect } = inspector);
  diagnose(`inspector: ${inspector.url}`);
  return inspector.url;
}

// So that a person can look at what went by too quickly.
async function stay(url: string): Promise<void> {
  if (!stderr.isTTY || abort.signal.aborted) return;
  await outlet.flushed();
  diagnose(`the inspector stays at ${url} until Ctrl-C`);
  await new Promise((resolve) => abort.signal.addEventListener('abort', resolve));
}

async function chat(options: RunOptions): Promise<number> {
  const session = await sessionOf(options);
  const { model, why } = await chosenModel(options);
  let running: Chat | undefined;
  let exitCode = 0;
  const leave = (code: number) => {
    exitCode = code;
    running?.leave();
  };
  abort.signal.addEventListener('abort', () => leave(0)); // the terminal is gone
  process.on('SIGINT', () => running?.interrupt());
  process.on('SIGTERM', () => leave(143));
  process.on('SIGHUP', () => leave(129));
  const chatting = startChat({
    open: (listener) =>
      openConsole({ input: stdin, output: stdout, write: outlet.write, color: isColored(options) }, listener),
    operative: (ask) =>
      createOperative({
        engine: engineOf({ model, why }, options, ask),
        lateMessages: 'start',
        ...(session === undefined ? {} : { conversation: session.conversation }),
      }),
    session,
    color: isColored(options),
    greeting: `${model.id}: ${why}\nType a message; to steer, type another while it is answered. /help explains more.\n\n`,
    resume: options.resume,
  });
  running = chatting;
  // Anything else written to the terminal would break the chat's rows.
  const toStderr = { diagnose, warn: console.warn };
  diagnose = chatting.notice;
  console.warn = (...words: readonly unknown[]) => chatting.notice(words.map(String).join(' '));
  await chatting.left;
  ({ diagnose, warn: console.warn } = toStderr);
  return exitCode;
}

async function once(options: RunOptions): Promise<number> {
  listenForInterrupts({
    cancel(exitCode) {
      interruptCode = exitCode;
      abort.abort();
    },
    leave: (exitCode) => process.exit(exitCode),
  });
  if (options.resume) return turn(options, undefined);
  const found = options.prompt === undefined ? await pipedPrompt() : { prompt: options.prompt };
  if (found === undefined) return interruptCode ?? 2;
  if (found.prompt !== undefined) return turn(options, userMessage(found.prompt));
  if (options.session !== undefined) throw new Refusal(`${found.why}; a session needs a prompt or --resume`);
  if (options.json || options.model !== undefined) {
    diagnose(`${found.why}, using the default one: "${defaultPrompt}"`);
    return turn(options, userMessage(defaultPrompt));
  }
  const { seed, paceMs } = options;
  const parts = { tools: tools(), reporter: reporterFor(options), signal: abort.signal };
  const wentAsTold = await runGuidedDemo({ ...parts, seed, paceMs, inspect });
  return wentAsTold || outlet.state() === 'left' ? 0 : (interruptCode ?? 1);
}

async function turn(options: RunOptions, message: Message | undefined): Promise<number> {
  const session = await sessionOf(options);
  const choice = await chosenModel(options);
  const reporter = reporterFor(options, { leavesOutErrors: true }); // shown below, on standard error
  const ask = askOnTerminal({
    input: stdin,
    output: stderr,
    onUnasked: (question) => diagnose(`without a terminal the answer is no: ${question}`),
    hold: reporter.hold,
  });
  if (options.json) diagnose(`model: ${choice.model.id}; ${choice.why}`);
  else reporter.print(`${choice.model.id}: ${choice.why}\n\n`);
  for (const sentence of session?.repaired ?? []) diagnose(sentence);
  const operative = createOperative({
    engine: engineOf(choice, options, ask),
    ...(session === undefined ? {} : { conversation: session.conversation }),
  });
  const result = await runTurn({ operative, message, session, reporter, signal: abort.signal });
  if (result === undefined) {
    diagnose('nothing to resume: the last message of the session is already an answer');
    return 0;
  }
  const { error } = result;
  if (result.reason === 'failed') diagnose(`the turn failed: ${error?.message ?? 'no reason given'}`);
  else if (error !== undefined) diagnose(error.message);
  if (outlet.state() === 'left' || result.reason === 'completed') return 0;
  if (result.reason === 'maxIterations')
    diagnose(`the turn reached its limit of ${result.iterations} model calls (--max-iterations)`);
  return result.reason === 'aborted' ? (interruptCode ?? 1) : 1;
}

function engineOf({ model }: ModelChoice, { maxIterations, yes }: RunOptions, ask: AskPerson): Engine {
  return createEngine({
    model,
    tools: tools(),
    approve: yes ? () => ({ allow: true }) : approveBy(ask),
    ...(maxIterations === undefined ? {} : { maxIterations }),
    ...(inspect === undefined ? {} : { inspect }),
  });
}

// Reading runs at once; changing files or running a command asks first.
function tools(): readonly Tool[] {
  return baselineTools({ cwd: process.cwd() });
}

/** Ends the command with exit code 2 and one sentence. */
class Refusal extends Error {}

async function sessionOf({ session: name }: RunOptions): Promise<Session | undefined> {
  if (name === undefined) return undefined;
  const { openSession } = await import('./session/session.ts'); // loads the codec and zod, which are needed only for sessions
  const outcome = await openSession(name, sessionFolder(env), (message) => diagnose(message));
  if ('refused' in outcome) throw new Refusal(outcome.refused);
  const { session } = outcome;
  process.once('exit', session.release);
  return session;
}

async function chosenModel({ model, seed, paceMs }: RunOptions): Promise<ModelChoice> {
  try {
    return await chooseModel({ flag: model, env, seed, paceMs });
  } catch (fault) {
    throw new Refusal(fault instanceof Error ? fault.message : String(fault), { cause: fault });
  }
}

async function pipedPrompt() {
  try {
    return await readPrompt(stdin, abort.signal);
  } catch (fault) {
    if (!abort.signal.aborted) diagnose(fault instanceof Error ? fault.message : String(fault));
    return undefined;
  }
}

function reporterFor(options: RunOptions, more: { readonly leavesOutErrors?: boolean } = {}): Reporter {
  if (options.json) return jsonReporter(outlet.write);
  return textReporter({
    ...more,
    write: outlet.write,
    color: isColored(options),
    ...(isTerminal ? { columns: () => stdout.columns || 80 } : {}),
  });
}

function isColored({ color }: RunOptions): boolean {
  return color && isTerminal && (env['NO_COLOR'] ?? '') === '';
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
  if (lost instanceof Error) throw new Error(`standard output cannot be written to: ${lost.message}`);
  process.exit(exitCode); // a tool that ignores its signal or an open pipe must not keep the process alive
} catch (fault) {
  diagnose(fault instanceof Error ? fault.message : String(fault));
  process.exit(fault instanceof Refusal ? 2 : 1);
}
