// The model's calls as the session keeps them: told once, answered once, and one reply for all of an answer's. Called by
// the files that receive facts and perform inputs.

import type { ToolCallBlock } from '../conversation/block.ts';
import { callOf } from '../services/fold.ts';
import type { SessionRecord } from './session-record.ts';
import type { WireToolCall } from './wire.ts';

/** The model asks for a tool. Repetitions, and calls of a generation that is interrupted, are nothing new. */
export function requestCall(record: SessionRecord, responseId: string, call: WireToolCall): void {
  const response = record.responses.live(responseId);
  if (response === undefined || response.isSilenced) return;
  if (call.callId === '') return tellNameless(record, call);
  if (!record.calls.add(responseId, call, response.origin === 'outOfBand')) return;
  record.tell({ type: 'toolCall.requested', call: blockOf(call), responseId });
  record.post({ type: 'tool.requested' });
}

// It would be open for ever: no result can name it.
function tellNameless(record: SessionRecord, { name }: WireToolCall): void {
  const message = `The model called "${name}" without an id, so no result can be given. The call was left out.`;
  record.tell({ type: 'error', recoverable: true, code: 'toolCall.withoutId', message });
}

/** The server takes a call back: nothing may be sent for it. */
export function withdrawCall(record: SessionRecord, callId: string): void {
  if (record.calls.find(callId) === undefined) return;
  const why = 'the server took the call back';
  record.tell({ type: 'toolCall.cancelled', callId, why });
  closeCall(record, callId, undefined, 'silent');
  record.tell({ type: 'toolCall.resultSent', callId, delivered: 'dropped', why });
}

/** Sends a result. The model learns of it at once; when it speaks of it is the ledger's business. */
export function sendResult(
  record: SessionRecord,
  callId: string,
  output: string,
  respond: 'auto' | 'now' | 'silent',
  settle: (error: unknown) => void,
): void {
  const open = record.calls.find(callId);
  if (open?.isBeside === true) {
    const why = 'its answer was beside the conversation, which has no place for a result';
    closeCall(record, callId, undefined, 'silent');
    record.tell({ type: 'toolCall.resultSent', callId, delivered: 'dropped', why });
    return settle(undefined);
  }
  const itemId = record.nextId();
  const eventId = record.nextId();
  record.ledger.sent(itemId);
  record.acknowledgements.expectInTime(`item.added ${itemId}`, eventId, (error, isRefused) => {
    record.ledger.confirm(itemId);
    // One that nobody has confirmed was sent all the same, unless the session ended over it.
    const isLost = error !== undefined && (isRefused || record.isStopped);
    const why = error === undefined ? {} : { why: whyOf(error) };
    record.tell({ type: 'toolCall.resultSent', callId, delivered: isLost ? 'dropped' : 'sent', ...why });
    settle(error);
  });
  record.command({ type: 'item.create', eventId, itemId, item: { kind: 'result', callId, output } });
  closeCall(record, callId, itemId, respond);
}

/** Its result goes out as a raw event. Whoever writes such asks for the reply as well. */
export function answeredByHand(record: SessionRecord, callId: string): void {
  if (record.calls.find(callId) === undefined) return;
  closeCall(record, callId, undefined, 'silent');
  record.tell({ type: 'toolCall.resultSent', callId, delivered: 'sent' });
}

/** A reply is owed for results the server was given. */
export function settleBatch(record: SessionRecord, items: readonly string[] | undefined): void {
  if (items !== undefined) record.ledger.add({ cause: 'tool', items });
}

/** No result can be delivered any more: says so for each call. */
export function dropCalls(record: SessionRecord, why: string): void {
  for (const { call } of record.calls.all) {
    record.calls.close(call.callId, undefined, false);
    record.tell({ type: 'toolCall.resultSent', callId: call.callId, delivered: 'dropped', why });
  }
}

function closeCall(
  record: SessionRecord,
  callId: string,
  itemId: string | undefined,
  respond: 'auto' | 'now' | 'silent',
): void {
  settleBatch(record, record.calls.close(callId, itemId, respond === 'auto'));
  if (respond === 'now') {
    record.ledger.add({ cause: 'tool', request: {}, items: itemId === undefined ? [] : [itemId] });
  }
  record.post({ type: 'tool.settled', open: record.calls.size, owed: record.ledger.owed });
}

/** The call as a block: arguments that are no JSON, or are nested too deeply, stay text. */
export function blockOf({ callId, name, rawArgs, itemId }: WireToolCall): ToolCallBlock {
  return { ...callOf(callId, name, rawArgs), data: { itemId } };
}

function whyOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
