// The check that a list of messages is a valid transcript. Called on every rewrite and view, by repair and by the test
// kit.

import type { Message } from './message.ts';

/** How strict `pairingFault` is. */
export interface PairingOptions {
  /** Whether the calls of the last message may all be without results. Default: false. */
  readonly openTail?: boolean;
  /** Whether messages that were found valid before are not read again. Default: false. */
  readonly remembers?: boolean;
}

/** What the rules need to know of a message that is valid by itself. */
interface Shape {
  readonly id: string;
  readonly isTool: boolean;
  /** Ids of its calls; for a `tool` message, of the calls it answers. */
  readonly calls: readonly string[];
}

const shapes = new WeakMap<object, Shape>();

const noCalls: readonly string[] = [];

/**
 * The first breach of the pairing rules, as one sentence that begins with its place (`messages[3]: …`), or undefined
 * when there is none. The rules: every message is well formed and its id is unique; every call is in an assistant
 * message, its id is unique there, and exactly one result in the next message answers it; results are in `tool`
 * messages only; a `tool` message directly follows an assistant message with calls. Ids of calls may repeat in
 * different messages, and results may be in any order. Never throws, whatever it is given. Linear.
 */
export function pairingFault(messages: readonly Message[], options?: PairingOptions): string | undefined {
  const list: unknown = messages;
  if (!Array.isArray(list)) return `messages: expected an array, got ${kindOf(list)}`;
  const ids = new Set<string>();
  let calls = noCalls; // of the message before, each still without a result
  const remembers = options?.remembers === true;
  for (let index = 0; index < list.length; index++) {
    const message: unknown = list[index];
    const shape = remembers ? shapes.get(message as object) : undefined; // anything may be asked for
    if (shape !== undefined && fits(shape, calls) && !ids.has(shape.id)) {
      ids.add(shape.id);
      calls = shape.isTool ? noCalls : shape.calls;
      continue;
    }
    if (!isMessage(message)) return `messages[${index}]: ${messageFault(message)}`;
    if (ids.size === ids.add(message.id).size) {
      return `messages[${index}]: the id ${quote(message.id)} is taken by an earlier message`;
    }
    const isTool = message.role === 'tool';
    if (!isTool && calls.length > 0) return unanswered(index - 1, calls[0]);
    const asked = callsOf(message, calls);
    if (typeof asked === 'string') return `messages[${index}]: ${asked}`;
    // These calls have no result in the `tool` message.
    if (isTool && asked.length > 0) return unanswered(index - 1, asked[0]);
    if (remembers) shapes.set(message, { id: message.id, isTool, calls: isTool ? calls : asked });
    calls = asked;
  }
  if (calls.length > 0 && options?.openTail !== true) return unanswered(list.length - 1, calls[0]);
  return undefined;
}

/**
 * What is wrong with the shape of one message, as far as pairing looks at it; undefined when nothing is. Never throws.
 */
export function messageFault(message: unknown): string | undefined {
  if (!isObject(message)) return `expected a message, got ${kindOf(message)}`;
  const { id, role, content } = message;
  if (typeof id !== 'string') return `expected id to be a string, got ${kindOf(id)}`;
  if (role !== 'user' && role !== 'assistant' && role !== 'tool') {
    return `expected role to be user, assistant or tool, got ${typeof role === 'string' ? quote(role) : kindOf(role)}`;
  }
  if (!Array.isArray(content)) return `expected content to be an array, got ${kindOf(content)}`;
  for (let index = 0; index < content.length; index++) {
    const block: unknown = content[index];
    if (!isObject(block)) return `expected content[${index}] to be a block, got ${kindOf(block)}`;
    const { type } = block;
    if (typeof type !== 'string') return `expected content[${index}].type to be a string, got ${kindOf(type)}`;
    const key = type === 'toolCall' ? 'id' : type === 'toolResult' ? 'callId' : undefined;
    if (key !== undefined && typeof block[key] !== 'string') {
      return `expected content[${index}].${key} to be a string, got ${kindOf(block[key])}`;
    }
  }
  return undefined;
}

// A `tool` message answers all open calls; before any other message there must be none.
function fits({ isTool, calls }: Shape, open: readonly string[]): boolean {
  return isTool ? calls.length === open.length && open.every((id) => calls.includes(id)) : open.length === 0;
}

function isMessage(value: unknown): value is Message {
  return messageFault(value) === undefined;
}

// The calls that are open after a message: its own, or those that a `tool` message does not answer. Or what is wrong
// with one of them.
function callsOf({ role, content }: Message, before: readonly string[]): readonly string[] | string {
  if (role === 'tool' && before.length === 0)
    return 'a tool message must directly follow an assistant message with calls';
  const calls: string[] = [];
  let ids: Set<string> | undefined; // of the calls, or of those without a result; most messages need no set
  for (const block of content) {
    if (block.type === 'toolCall') {
      if (role !== 'assistant') return `the call ${quote(block.id)} is in a message of role ${role}, not assistant`;
      if (calls.length > 0) ids ??= new Set(calls);
      if (ids?.has(block.id)) return `two calls have the id ${quote(block.id)}`;
      ids?.add(block.id);
      calls.push(block.id);
    } else if (block.type === 'toolResult') {
      if (role === 'tool' && (ids ??= new Set(before)).delete(block.callId)) continue;
      const id = quote(block.callId);
      if (role !== 'tool') return `the result for call ${id} is in a message of role ${role}, not tool`;
      return before.includes(block.callId)
        ? `the call ${id} has two results`
        : `a result answers ${id}, which the message before does not call`;
    }
  }
  return role === 'tool' ? [...(ids ?? before)] : calls;
}

function unanswered(index: number, id: string | undefined): string {
  return `messages[${index}]: the call ${quote(id ?? '')} has no result in the next message`;
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : typeof value;
}

/** An id for use in a sentence, shortened: ids come from models and may be megabytes long. */
export function quote(id: string): string {
  return JSON.stringify(id.length > 60 ? `${id.slice(0, 60)}…` : id);
}
