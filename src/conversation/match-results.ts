// Finds the result of each call in a transcript whose calls and results may be anywhere. Called by repair.

import type { Block, ToolCallBlock, ToolResultBlock } from './block.ts';
import { isCall, isResult } from './conversation.ts';
import type { Message } from './message.ts';
import { quote } from './pairing.ts';
import { uniqueIds } from './unique-ids.ts';

/** A call with an id that is unique in its message, and the result found for it. */
export interface MatchedCall {
  readonly call: ToolCallBlock;
  result?: ToolResultBlock;
}

/** The calls of one assistant message and what belongs in the `tool` message after it. */
export interface Exchange {
  readonly calls: readonly MatchedCall[];
  /** Blocks of the `tool` messages after the calls that are neither results nor calls. */
  readonly others: Block[];
  /** Indexes of the `tool` messages that contribute blocks. The results keep the id and meta of the first. */
  readonly homes: number[];
}

/** The calls of one message that have the same id, in order: the n-th result answers the n-th call. */
interface Namesakes {
  readonly exchange: Exchange;
  readonly calls: MatchedCall[];
  answered: number;
  /** An earlier message has an open call with this id, so a result that is elsewhere fits both. */
  isAmbiguous: boolean;
}

/** The exchanges by the index of their assistant message, and the indexes of all their homes. */
export interface Matches {
  readonly exchanges: ReadonlyMap<number, Exchange>;
  readonly homes: ReadonlySet<number>;
}

/**
 * Gives each call the result from the `tool` messages right after it. Results elsewhere go to the last call before them
 * with their id, unless it has a result already or a call of an earlier message fits as well. Appends a sentence to
 * `notes` for each change.
 */
export function matchResults(messages: readonly Message[], notes: string[]): Matches {
  const exchanges = new Map<number, Exchange>();
  const homes = new Set<number>();
  const latest = new Map<string, Namesakes>();
  /** Results in `tool` messages right after calls that answer none of those calls, by index of the message. */
  const left = new Map<number, readonly ToolResultBlock[]>();

  for (const [index, message] of messages.entries()) {
    const calls = message.role === 'assistant' ? message.content.filter(isCall) : [];
    if (calls.length > 0) {
      const byId = new Map<string, Namesakes>();
      const exchange = exchangeOf(calls, message.id, byId, notes);
      exchanges.set(index, exchange);
      for (let after = index + 1; messages[after]?.role === 'tool'; after++) {
        left.set(after, takeAnswers(messages, after, exchange, byId));
      }
      for (const home of exchange.homes) homes.add(home);
      for (const [id, namesakes] of byId) {
        const before = latest.get(id);
        namesakes.isAmbiguous = before !== undefined && (before.isAmbiguous || isOpen(before));
        latest.set(id, namesakes);
      }
    }
    for (const result of left.get(index) ?? message.content.filter(isResult)) {
      const place = `the result for call ${quote(result.callId)} in message ${quote(message.id)}`;
      const asked = latest.get(result.callId);
      if (!asked) notes.push(`Dropped ${place}: no message before it makes that call.`);
      else if (!isOpen(asked)) notes.push(`Dropped ${place}: the call has a result already.`);
      else if (asked.isAmbiguous) notes.push(`Dropped ${place}: several open calls have that id.`);
      else {
        answer(asked, result);
        notes.push(`Moved ${place} right after its call.`);
        const { exchange } = asked;
        if (message.role === 'tool' && exchange.homes.length === 0 && !homes.has(index)) {
          exchange.homes.push(index);
          homes.add(index);
          for (const block of message.content) if (!isCall(block) && !isResult(block)) exchange.others.push(block);
        }
      }
    }
  }
  return { exchanges, homes };
}

function isOpen(namesakes: Namesakes): boolean {
  return namesakes.answered < namesakes.calls.length;
}

function answer(namesakes: Namesakes, result: ToolResultBlock): void {
  const matched = namesakes.calls[namesakes.answered++];
  if (matched) matched.result = matched.call.id === result.callId ? result : { ...result, callId: matched.call.id };
}

/** Takes from the tool message at `index` what belongs to this exchange and returns the other results. */
function takeAnswers(
  messages: readonly Message[],
  index: number,
  { homes, others }: Exchange,
  byId: ReadonlyMap<string, Namesakes>,
): readonly ToolResultBlock[] {
  const left: ToolResultBlock[] = [];
  let gave = homes.length === 0;
  for (const block of messages[index]?.content ?? []) {
    if (isCall(block)) continue;
    const asked = isResult(block) ? byId.get(block.callId) : undefined;
    if (isResult(block) && (!asked || !isOpen(asked))) {
      left.push(block);
      continue;
    }
    if (isResult(block) && asked) answer(asked, block);
    else others.push(block);
    gave = true;
  }
  if (gave) homes.push(index);
  return left;
}

/** The calls of one message with unique ids: the second `c` becomes `c_2`. `byId` receives the calls of each id. */
function exchangeOf(
  calls: readonly ToolCallBlock[],
  messageId: string,
  byId: Map<string, Namesakes>,
  notes: string[],
): Exchange {
  const matched: MatchedCall[] = [];
  const exchange: Exchange = { calls: matched, others: [], homes: [] };
  const unique = uniqueIds(new Set(calls.map((call) => call.id)));
  for (const call of calls) {
    const namesakes = byId.get(call.id);
    const id = namesakes ? unique(call.id) : call.id;
    const one: MatchedCall = { call: namesakes ? { ...call, id } : call };
    matched.push(one);
    if (namesakes) {
      notes.push(`Renamed a second call ${quote(call.id)} of message ${quote(messageId)} to ${quote(id)}.`);
      namesakes.calls.push(one);
    } else {
      byId.set(id, { exchange, calls: [one], answered: 0, isAmbiguous: false });
    }
  }
  return exchange;
}
