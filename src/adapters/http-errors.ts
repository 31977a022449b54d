// Makes one ModelError of whatever a provider call throws or reports: SDK error classes (read by their shape, so any
// SDK version and any compatible client will do), in-stream error objects, socket failures. Called by the models.

import { isModelError, messageOf, ModelError, type ErrorCode } from '../contracts/errors.ts';
import { redact } from './redact.ts';

/** What the adapter knows about the failed call. */
export interface CallFacts {
  /** As shown to people: `Anthropic`, `OpenAI`. */
  readonly provider: string;
  readonly model: string;
  /** Never quoted: the configured key and the like. */
  readonly secrets?: readonly (string | undefined)[] | undefined;
  /** Where the request went, for connection failures. */
  readonly baseURL?: string | undefined;
  /** The environment variable the SDK reads its key from. */
  readonly keyVariable?: string | undefined;
}

/** An error as a provider reports it in a body or a stream event, each part where it was found. */
export interface ReportedError {
  readonly status?: number | undefined;
  /** The provider's words for it, the most specific first: `context_length_exceeded`, `invalid_request_error`. */
  readonly codes?: readonly unknown[] | undefined;
  readonly message?: string | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  /** The server's own verdict (`x-should-retry`); wins over every rule. */
  readonly shouldRetry?: boolean | undefined;
  readonly cause?: unknown;
}

const maxQuotedCharacters = 1000;

/**
 * The error of a call that threw. A ModelError is passed on. An abort is told apart by the caller, which knows its
 * signal: one that arrives here came from elsewhere and is not retried.
 */
export function modelErrorOf(thrown: unknown, facts: CallFacts): ModelError {
  if (isModelError(thrown)) return thrown;
  const status = numberAt(thrown, 'status');
  if (status !== undefined) return ofResponse(thrown, status, facts);
  const names = namesOf(thrown);
  if (names.includes('APIUserAbortError') || names.includes('AbortError')) {
    return failure('model.connection', `The call to ${facts.provider} was aborted outside of this turn.`, facts, {
      retryable: false,
      cause: thrown,
    });
  }
  if (isTimeout(thrown, names)) {
    return failure(
      'model.connection',
      `${facts.provider} did not answer in time${at(facts)}. Usually passing; else raise the client's timeout.`,
      facts,
      { retryable: true, cause: thrown },
    );
  }
  if (isConnection(thrown, names)) {
    return failure(
      'model.connection',
      `Could not reach ${facts.provider}${at(facts)}: ${deepestMessage(thrown)}. Check the network, the base URL and any proxy.`,
      facts,
      { retryable: true, cause: thrown },
    );
  }
  const codes = codesOf(thrown);
  if (codes.length > 0) return modelErrorOfReport({ codes, message: apiMessageOf(thrown), cause: thrown }, facts);
  const message = messageOf(thrown);
  if (/authentication method|credentials|api[_ ]?key/i.test(message)) {
    return failure('model.unauthorized', `${facts.provider} has no usable key: ${message} ${keyHint(facts)}`, facts, {
      retryable: false,
      cause: thrown,
    });
  }
  return failure('model.failed', `The call to ${facts.provider} (${facts.model}) failed: ${message}`, facts, {
    retryable: false,
    cause: thrown,
  });
}

/** The error a provider reported in a body or inside a stream. Without any known code it counts as passing. */
export function modelErrorOfReport(report: ReportedError, facts: CallFacts): ModelError {
  const words = (report.codes ?? []).filter((code) => typeof code === 'string' && code !== '') as readonly string[];
  const numeric = (report.codes ?? []).find((code) => typeof code === 'number' || /^[45]\d\d$/.test(String(code)));
  const status = report.status ?? statusIn(numeric);
  const said = report.message?.trim() ?? '';
  const kind = kindOf(status, words, said);
  const quoted = quote(said, facts);
  const id = report.requestId === undefined ? '' : ` Request id: ${report.requestId}.`;
  return failure(kind.code, `${sentence(kind.code, status, facts)}${quoted}${hint(kind, facts)}${id}`, facts, {
    retryable: report.shouldRetry ?? kind.retryable,
    ...(report.retryAfterMs === undefined ? {} : { retryAfterMs: report.retryAfterMs }),
    ...(status === undefined ? {} : { status }),
    ...(words[0] === undefined ? {} : { providerCode: words[0] }),
    ...(report.requestId === undefined ? {} : { requestId: report.requestId }),
    ...(report.cause === undefined ? {} : { cause: report.cause }),
  });
}

/** The server's wish for a pause, from `retry-after-ms` or `retry-after` (seconds or a date). */
export function retryAfterMsOf(headers: unknown): number | undefined {
  const milliseconds = Number(headerOf(headers, 'retry-after-ms') ?? NaN);
  if (milliseconds >= 0) return milliseconds;
  const text = headerOf(headers, 'retry-after');
  if (text === undefined || text.trim() === '') return undefined;
  const seconds = Number(text);
  if (!Number.isNaN(seconds)) return seconds >= 0 ? seconds * 1000 : undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

function ofResponse(thrown: unknown, status: number, facts: CallFacts): ModelError {
  const headers = valueAt(thrown, 'headers');
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

interface Kind {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  /** Money, not speed: waiting does not help. */
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

// Words of Anthropic, OpenAI and the servers that imitate them. A word decides before the status: the imitators'
// statuses lie more often than their words.
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

// The one failure the runtime answers by shrinking the request; most servers tell it only in words.
const overflowWords =
  /context[ _-]?(length|window|size)|prompt is too long|input is too long|maximum (context|prompt|input) (length|size|tokens)|too many (input )?tokens|exceeds? (the )?(model'?s )?(maximum|max) (allowed )?(number of )?(input )?tokens|input length and `?max_tokens`? exceed|reduce the length of the (messages|prompt|input)/i;
const keyWords = /(incorrect|invalid|missing|no|wrong) (auth|api)[ _-]?(key|token)|api key not valid|x-api-key/i;

function kindOf(status: number | undefined, words: readonly string[], message: string): Kind {
  for (const word of words) {
    const kind = kindByWord.get(word.toLowerCase());
    if (kind !== undefined) return kind;
  }
  const isRefusal = status === undefined || (status >= 400 && status < 500 && status !== 429);
  if (isRefusal && overflowWords.test(message)) return contextOverflow;
  if (isRefusal && keyWords.test(message)) return unauthorized;
  if (status !== undefined) return kindByStatus(status);
  // An unknown word inside a stream that began well: the server's trouble, unless it blames the request.
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
      // 5xx of a local server is often permanent in truth; retried all the same, nobody can tell.
      return status >= 500 ? passing : rejected;
  }
}

function sentence(code: ErrorCode, status: number | undefined, facts: CallFacts): string {
  const { provider, model } = facts;
  const http = status === undefined ? '' : ` (HTTP ${status})`;
  switch (code) {
    case 'model.unauthorized':
      return `${provider} did not accept the key or its rights${http}`;
    case 'model.notFound':
      return `${provider} knows no model "${model}", or not at this address${http}`;
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
  if (kind.billing) return ' Check the plan and the billing of the account; waiting does not help.';
  switch (kind.code) {
    case 'model.unauthorized':
      return ` ${keyHint(facts)}`;
    case 'model.notFound':
      return ` Check the model id${at(facts) === '' ? ' and the base URL' : `; the request went${at(facts).replace(' at ', ' to ')}`}.`;
    case 'model.contextOverflow':
      return ' Shorten the conversation (compaction, windowing) or lower maxOutputTokens.';
    case 'model.rateLimited':
    case 'model.overloaded':
      return ' Usually passing: wait and send it again.';
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
  // First the keys, then the cut: half a key looks like none. No half of a surrogate pair is left at the end.
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
  const { cause, ...known } = options;
  // Whoever prints an error prints its cause: one that quotes a key is left out.
  const isClean = cause === undefined || quotesNoKey(cause, facts);
  const kept = cause === undefined || !isClean ? known : options;
  return new ModelError(code, redact(message, facts.secrets), kept);
}

function quotesNoKey(cause: unknown, facts: CallFacts): boolean {
  const texts = [messageOf(cause)];
  try {
    texts.push(JSON.stringify(valueAt(cause, 'error')) ?? '');
  } catch {
    return false; // unreadable: nobody can say what it holds
  }
  return texts.every((text) => redact(text, facts.secrets) === text);
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

/** Names an error answers to: its own, and the class names up its chain (openai leaves `name` at "Error"). */
function namesOf(thrown: unknown): readonly string[] {
  const names: string[] = [];
  const own = textAt(thrown, 'name');
  if (own !== undefined) names.push(own);
  let prototype: unknown = typeof thrown === 'object' && thrown !== null ? Object.getPrototypeOf(thrown) : null;
  for (let depth = 0; typeof prototype === 'object' && prototype !== null && depth < 8; depth++) {
    const name = textAt(valueAt(prototype, 'constructor'), 'name');
    if (name !== undefined) names.push(name.replace(/^_/, ''));
    prototype = Object.getPrototypeOf(prototype);
  }
  return names;
}

function causes(thrown: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let cause = thrown; cause !== undefined && cause !== null && chain.length < 6; cause = valueAt(cause, 'cause')) {
    chain.push(cause);
  }
  return chain;
}

function deepestMessage(thrown: unknown): string {
  const chain = causes(thrown);
  const deepest = chain.at(-1);
  const code = textAt(deepest, 'code');
  const message = messageOf(deepest);
  return code === undefined || message.includes(code) ? message : `${message} (${code})`;
}

/** The codes an SDK error carries, most specific first; its body is looked through as well. */
function codesOf(thrown: unknown): readonly unknown[] {
  const body = valueAt(thrown, 'error');
  const inner = valueAt(body, 'error');
  const found = [
    valueAt(thrown, 'errorCode'),
    valueAt(thrown, 'code'),
    valueAt(inner, 'code'),
    valueAt(body, 'code'),
    valueAt(thrown, 'type'),
    valueAt(inner, 'type'),
    textAt(body, 'type') === 'error' ? undefined : valueAt(body, 'type'),
  ];
  return found.filter((code) => (typeof code === 'string' && code !== '') || typeof code === 'number');
}

/** What the server said: the message inside the body, else the body itself, else the SDK's message. */
function apiMessageOf(thrown: unknown): string {
  const body = valueAt(thrown, 'error');
  const inner = valueAt(body, 'error');
  for (const value of [valueAt(inner, 'message'), valueAt(body, 'message'), inner, valueAt(body, 'detail'), body]) {
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value === 'object' && value !== null) return messageOf(value);
  }
  const status = numberAt(thrown, 'status');
  const message = messageOf(thrown);
  if (status === undefined || !message.startsWith(`${status} `)) return message;
  return message.slice(String(status).length + 1).replace(/^status code \(no body\)$/, '');
}

function statusIn(code: unknown): number | undefined {
  const status = Number(code);
  return Number.isInteger(status) && status >= 400 && status <= 599 ? status : undefined;
}

function headerOf(headers: unknown, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  if ('get' in headers && typeof headers.get === 'function') {
    const value: unknown = headers.get(name);
    return typeof value === 'string' ? value : undefined;
  }
  return textAt(headers, name);
}

function valueAt(holder: unknown, key: string): unknown {
  if ((typeof holder !== 'object' && typeof holder !== 'function') || holder === null) return undefined;
  try {
    return Reflect.get(holder, key);
  } catch {
    return undefined; // a hostile getter is no error of ours
  }
}

function textAt(holder: unknown, key: string): string | undefined {
  const value = valueAt(holder, key);
  return typeof value === 'string' ? value : undefined;
}

function numberAt(holder: unknown, key: string): number | undefined {
  const value = valueAt(holder, key);
  return typeof value === 'number' ? value : undefined;
}
