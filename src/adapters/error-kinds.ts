// Classifies a failure by the provider's error codes first and the HTTP status second. Called by the error mapping.

import type { ErrorCode } from '../contracts/errors.ts';

/** A kind of failure, and whether the same request may succeed later. */
export interface Kind {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  /** The account has no credit left: waiting does not help. */
  readonly billing?: true;
}

const unauthorized: Kind = { code: 'model.unauthorized', retryable: false };
const notFound: Kind = { code: 'model.notFound', retryable: false };
const rateLimited: Kind = { code: 'model.rateLimited', retryable: true };
const overloaded: Kind = { code: 'model.overloaded', retryable: true };
const contextOverflow: Kind = { code: 'model.contextOverflow', retryable: false };
const rejected: Kind = { code: 'model.rejected', retryable: false };
const unpaid: Kind = { code: 'model.rejected', retryable: false, billing: true };
const passing: Kind = { code: 'model.failed', retryable: true };
const connection: Kind = { code: 'model.connection', retryable: true };

// Codes of Anthropic, OpenAI and compatible servers. A code decides before the status: compatible servers get the status
// wrong more often than the code.
const kindByWord: ReadonlyMap<string, Kind> = new Map([
  ['authentication_error', unauthorized],
  ['permission_error', unauthorized],
  ['permission_denied', unauthorized],
  ['invalid_api_key', unauthorized],
  ['incorrect_api_key', unauthorized],
  ['unauthenticated', unauthorized],
  ['not_found_error', notFound],
  ['model_not_found', notFound],
  ['rate_limit_error', rateLimited],
  ['rate_limit_exceeded', rateLimited],
  ['rate_limit_reached', rateLimited],
  ['resource_exhausted', rateLimited],
  ['overloaded_error', overloaded],
  ['overloaded', overloaded],
  ['service_unavailable', overloaded],
  ['slow_down', overloaded],
  ['context_length_exceeded', contextOverflow],
  ['context_window_exceeded', contextOverflow],
  ['exceed_context_size_error', contextOverflow],
  ['model_context_window_exceeded', contextOverflow],
  ['request_too_large', contextOverflow],
  ['string_above_max_length', rejected],
  ['insufficient_quota', unpaid],
  ['billing_error', unpaid],
  ['billing_hard_limit_reached', unpaid],
  ['invalid_prompt', rejected],
  ['content_filter', rejected],
  ['content_policy_violation', rejected],
  ['api_error', passing],
  ['server_error', passing],
  ['internal_error', passing],
  ['internal_server_error', passing],
  ['timeout_error', connection],
]);

// The one failure that the runtime answers by shrinking the request; most servers report it only in the message.
const overflowWords =
  /context[ _-]?(length|window|size)|prompt is too long|input is too long|maximum (context|prompt|input) (length|size|tokens)|too many (input )?tokens|exceeds? (the )?(model'?s )?(maximum|max) (allowed )?(number of )?(input )?tokens|input length and `?max_tokens`? exceed|reduce the length of the (messages|prompt|input)/i;
const keyWords = /(incorrect|invalid|missing|no|wrong) (auth|api)[ _-]?(key|token)|api key not valid|x-api-key/i;

/** The kind of a failure. `words` are the provider's codes, most specific first; `message` is its text for people. */
export function kindOf(status: number | undefined, words: readonly string[], message: string): Kind {
  for (const word of words) {
    const kind = kindByWord.get(word.toLowerCase());
    if (kind !== undefined) return kind;
  }
  const isRefusal = status === undefined || (status >= 400 && status < 500 && status !== 429);
  if (isRefusal && overflowWords.test(message)) return contextOverflow;
  if (isRefusal && keyWords.test(message)) return unauthorized;
  if (status !== undefined) return kindByStatus(status);
  // An unknown code inside a stream that began well: the server's fault, unless it blames the request.
  return words.some((word) => /invalid|unsupported|bad_?request|not_?supported/i.test(word)) ? rejected : passing;
}

function kindByStatus(status: number): Kind {
  switch (status) {
    case 401:
    case 403:
      return unauthorized;
    case 402:
      return unpaid;
    case 404:
      return notFound;
    case 408:
    case 504:
      return connection;
    case 409:
      return passing;
    case 413:
      return contextOverflow;
    case 429:
      return rateLimited;
    case 503:
    case 529:
      return overloaded;
    default:
      // A local server's 5xx is often permanent, but nothing tells it from a temporary one: all are retried.
      return status >= 500 ? passing : rejected;
  }
}
