// A temporary folder with a session and a way to call tools as the runtime does. Used by the tests of the baseline tools.

import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach } from 'vitest';

import type { ResultContent } from '../../../src/conversation/block.ts';
import { createConversation, type Conversation } from '../../../src/conversation/conversation.ts';
import type { Tool, ToolContext, ToolSession } from '../../../src/contracts/tool.ts';
import { isToolResult } from '../../../src/tools/tool-result.ts';
import { baselineTools, type BaselineOptions } from '../../../src/tools/index.ts';

export interface Answer {
  readonly isError: boolean;
  readonly text: string;
  readonly content: readonly ResultContent[];
}

export interface Workbench {
  readonly folder: string;
  readonly session: ToolSession;
  readonly tool: (name: string) => Tool;
  readonly call: (name: string, args: object, context?: Partial<ToolContext>) => Promise<Answer>;
  /** Reads the file through Read, then calls the tool. */
  readonly read: (path: string, args?: object) => Promise<Answer>;
  readonly put: (name: string, content: string | Buffer) => Promise<string>;
  readonly bytes: (name: string) => Promise<Buffer>;
  readonly text: (name: string) => Promise<string>;
}

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'turnchart-test-')));
  folders.push(folder);
  return folder;
}

export function newSession(): ToolSession {
  const values = new Map<symbol, unknown>();
  return {
    id: 'session_test',
    get<T>(key: symbol, create: () => T): T {
      if (!values.has(key)) values.set(key, create());
      return values.get(key) as T;
    },
  };
}

export function newContext(parts: Partial<ToolContext> = {}): ToolContext {
  const conversation: Conversation = createConversation();
  return {
    callId: 'call_1',
    idempotencyKey: 'msg_1/call_1',
    signal: new AbortController().signal,
    turnContext: undefined,
    session: newSession(),
    conversation,
    progress: () => {},
    ...parts,
  };
}

export async function workbench(options: Partial<BaselineOptions> = {}): Promise<Workbench> {
  const folder = options.cwd ?? (await temporaryFolder());
  const tools = baselineTools({ cwd: folder, ...options });
  const session = newSession();
  const tool = (name: string): Tool => {
    const found = tools.find((each) => each.name === name);
    if (found === undefined) throw new Error(`no tool ${name}`);
    return found;
  };
  const call = (name: string, args: object, context: Partial<ToolContext> = {}): Promise<Answer> =>
    callTool(tool(name), args, newContext({ session, ...context }));
  return {
    folder,
    session,
    tool,
    call,
    read: (path, args = {}) => call('Read', { file_path: path, ...args }),
    put: async (name, content) => {
      const path = join(folder, name);
      await writeFile(path, content);
      return path;
    },
    bytes: (name) => readFile(join(folder, name)),
    text: (name) => readFile(join(folder, name), 'utf8'),
  };
}

export async function callTool(tool: Tool, args: object, context: ToolContext): Promise<Answer> {
  const parsed = tool.parse(args);
  if (!parsed.ok) return { isError: true, text: parsed.message, content: [] };
  const result: unknown = await tool.execute(parsed.args, context);
  if (typeof result === 'string') return { isError: false, text: result, content: [{ type: 'text', text: result }] };
  if (!isToolResult(result)) throw new Error('no tool result');
  const text = result.content.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`)).join('\n');
  return { isError: result.isError, text, content: result.content };
}

/** The lines Read shows, without numbers and notes, and the offset it says to go on with. */
export function shownLines(answer: Answer): { readonly lines: string[]; readonly next: number | undefined } {
  const lines = answer.text.split('\n').filter((line) => /^\d+\t/.test(line));
  const next = /Continue with offset=(\d+)/.exec(answer.text.split('\n').slice(-3).join('\n'))?.[1];
  return {
    lines: lines.map((line) => line.slice(line.indexOf('\t') + 1)),
    next: next === undefined ? undefined : Number(next),
  };
}
