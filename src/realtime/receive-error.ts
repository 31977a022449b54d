// What a server's error means, and for which request. Called by receive.ts.

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
      // What should be gone is gone: counts as success.
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
      // A reply that has to wait is not reported as an error: the ledger sends it again.
      if (refuseRequest(record, fact)) return;
      record.tell({ type: 'error', recoverable: true, ...told });
      refuse(record, fact);
  }
}

// Until the session is ready, a server that names no event means the oldest command it has not answered: nothing else
// was sent.
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

// The current request was refused. True if only because another answer is active.
function refuseRequest(record: SessionRecord, { causedBy, activeResponseId, code, message }: Failure): boolean {
  const { responses, ledger } = record;
  const isActive = activeResponseId !== undefined;
  // Without an id, only "another one is active" clearly refers to the request.
  if ((causedBy === undefined && !isActive) || !responses.isRequest(causedBy)) return false;
  const order = responses.endRequest();
  if (isActive) ledger.restore(order?.debts ?? []);
  else for (const { waiter } of order?.debts ?? []) waiter?.failed(record.refusal(code, message));
  const occupied = isActive && isOccupied(responses, activeResponseId);
  if (occupied && responses.current === undefined) responses.occupiedBy = activeResponseId;
  record.post({ type: 'request.refused', occupied, owed: ledger.owed });
  return isActive;
}

// An answer given up here still runs on the server. If it has ended there as well, request and end have crossed: ask
// again at once, but not repeatedly.
function isOccupied(responses: Responses, activeResponseId: string): boolean {
  if (!responses.hasEnded(activeResponseId) || responses.isUnended(activeResponseId)) return true;
  const isRepeated = responses.refusedFor === activeResponseId;
  responses.refusedFor = activeResponseId;
  return isRepeated;
}
