// A server's `error` event → the neutral error fact. Pure; called by decode-event.ts.

import { recordOf, textAt, type JsonRecord } from '../../adapters/json-reading.ts';
import { redact } from '../../adapters/redact.ts';
import type { WireErrorKind, WireFact } from '../wire.ts';
import { optional } from './merge.ts';

type ErrorFact = Extract<WireFact, { readonly type: 'error' }>;

const benignCodes: ReadonlySet<string> = new Set([
  'response_cancel_not_active',
  'item_truncate_invalid_item_id',
  'item_truncate_invalid_audio_end_ms',
  'item_delete_invalid_item_id',
  'item_retrieve_invalid_item_id',
]);
// Some of them have a code that only means "invalid value".
const benignWords = /cancellation failed: no active response|already shorter than/i;

// No request will succeed any more.
const fatalCodes: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'invalid_api_key',
  'incorrect_api_key',
  'account_deactivated',
  'billing_hard_limit_reached',
  'model_not_found',
  'beta_api_shape_disabled',
]);

/**
 * The fact. Keys in the message are masked. An error that names one of our events, or calls a request invalid, is about
 * an event, unless its code says more.
 */
export function decodeError(event: JsonRecord, secrets: readonly (string | undefined)[]): ErrorFact {
  const error = recordOf(event['error']) ?? event;
  const type = textAt(error, 'type') ?? '';
  const code = textAt(error, 'code') || type || 'unknown';
  const said = textAt(error, 'message') ?? '';
  const causedBy = textAt(error, 'event_id') || undefined;
  const active = activeResponse(code, said);
  return {
    type: 'error',
    kind: kindOf(code, type, said, causedBy),
    code,
    message: redact(said === '' ? `The server reported ${code}.` : said, secrets),
    ...optional('causedBy', causedBy),
    ...optional('activeResponseId', active),
  };
}

function kindOf(code: string, type: string, said: string, causedBy: string | undefined): WireErrorKind {
  if (code === 'session_expired' || /maximum (session )?duration/i.test(said)) return 'expiry';
  if (fatalCodes.has(code) || type === 'authentication_error') return 'fatal';
  if (benignCodes.has(code) || benignWords.test(said)) return 'benign';
  return causedBy === undefined && type !== 'invalid_request_error' ? 'session' : 'request';
}

/** The message contains it: "Conversation already has an active response in progress: resp_…. Wait until …". */
function activeResponse(code: string, said: string): string | undefined {
  if (code !== 'conversation_already_has_active_response' && !/already has an active response/i.test(said)) {
    return undefined;
  }
  return /in progress:\s*([\w-]+)/i.exec(said)?.[1] ?? '';
}
