// Finds the result of each call in a transcript whose calls and results may stand anywhere. Called by repair.

import type { Block, ToolCallBlock, ToolResultBlock } from './block.ts';
import { isCall, isResult } from './conversation.ts';
import type { Message } from './message.ts';
import { quote } from './pairing.ts';
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
  /** Indexes of the `tool` messages that gave something. The results keep the id and meta of the first. */
  readonly homes: number[];
}

/** The calls of one message that came with the same id, in order: the n-th result answers the n-th of them. */
interface Namesakes {
  readonly exchange: Exchange;
  readonly calls: MatchedCall[];
  answered: number;
  /** An earlier message has a call of this id that is still open, so a result that stands elsewhere fits both. */
  isAmbiguous: boolean;
}

/** What was found: the exchanges by the index of their assistant message, and the indexes of all their homes. */
export interface Matches {
  readonly exchanges: ReadonlyMap<number, Exchange>;
  readonly homes: ReadonlySet<number>;
}

/**
 * Gives each call the result that stands in the `tool` messages right behind it. Results that stand elsewhere go to
 * the last call before them with their id, unless that has a result or a call of an earlier message fits as well.
 * Appends a sentence to `notes` for each change.
 */
export function matchResults(messages: readonly Message[], notes: string[]): Matches {
  const exchanges = new Map<number, Exchange>();
  const homes = new Set<number>();
  const latest = new Map<string, Namesakes>();
  /** Of the `tool` messages right behind calls: the results that those have no use for. */
  const left = new Map<number, readonly ToolResultBlock[]>();

  for (const [index, message] of messages.entries()) {
    const calls = message.role === 'assistant' ? message.content.filter(isCall) : [];
    if (calls.length > 0) {
      const byId = new Map<string, Namesakes>();
      const exchange = exchangeOf(calls, message.id, byId, notes);
      exchanges.set(index, exchange);
      for (let behind = index + 1; messages[behind]?.role === 'tool'; behind++) {
        left.set(behind, takeAnswers(messages, behind, exchange, byId));
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
        notes.push(`Moved ${place} right behind its call.`);
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

/** Takes what the tool message at `index` holds for this exchange and returns the results that it has no use for. */
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

/** The calls of one message under unique ids, the second `c` as `c_2`; `byId` gets those of each id. */
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
