// Makes any transcript valid again, such as after a crash or a lost result. Called on everything that is loaded.

import type { Block, ToolResultBlock } from './block.ts';
import { isCall, isResult, type Conversation } from './conversation.ts';
import { matchResults, type Exchange, type Matches } from './match-results.ts';
import type { Message } from './message.ts';
import { messageFault, pairingFault, quote } from './pairing.ts';
import { isSameJson } from './same-json.ts';
import { uniqueIds } from './unique-ids.ts';

/** A valid conversation, and one sentence for each thing that was changed to make it so. */
export interface Repair {
  readonly conversation: Conversation;
  readonly repaired: readonly string[];
  /** Why nothing could be repaired: the first breach, where messages are malformed. */
  readonly fault?: string;
}

/**
 * Makes the transcript valid, so that `pairingFault` finds nothing:
 * - A call without a result gets the one with its id from elsewhere after it (it must be the last such call before the
 *   result, and the only open one); otherwise an `interrupted` result is added.
 * - Results without an open call, calls outside assistant messages, `tool` messages that answer nothing and copies of
 *   a message under the same id are dropped. The results of one message go into one `tool` message, which keeps the
 *   id and meta of the first.
 * - Repeated ids become `id_2`, `id_3`, …: of calls within a message, and of messages, where user messages and then
 *   earlier messages keep theirs.
 * - Assistant messages at the end that say nothing are dropped.
 *
 * Nothing else is lost or altered, least of all thinking blocks; a user message that held only results stays, empty.
 * Pure and idempotent: the argument is not changed, the same argument gives the same ids, and what needs no repair is
 * returned as the same object with an empty list. Malformed messages cannot be repaired: the argument is returned
 * unchanged, also with an empty list, and `fault` says what is wrong. Linear.
 */
export function repair(conversation: Conversation): Repair {
  const { messages } = conversation;
  const last = Array.isArray(messages) ? messages.at(-1) : undefined;
  const fault = pairingFault(messages);
  if (fault === undefined && (last === undefined || !saysNothing(last))) return { conversation, repaired: [] };
  if (!Array.isArray(messages) || messages.some((message) => messageFault(message) !== undefined)) {
    return { conversation, repaired: [], ...(fault === undefined ? {} : { fault }) };
  }
  const repaired: string[] = [];
  const single = dropCopies(messages, repaired);
  const { rebuilt, invented } = rebuild(single, matchResults(single, repaired), repaired);
  for (let tail = rebuilt.at(-1); tail && saysNothing(tail); tail = rebuilt.at(-1)) {
    repaired.push(`Dropped message ${quote(tail.id)} at the end: it says nothing.`);
    rebuilt.pop();
  }
  return { conversation: { ...conversation, messages: withUniqueIds(rebuilt, invented, repaired) }, repaired };
}

/** The result of a call whose outcome is unknown. It says to the model that the call may have had effects. */
export function interruptedResult(callId: string): ToolResultBlock {
  const text = 'This call was interrupted and its result is lost. It may have had effects; check before you repeat it.';
  return { type: 'toolResult', callId, status: 'interrupted', content: [{ type: 'text', text }] };
}

function saysNothing(message: Message): boolean {
  return message.role === 'assistant' && message.content.every(isEmptyText);
}

function isEmptyText(block: Block): boolean {
  return block.type === 'text' && block.text === '' && block.data === undefined;
}

// Copies of tool messages stay for now: their results may belong to different calls, and the rest is dropped anyway.
function dropCopies(messages: readonly Message[], repaired: string[]): readonly Message[] {
  const firsts = new Map<string, Message>();
  return messages.filter((message) => {
    if (message.role === 'tool') return true;
    const key = `${message.role} ${message.id}`;
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, message);
    if (first === undefined || !isSameJson(first, message)) return true;
    repaired.push(`Dropped a copy of message ${quote(message.id)}.`);
    return false;
  });
}

function rebuild(
  messages: readonly Message[],
  { exchanges, homes }: Matches,
  repaired: string[],
): { readonly rebuilt: Message[]; readonly invented: ReadonlySet<Message> } {
  const rebuilt: Message[] = [];
  const invented = new Set<Message>();
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant') dropCalls(message, repaired);
    if (message.role === 'tool') {
      if (!homes.has(index)) repaired.push(`Dropped message ${quote(message.id)}: no result in it belongs there.`);
      continue;
    }
    const exchange = exchanges.get(index);
    rebuilt.push(withOwnBlocks(message, exchange));
    if (!exchange) continue;
    const [home, ...merged] = exchange.homes.flatMap((place) => messages[place] ?? []);
    for (const { id } of merged) repaired.push(`Merged message ${quote(id)} into ${quote(home?.id ?? '')}.`);
    const answering = answers(message, exchange, home, repaired);
    rebuilt.push(answering);
    if (!home) invented.add(answering);
  }
  return { rebuilt, invented };
}

function dropCalls(message: Message, repaired: string[]): void {
  for (const block of message.content) {
    if (isCall(block)) {
      repaired.push(`Dropped call ${quote(block.id)} from message ${quote(message.id)} of role ${message.role}.`);
    }
  }
}

/** The user or assistant message without the blocks that cannot be there, its calls with unique ids. */
function withOwnBlocks(message: Message, exchange: Exchange | undefined): Message {
  let next = 0;
  const content: Block[] = [];
  for (const block of message.content) {
    if (isResult(block)) continue;
    if (!isCall(block)) content.push(block);
    else if (exchange) content.push(exchange.calls[next++]?.call ?? block);
  }
  return hasSameBlocks(message.content, content) ? message : { ...message, content };
}

/** The tool message after the calls: the same object if nothing changed, otherwise with the results in call order. */
function answers(asking: Message, exchange: Exchange, home: Message | undefined, repaired: string[]): Message {
  const results = exchange.calls.map(({ call, result }) => {
    if (result) return result;
    repaired.push(`Added an interrupted result for call ${quote(call.id)} of message ${quote(asking.id)}.`);
    return interruptedResult(call.id);
  });
  const content = [...results, ...exchange.others];
  if (!home) return { id: `${asking.id}_results`, role: 'tool', content };
  return hasOnly(home.content, content) && hasOnly(content, home.content) ? home : { ...home, content };
}

function hasOnly(content: readonly Block[], allowed: readonly Block[]): boolean {
  const known = new Set(allowed);
  return content.length === allowed.length && content.every((block) => known.has(block));
}

function hasSameBlocks(left: readonly Block[], right: readonly Block[]): boolean {
  return left.length === right.length && left.every((block, index) => block === right[index]);
}

// Existing messages keep their ids before invented ones do, and user messages before all others.
function withUniqueIds(messages: readonly Message[], invented: ReadonlySet<Message>, repaired: string[]): Message[] {
  const owners = new Map<string, number>();
  const claim = (claims: (message: Message) => boolean) => {
    for (const [index, message] of messages.entries()) {
      if (claims(message) && !owners.has(message.id)) owners.set(message.id, index);
    }
  };
  claim((message) => message.role === 'user');
  claim((message) => !invented.has(message));
  claim(() => true);
  const unique = uniqueIds(new Set(owners.keys()));
  return messages.map((message, index) => {
    if (owners.get(message.id) === index) return message;
    const id = unique(message.id);
    if (!invented.has(message)) repaired.push(`Renamed a second message ${quote(message.id)} to ${quote(id)}.`);
    return { ...message, id };
  });
}
