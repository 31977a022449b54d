// Turns whatever a provider call throws or reports into a ModelError: SDK errors (read by their shape, so any SDK version
// and any compatible client will do), error objects inside a stream, socket failures. Called by the models.

import { isModelError, messageOf, ModelError, type ErrorCode } from '../contracts/errors.ts';
import { kindOf, type Kind } from './error-kinds.ts';
import { quotesKey, redact, shownAddress } from './redact.ts';
import {
  apiMessageOf,
  causes,
  codesOf,
  deepestMessage,
  headerOf,
  namesOf,
  numberAt,
  retryAfterMsOf,
  textAt,
  valueAt,
} from './thrown-shape.ts';

/** What the adapter knows about the failed call. */
export interface CallFacts {
  /** Name shown to people: `Anthropic`, `OpenAI`. */
  readonly provider: string;
  readonly model: string;
  /** The configured key and other secrets: never quoted. */
  readonly secrets?: readonly (string | undefined)[] | undefined;
  /** Where the request went. Shown in messages. */
  readonly baseURL?: string | undefined;
  /** The environment variable the SDK reads its key from. */
  readonly keyVariable?: string | undefined;
}

/** The parts of an error that a provider reported in a body or a stream event. */
export interface ReportedError {
  readonly status?: number | undefined;
  /** The provider's codes, most specific first: `context_length_exceeded`, `invalid_request_error`. */
  readonly codes?: readonly unknown[] | undefined;
  readonly message?: string | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  /** The server's own verdict (`x-should-retry`), which overrides every rule. */
  readonly shouldRetry?: boolean | undefined;
  readonly cause?: unknown;
}

const maxQuotedCharacters = 1000;

// What the SDKs say if no key was given at all.
const usual = /^(?:Could not resolve authentication method|Missing credentials)\b/;

// Anthropic's message about thinking blocks after messages, tools or a system text that were changed since.
const unboundThinking = /block is bound to a different conversation/i;
const unboundAdvice =
  " Something before the block was changed since. To have such blocks dropped instead, pass thinking with block_binding: { prefix_mismatch_behavior: 'drop_block' } and the beta thinking-binding-controls-2026-08-01.";

/**
 * The error of a call that threw. A ModelError is passed on. Aborts by the turn's own signal are handled by the caller:
 * an abort that arrives here came from elsewhere and is not retried.
 */
export function modelErrorOf(thrown: unknown, facts: CallFacts): ModelError {
  if (isModelError(thrown)) return withoutKeys(thrown, facts);
  const status = numberAt(thrown, 'status');
  if (status !== undefined) return ofResponse(thrown, status, facts);
  const names = namesOf(thrown);
  if (names.includes('APIUserAbortError') || names.includes('AbortError')) {
    return failure(
      'model.connection',
      `The call to ${facts.provider} was aborted by something other than this turn.`,
      facts,
      {
        retryable: false,
        cause: thrown,
      },
    );
  }
  if (isTimeout(thrown, names)) {
    return failure(
      'model.connection',
      `${facts.provider} did not answer in time${at(facts)}. This is usually temporary; if not, raise the client's timeout.`,
      facts,
      { retryable: true, cause: thrown },
    );
  }
  if (isConnection(thrown, names)) {
    return failure(
      'model.connection',
      `Could not reach ${facts.provider}${at(facts)}${quote(deepestMessage(thrown), facts)} Check the network, the base URL and any proxy.`,
      facts,
      { retryable: true, cause: thrown },
    );
  }
  const codes = codesOf(thrown);
  if (codes.length > 0) return modelErrorOfReport({ codes, message: apiMessageOf(thrown), cause: thrown }, facts);
  const message = messageOf(thrown);
  if (/authentication method|credentials|api[_ ]?key/i.test(message)) {
    const variable = facts.keyVariable === undefined ? '' : ` or set ${facts.keyVariable}`;
    return failure(
      'model.unauthorized',
      `No API key for ${facts.provider} was found: pass \`apiKey\`${variable}.${usual.test(message) ? '' : ` The SDK said${quote(message, facts)}`}`,
      facts,
      { retryable: false, cause: thrown },
    );
  }
  return failure(
    'model.failed',
    `The call to ${facts.provider} (${facts.model}) failed${quote(message, facts)}`,
    facts,
    {
      retryable: false,
      cause: thrown,
    },
  );
}

/** The error a provider reported in a body or inside a stream. Without a known code it counts as temporary. */
export function modelErrorOfReport(report: ReportedError, facts: CallFacts): ModelError {
  const words = (report.codes ?? []).filter((code) => typeof code === 'string' && code !== '') as readonly string[];
  const numeric = (report.codes ?? []).find((code) => typeof code === 'number' || /^[45]\d\d$/.test(String(code)));
  const status = report.status ?? statusIn(numeric);
  const said = report.message?.trim() ?? '';
  const kind = kindOf(status, words, said);
  const advice = unboundThinking.test(said) ? unboundAdvice : hint(kind, facts);
  const quoted = quote(said, facts);
  const id = report.requestId === undefined ? '' : ` Request id: ${report.requestId}.`;
  return failure(kind.code, `${sentence(kind.code, status, facts)}${quoted}${advice}${id}`, facts, {
    retryable: report.shouldRetry ?? kind.retryable,
    ...(report.retryAfterMs === undefined ? {} : { retryAfterMs: report.retryAfterMs }),
    ...(status === undefined ? {} : { status }),
    ...(words[0] === undefined ? {} : { providerCode: words[0] }),
    ...(report.requestId === undefined ? {} : { requestId: report.requestId }),
    ...(report.cause === undefined ? {} : { cause: report.cause }),
  });
}

function ofResponse(thrown: unknown, status: number, facts: CallFacts): ModelError {
  const headers = valueAt(thrown, 'headers');
  if (status >= 300 && status < 400) return ofRedirect(thrown, status, headerOf(headers, 'location'), facts);
  const verdict = headerOf(headers, 'x-should-retry');
  return modelErrorOfReport(
    {
      status,
      codes: codesOf(thrown),
      message: apiMessageOf(thrown),
      requestId:
        textAt(thrown, 'requestID') ??
        textAt(thrown, 'request_id') ??
        headerOf(headers, 'request-id') ??
        headerOf(headers, 'x-request-id') ??
        textAt(valueAt(thrown, 'error'), 'request_id'),
      retryAfterMs: retryAfterMsOf(headers),
      shouldRetry: verdict === 'true' ? true : verdict === 'false' ? false : undefined,
      cause: thrown,
    },
    facts,
  );
}

// Not followed: a redirected POST becomes a GET, or takes headers with keys to a host they were not meant for.
function ofRedirect(thrown: unknown, status: number, location: string | undefined, facts: CallFacts): ModelError {
  const target =
    location !== undefined && URL.canParse(location, facts.baseURL)
      ? ` to ${shownAddress(new URL(location, facts.baseURL).href)}`
      : '';
  return failure(
    'model.rejected',
    `${facts.provider}'s address${at(facts).replace(' at', '')} redirects${target} (HTTP ${status}). Redirects are not followed: if that is the right server, set its address as the base URL.`,
    facts,
    { retryable: false, status, cause: thrown },
  );
}

function sentence(code: ErrorCode, status: number | undefined, facts: CallFacts): string {
  const { provider, model } = facts;
  const http = status === undefined ? '' : ` (HTTP ${status})`;
  switch (code) {
    case 'model.unauthorized':
      return `${provider} rejected the key or its permissions${http}`;
    case 'model.notFound':
      return `${provider} has no model "${model}" at this address${http}`;
    case 'model.rateLimited':
      return `${provider} limits the rate of requests to "${model}"${http}`;
    case 'model.overloaded':
      return `${provider} is overloaded${http}`;
    case 'model.contextOverflow':
      return `The request is too long for "${model}"${http}`;
    case 'model.rejected':
      return `${provider} refused the request to "${model}"${http}`;
    case 'model.connection':
      return `${provider} did not answer in time${http}`;
    default:
      return `${provider} failed to answer${http}`;
  }
}

function hint(kind: Kind, facts: CallFacts): string {
  if (kind.billing) return " Check the account's plan and billing; waiting does not help.";
  switch (kind.code) {
    case 'model.unauthorized':
      return ` ${keyHint(facts)}`;
    case 'model.notFound':
      return ` Check the model id${at(facts) === '' ? ' and the base URL' : `; the request went${at(facts).replace(' at ', ' to ')}`}.`;
    case 'model.contextOverflow':
      return ' Shorten the conversation (compaction, windowing) or lower maxOutputTokens.';
    case 'model.rateLimited':
    case 'model.overloaded':
      return ' This is usually temporary; try again later.';
    default:
      return '';
  }
}

function keyHint(facts: CallFacts): string {
  const variable = facts.keyVariable === undefined ? '' : ` or ${facts.keyVariable}`;
  return `Check the key given as \`apiKey\`${variable}, and that it belongs to this server.`;
}

function quote(said: string, facts: CallFacts): string {
  if (said === '') return '.';
  // Redacted before it is cut, because half a key no longer looks like one. No half of a surrogate pair is left.
  const clean = redact(said, facts.secrets);
  const bounded = clean.slice(0, maxQuotedCharacters).replace(/[\uD800-\uDBFF]$/, '');
  return `: ${bounded}${clean.length > maxQuotedCharacters ? '…' : /[.!?]$/.test(bounded) ? '' : '.'}`;
}

function failure(
  code: ErrorCode,
  message: string,
  facts: CallFacts,
  options: ConstructorParameters<typeof ModelError>[2],
): ModelError {
  return withoutKeys(new ModelError(code, message, options), facts);
}

/** The error itself if it quotes no key, else a copy without the key. */
export function withoutKeys(error: ModelError, facts: CallFacts): ModelError {
  const { secrets } = facts;
  const clean = (text: string | undefined): string | undefined => (text === undefined ? text : redact(text, secrets));
  const message = redact(error.message, secrets);
  const providerCode = clean(error.providerCode);
  const requestId = clean(error.requestId);
  // Printing an error prints its cause too: one that quotes a key is left out.
  const isClean = error.cause === undefined || !quotesKey(error.cause, secrets);
  const isSame = message === error.message && providerCode === error.providerCode && requestId === error.requestId;
  if (isSame && isClean) return error;
  return new ModelError(error.code, message, {
    retryable: error.retryable,
    ...optional('retryAfterMs', error.retryAfterMs),
    ...optional('status', error.status),
    ...optional('providerCode', providerCode),
    ...optional('requestId', requestId),
    ...optional('cause', isClean ? error.cause : undefined),
  });
}

function optional<Key extends string, Value>(key: Key, value: Value | undefined): { readonly [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: Value }; // the computed key widens to string
}

function at(facts: CallFacts): string {
  return facts.baseURL === undefined ? '' : ` at ${facts.baseURL}`;
}

function isTimeout(thrown: unknown, names: readonly string[]): boolean {
  if (names.includes('APIConnectionTimeoutError') || names.includes('TimeoutError')) return true;
  return causes(thrown).some((cause) => /TIMEOUT|ETIMEDOUT/.test(textAt(cause, 'code') ?? ''));
}

function isConnection(thrown: unknown, names: readonly string[]): boolean {
  if (names.includes('APIConnectionError')) return true;
  return causes(thrown).some(
    (cause) =>
      /^(E[A-Z]+|UND_ERR_\w+)$/.test(textAt(cause, 'code') ?? '') ||
      /^(fetch failed|terminated|Failed to fetch|Load failed|network error)$/i.test(textAt(cause, 'message') ?? ''),
  );
}

function statusIn(code: unknown): number | undefined {
  const status = Number(code);
  return Number.isInteger(status) && status >= 400 && status <= 599 ? status : undefined;
}
