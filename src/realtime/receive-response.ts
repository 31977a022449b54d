// An answer's beginning and its end. Called by receive.ts.

import type { ResponseOrigin, ResponseStatus } from '../contracts/realtime.ts';
import { requestCall, settleBatch } from './session-calls.ts';
import type { Debt } from './reply-ledger.ts';
import { silenceOf, type LiveResponse } from './responses.ts';
import type { SessionRecord } from './session-record.ts';
import { addRealtimeUsage } from './usage-total.ts';
import type { WireFact } from './wire.ts';

type Created = Extract<WireFact, { readonly type: 'response.created' }>;
type Done = Extract<WireFact, { readonly type: 'response.done' }>;

/** Why an answer is over whose end the server never reported. */
export const unended = 'the server never ended it';

/** An answer has begun: one that was asked for, one of the server's own, or one that was given up before. */
export function responseCreated(record: SessionRecord, { responseId, requestId, outOfBand }: Created): void {
  const { responses, ledger } = record;
  if (responses.live(responseId) !== undefined || responses.hasEnded(responseId)) return; // reported twice
  if (outOfBand === true || (requestId !== undefined && responses.besideRequests.has(requestId))) {
    return besideCreated(record, responseId, requestId);
  }
  // The server has one answer at a time: the end of the previous one was lost.
  if (responses.current !== undefined) giveUpResponse(record, responses.current, 'superseded');
  const owner = responses.ownerOf(requestId);
  let origin: ResponseOrigin = record.isIdleAnnounced ? 'idle' : 'vad';
  let debts: readonly Debt[] = [];
  if (owner !== 'server') {
    const order = responses.endRequest();
    origin = order?.cause ?? 'client';
    debts = order?.debts ?? [];
    for (const { waiter } of debts) waiter?.begun();
  } else {
    ledger.payByServer();
  }
  record.isIdleAnnounced = false;
  const response = responses.begin(responseId, origin, owner, record.host.now(), debts);
  if (response.isTold) record.tell({ type: 'response.started', responseId, origin });
  record.post({ type: 'response.created', owner, owed: ledger.owed });
}

/** An answer is over. One that never began here comes through raw. */
export function responseDone(record: SessionRecord, fact: Done): void {
  const { responses, ledger } = record;
  const { responseId, status, reason, error, usage } = fact;
  if (responses.hasEnded(responseId)) return lateDone(record, fact);
  if (usage !== undefined) record.usage = addRealtimeUsage(record.usage, usage);
  const response = responses.live(responseId);
  if (response === undefined) return unknownDone(record, fact);
  if (!response.isSilenced) for (const call of fact.calls) requestCall(record, responseId, call);
  const isCurrent = response === responses.current;
  if (error !== undefined && response.isTold) record.tell({ type: 'error', recoverable: true, ...error });
  settleResponse(record, response, status, reason, usage);
  if (usage !== undefined) record.tell({ type: 'usage', delta: usage, total: record.usage });
  if (isCurrent) record.post({ type: 'response.done', inFlight: responses.isWaiting, owed: ledger.owed });
}

/**
 * The server has not ended it; stop waiting. The model still speaks about the results of its calls: they were not
 * cancelled.
 */
export function giveUpResponse(record: SessionRecord, response: LiveResponse, reason: string): void {
  settleResponse(record, response, response.isSilenced ? 'cancelled' : 'incomplete', reason, undefined, true);
}

/** Ends an answer for good: updates the ledgers and emits `response.completed` if its start was emitted. */
export function settleResponse(
  record: SessionRecord,
  response: LiveResponse,
  status: ResponseStatus,
  reason?: string,
  usage?: Done['usage'],
  isGivenUp = false,
): void {
  const { responseId, origin, isSilenced, isTold } = response;
  record.host.clearTimeout(response.timer);
  record.responses.end(responseId, isGivenUp);
  record.acknowledgements.settle(`response.ended ${responseId}`);
  record.playback.finishReceiving(responseId);
  settleBatch(record, record.calls.finish(responseId, isSilenced || status === 'cancelled'));
  // The user spoke first: if the server does not answer that, what was owed is still owed.
  if (response.isMissed) record.ledger.restore(response.debts.filter(({ request }) => request === undefined));
  if (!isTold) return;
  record.tell({
    type: 'response.completed',
    responseId,
    origin,
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(usage === undefined ? {} : { usage }),
  });
}

function besideCreated(record: SessionRecord, responseId: string, requestId: string | undefined): void {
  const { responses } = record;
  if (requestId !== undefined) {
    responses.besideRequests.get(requestId)?.begun();
    responses.besideRequests.delete(requestId);
  }
  const response = responses.begin(responseId, 'outOfBand', 'own', record.host.now());
  record.tell({ type: 'response.started', responseId, origin: 'outOfBand' });
  watchBeside(record, response);
}

// An out-of-band answer passes no region of the chart, which gives other answers their deadlines.
function watchBeside(record: SessionRecord, response: LiveResponse): void {
  const { host, deadlines } = record;
  const left = (): number => deadlines.answerMs - silenceOf(response, host.now());
  response.timer = record.startTimer(left(), () => {
    if (left() > 0) return watchBeside(record, response);
    const { responseId } = response;
    record.command({ type: 'response.cancel', eventId: record.nextId(), responseId });
    giveUpResponse(record, response, unended);
  });
}

// Reported twice, or the end of an answer that was given up: whatever waited for that may go on.
function lateDone(record: SessionRecord, { responseId, usage }: Done): void {
  const { responses, ledger } = record;
  if (!responses.endUnended(responseId)) return;
  if (usage !== undefined) {
    record.usage = addRealtimeUsage(record.usage, usage);
    record.tell({ type: 'usage', delta: usage, total: record.usage });
  }
  if (responses.occupiedBy !== responseId) return;
  responses.occupiedBy = undefined;
  record.post({ type: 'response.done', inFlight: responses.isWaiting, owed: ledger.owed });
}

function unknownDone(record: SessionRecord, fact: Done): void {
  const { responses, ledger } = record;
  const { occupiedBy } = responses;
  responses.end(fact.responseId);
  if (fact.usage !== undefined) record.tell({ type: 'usage', delta: fact.usage, total: record.usage });
  const { type, responseId, status } = fact;
  record.tell({ type: 'raw', provider: record.wire.provider, event: { type, responseId, status } });
  if (occupiedBy !== '' && occupiedBy !== responseId) return;
  responses.occupiedBy = undefined;
  record.post({ type: 'response.done', inFlight: responses.isWaiting, owed: ledger.owed });
}
