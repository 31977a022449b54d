// What an error of the server's means, and for whom. Called by receive.ts.

import type { Responses } from './responses.ts';
import type { SessionRecord } from './session-record.ts';
import type { WireFact } from './wire.ts';

type Failure = Extract<WireFact, { readonly type: 'error' }>;

/** Classifies by kind: most errors concern one event, and none but the fatal ones end the session. */
export function receiveError(record: SessionRecord, given: Failure): void {
  const fact = attributed(record, given);
  const { kind, code, message, causedBy } = fact;
  const told = { code, message, ...(causedBy === undefined ? {} : { causedBy }) };
  record.lastError = message;
  switch (kind) {
    case 'benign':
      // What should be gone is gone: as good as done.
      if (causedBy !== undefined) record.acknowledgements.refuse(causedBy, undefined);
      return;
    case 'fatal':
    case 'expiry':
      record.tell({ type: 'error', recoverable: false, ...told });
      record.post({
        type: 'session.failed',
        end: {
          reason: kind === 'expiry' ? 'expired' : record.isLive ? 'fatal' : 'connectFailed',
          message,
          error: fact.error ?? record.refusal(code, message),
        },
      });
      return;
    case 'request':
    case 'session':
      if (isConfiguration(record, fact)) return refuseConfiguration(record, fact);
      // A reply that has to wait is no error to anybody: the ledger sends it again.
      if (refuseRequest(record, fact)) return;
      record.tell({ type: 'error', recoverable: true, ...told });
      refuse(record, fact);
  }
}

// A server that names no event means, until the session is ready, the oldest command it has not answered: it was sent
// nothing else.
function attributed(record: SessionRecord, fact: Failure): Failure {
  if (fact.kind !== 'request' || fact.causedBy !== undefined || record.isLive) return fact;
  const causedBy = record.acknowledgements.oldest ?? record.configuration;
  return causedBy === undefined ? fact : { ...fact, causedBy };
}

function isConfiguration(record: SessionRecord, { causedBy }: Failure): boolean {
  return causedBy !== undefined && causedBy === record.configuration && !record.isLive;
}

function refuseConfiguration(record: SessionRecord, { code, message }: Failure): void {
  const error = record.refusal(code, message);
  record.post({ type: 'session.failed', end: { reason: 'connectFailed', message, error } });
}

function refuse(record: SessionRecord, { causedBy, code, message }: Failure): void {
  if (causedBy === undefined) return;
  const error = record.refusal(code, message);
  if (record.acknowledgements.refuse(causedBy, error)) return;
  record.responses.besideRequests.get(causedBy)?.failed(error);
  record.responses.besideRequests.delete(causedBy);
}

// The request under way was not taken. True when that was only because another answer is active.
function refuseRequest(record: SessionRecord, { causedBy, activeResponseId, code, message }: Failure): boolean {
  const { responses, ledger } = record;
  const isActive = activeResponseId !== undefined;
  // Without an id only "another one is active" can mean nothing but the request.
  if ((causedBy === undefined && !isActive) || !responses.isRequest(causedBy)) return false;
  const order = responses.endRequest();
  if (isActive) ledger.restore(order?.debts ?? []);
  else for (const { debtor } of order?.debts ?? []) debtor?.failed(record.refusal(code, message));
  const occupied = isActive && isOccupied(responses, activeResponseId);
  if (occupied && responses.current === undefined) responses.occupiedBy = activeResponseId;
  record.post({ type: 'request.refused', occupied, owed: ledger.owed });
  return isActive;
}

// One that was given up here goes on there. One that has ended there as well crossed its end: asked for again at once, but
// not over and over.
function isOccupied(responses: Responses, activeResponseId: string): boolean {
  if (!responses.hasEnded(activeResponseId) || responses.isUnended(activeResponseId)) return true;
  const isRepeated = responses.refusedFor === activeResponseId;
  responses.refusedFor = activeResponseId;
  return isRepeated;
}
