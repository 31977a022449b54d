// Finds the result of each call in a transcript whose calls and results may stand anywhere. Called by repair.

import type { Block, ToolCallBlock, ToolResultBlock } from './block.ts';
import type { Message } from './message.ts';
import { uniqueIds } from './unique-ids.ts';

/** A call under an id that is unique in its message, and the result found for it. */
export interface MatchedCall {
  readonly call: ToolCallBlock;
  result?: ToolResultBlock;
}

/** The calls of one assistant message and what belongs into the `tool` message behind it. */
export interface Exchange {
  readonly calls: readonly MatchedCall[];
  /** Blocks of the `tool` messages behind the calls that are neither results nor calls. */
  readonly others: Block[];
  /** Index of the `tool` message whose id and meta the results keep; undefined when there is none to keep. */
  home: number | undefined;
  /** Indexes of further `tool` messages right behind the calls that gave something. */
  readonly merged: number[];
}

/** The calls of one message that came with the same id, in order: the n-th result answers the n-th of them. */
interface Namesakes {
  readonly calls: readonly MatchedCall[];
  answered: number;
  /** An earlier message has a call of this id that is still open, so a result that stands elsewhere fits both. */
  isAmbiguous: boolean;
}

/**
 * Gives each call the result that stands in the `tool` messages right behind it. Results that stand elsewhere go to
 * the last call before them with their id, unless that has a result or a call of an earlier message fits as well.
 * Returns the exchanges by the index of their assistant message; appends a sentence to `notes` for each change.
 */
export function matchResults(messages: readonly Message[], notes: string[]): ReadonlyMap<number, Exchange> {
  const exchanges = new Map<number, Exchange>();
  const namesakes = new Map<number, ReadonlyMap<string, Namesakes>>();
  const strays = new Map<number, readonly ToolResultBlock[]>();

  for (const [index, message] of messages.entries()) {
    const calls = message.role === 'assistant' ? message.content.filter(isCall) : [];
    const isBehindCalls = message.role === 'tool' && strays.has(index);
    if (!isBehindCalls) strays.set(index, message.content.filter(isResult));
    if (calls.length === 0) continue;
    const named = nameCalls(calls, message.id, notes);
    const exchange: Exchange = { calls: named.calls, others: [], home: undefined, merged: [] };
    exchanges.set(index, exchange);
    namesakes.set(index, named.byId);
    for (let behind = index + 1; messages[behind]?.role === 'tool'; behind++) {
      strays.set(behind, takeAnswers(messages, behind, exchange, named.byId));
    }
  }

  const claimed = new Set<number>();
  for (const { home, merged } of exchanges.values()) {
    if (home !== undefined) claimed.add(home);
    for (const index of merged) claimed.add(index);
  }
  const latest = new Map<string, { readonly namesakes: Namesakes; readonly exchange: Exchange }>();
  for (const [index, message] of messages.entries()) {
    const exchange = exchanges.get(index);
    if (exchange) {
      for (const [id, group] of namesakes.get(index) ?? []) {
        const before = latest.get(id)?.namesakes;
        group.isAmbiguous = before !== undefined && (before.isAmbiguous || isOpen(before));
        latest.set(id, { namesakes: group, exchange });
      }
    }
    for (const result of strays.get(index) ?? []) {
      const place = `the result for call ${JSON.stringify(result.callId)} in message ${JSON.stringify(message.id)}`;
      const asked = latest.get(result.callId);
      if (!asked) notes.push(`Dropped ${place}: no message before it makes that call.`);
      else if (!isOpen(asked.namesakes)) notes.push(`Dropped ${place}: the call has a result already.`);
      else if (asked.namesakes.isAmbiguous) notes.push(`Dropped ${place}: several open calls have that id.`);
      else {
        answer(asked.namesakes, result);
        notes.push(`Moved ${place} right behind its call.`);
        if (message.role === 'tool' && asked.exchange.home === undefined && !claimed.has(index)) {
          asked.exchange.home = index;
          for (const block of message.content) if (isOther(block)) asked.exchange.others.push(block);
          claimed.add(index);
        }
      }
    }
  }
  return exchanges;
}

/** True for tool calls. */
export function isCall(block: Block): block is ToolCallBlock {
  return block.type === 'toolCall';
}

/** True for tool results. */
export function isResult(block: Block): block is ToolResultBlock {
  return block.type === 'toolResult';
}

function isOther(block: Block): boolean {
  return !isCall(block) && !isResult(block);
}

function isOpen(namesakes: Namesakes): boolean {
  return namesakes.answered < namesakes.calls.length;
}

function answer(namesakes: Namesakes, result: ToolResultBlock): void {
  const matched = namesakes.calls[namesakes.answered++];
  if (matched) matched.result = matched.call.id === result.callId ? result : { ...result, callId: matched.call.id };
}

/** Takes what the tool message at `index` holds for this exchange and returns the results that it has no use for. */
function takeAnswers(
  messages: readonly Message[],
  index: number,
  exchange: Exchange,
  byId: ReadonlyMap<string, Namesakes>,
): readonly ToolResultBlock[] {
  const left: ToolResultBlock[] = [];
  let gave = false;
  for (const block of messages[index]?.content ?? []) {
    if (isCall(block)) continue;
    const group = isResult(block) ? byId.get(block.callId) : undefined;
    if (isResult(block) && (!group || !isOpen(group))) {
      left.push(block);
      continue;
    }
    if (isResult(block) && group) answer(group, block);
    else exchange.others.push(block);
    gave = true;
  }
  if (exchange.home === undefined) exchange.home = index;
  else if (gave) exchange.merged.push(index);
  return left;
}

/** Makes the ids of one message's calls unique: the second `c` becomes `c_2`. */
function nameCalls(
  calls: readonly ToolCallBlock[],
  messageId: string,
  notes: string[],
): { readonly calls: readonly MatchedCall[]; readonly byId: ReadonlyMap<string, Namesakes> } {
  const unique = uniqueIds(new Set(calls.map((call) => call.id)));
  const groups = new Map<string, MatchedCall[]>();
  const matched = calls.map((call): MatchedCall => {
    const group = groups.get(call.id);
    if (!group) {
      const first: MatchedCall = { call };
      groups.set(call.id, [first]);
      return first;
    }
    const id = unique(call.id);
    notes.push(
      `Renamed a second call ${JSON.stringify(call.id)} of message ${JSON.stringify(messageId)} to ${JSON.stringify(id)}.`,
    );
    const renamed: MatchedCall = { call: { ...call, id } };
    group.push(renamed);
    return renamed;
  });
  const byId = new Map<string, Namesakes>();
  for (const [id, group] of groups) byId.set(id, { calls: group, answered: 0, isAmbiguous: false });
  return { calls: matched, byId };
}
