// Why a socket closed → the error a session ends with. Pure; called by wire-link.ts.

import { modelErrorOfReport, withoutKeys, type CallFacts } from '../../adapters/http-errors.ts';
import { recordOf, textAt } from '../../adapters/json-reading.ts';
import { ModelError } from '../../contracts/errors.ts';
import type { SocketFailure } from './socket.ts';

/** What is known about the end of a socket. */
export interface SocketEnd {
  readonly code: number;
  readonly reason: string;
  readonly failure: SocketFailure | undefined;
  /** It was open, and lost. */
  readonly wasOpen: boolean;
}

/** Undefined for an orderly end: the server closed an open socket with 1000. */
export function closeError({ code, reason, failure, wasOpen }: SocketEnd, facts: CallFacts): ModelError | undefined {
  if (failure?.status !== undefined) return refusal(failure.status, failure.body ?? '', facts);
  if (failure === undefined && wasOpen && code === 1000) return undefined;
  // Refusals after the upgrade close with `<type>.<code>` as the reason.
  const words = /^\w+(\.\w+)+$/.test(reason) ? reason.split('.').toReversed() : [];
  if (words.length > 0) return modelErrorOfReport({ codes: words, message: reason }, facts);
  const at = facts.baseURL === undefined ? '' : ` at ${facts.baseURL}`;
  const why = failure === undefined ? closeWords(code, reason) : failure.message;
  const message = wasOpen
    ? `${facts.provider} closed the session: ${why}.`
    : `Could not reach ${facts.provider}${at}: ${why}. Check the network, the base URL and any proxy.`;
  const cause = failure?.cause;
  return withoutKeys(
    new ModelError('model.connection', message, { retryable: true, ...(cause === undefined ? {} : { cause }) }),
    facts,
  );
}

function refusal(status: number, body: string, facts: CallFacts): ModelError {
  let error;
  try {
    const answer = recordOf(JSON.parse(body));
    error = recordOf(answer?.['error']) ?? answer;
  } catch {
    error = undefined; // not JSON: a proxy's page, perhaps
  }
  return modelErrorOfReport(
    { status, codes: [error?.['code'], error?.['type']], message: textAt(error, 'message') },
    facts,
  );
}

function closeWords(code: number, reason: string): string {
  const known = meanings.get(code);
  return `code ${code}${known === undefined ? '' : ` (${known})`}${reason === '' ? '' : `, "${reason}"`}`;
}

// RFC 6455, 7.4.1.
const meanings: ReadonlyMap<number, string> = new Map([
  [1000, 'normal'],
  [1001, 'the server goes away'],
  [1005, 'no code given'],
  [1006, 'the connection was lost'],
  [1008, 'against the server’s policy'],
  [1009, 'a message was too large'],
  [1011, 'the server failed'],
  [1012, 'the server restarts'],
  [1013, 'try again later'],
]);
