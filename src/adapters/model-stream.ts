// One model call as a stream of events: open the response, decode it batch by batch, fail as ModelError. Called by
// the provider models, which bring the request and the decoder.

import { isModelError, isTurnchartError, ModelError } from '../contracts/errors.ts';
import type { ModelCallOptions, StreamEvent } from '../contracts/model.ts';
import { iterateBatches, type BatchSource } from './batches.ts';
import { modelErrorOf, withoutKeys, type CallFacts } from './http-errors.ts';
import { redact } from './redact.ts';
import { openServerSentEvents, type ServerSentEvent, type ServerSentEventSource } from './server-sent-events.ts';

/** A provider's events → ours: a reducer without effects, one per call. */
export interface StreamDecoder {
  /** Appends what the event means to `out`. Throws ModelError; what was appended before stands. */
  decode(event: ServerSentEvent, out: StreamEvent[]): void;
  /** Decodes a whole answer that came as one JSON body. Throws ModelError. */
  decodeWhole(body: unknown, out: StreamEvent[]): void;
  /** True from the terminal event on: the rest of the body is of no interest. */
  readonly done: boolean;
  /** The body ended before `done`: appends what completes the answer, or throws `stream.incomplete`. */
  end(out: StreamEvent[]): void;
}

/** What a call is made of. */
export interface ModelCall {
  /** Sends the request. Called once, with the first pull. */
  readonly open: () => Promise<Response>;
  readonly decoder: StreamDecoder;
  readonly facts: CallFacts;
}

/**
 * The events of one call. Throws the signal's reason after an abort, at once even if the transport ignores it; else
 * ModelError. Leaving the loop cancels the request's body.
 */
export function streamCall(call: ModelCall, options: ModelCallOptions): AsyncIterable<StreamEvent> {
  const { signal, activity } = options;
  const { decoder, facts } = call;
  let source: ServerSentEventSource | undefined;
  let failure: { readonly error: unknown } | undefined;
  let ended = false;
  let isJson = false;
  let isPage = false;

  // What was decoded of a piece but not yet asked for is no longer told.
  const stop = (): void => {
    batches.isStopped = true;
  };

  // The first piece: undefined once a stream is open, or the text of a whole answer.
  const open = async (): Promise<string | undefined> => {
    signal.throwIfAborted();
    signal.addEventListener('abort', stop);
    const response = await untilAborted(call.open(), signal, discard);
    activity?.();
    if (response.body === null) return ''; // and no answer
    isJson = isOfType(response, /^application\/(?:[\w.+-]+\+)?json\b/i);
    const read = { signal, onActivity: activity, ...(isJson ? { maxUntoldCharacters: maxBodyCharacters } : {}) };
    isPage = isOfType(response, /^text\/html\b/i);
    source = openServerSentEvents(response.body, read);
    return undefined;
  };

  let events: StreamEvent[] = [];
  const onEvent = (event: ServerSentEvent): void => {
    if (ended) return;
    decoder.decode(event, events);
    if (!decoder.done) return;
    ended = true;
    source?.release();
  };
  const accept = (piece: ReadableStreamReadResult<Uint8Array>): void => {
    try {
      if (source?.accept(piece, onEvent) === true || ended) return;
      ended = true;
      // The content type is only a hint: events come as JSON or as a page, JSON comes as events.
      const text = source?.untold();
      if (text === undefined || (!isJson && mayBeEvents.test(text))) decoder.end(events);
      else if (isPage) throw webPage(text, facts);
      else decoder.decodeWhole(parseBody(text, facts), events);
    } catch (error) {
      failure = { error }; // thrown with the next read: what came before it is still delivered
    }
  };

  const batches: BatchSource<Piece, StreamEvent> & { isStopped: boolean } = {
    isStopped: false,
    read: () => {
      if (failure !== undefined) return Promise.reject(failure.error);
      if (ended) return Promise.resolve(undefined);
      return source === undefined ? open() : source.read();
    },
    accept(piece) {
      events = [];
      if (piece === undefined) return ended ? undefined : events;
      if (typeof piece === 'string') {
        ended = true;
        decoder.decodeWhole(parseBody(piece, facts), events);
      } else accept(piece);
      return events;
    },
    rescue() {
      if (signal.aborted || failure !== undefined || ended || source === undefined) return undefined;
      try {
        // A connection may break behind the last word of an answer that was to be counted yet.
        const rest: StreamEvent[] = [];
        decoder.end(rest);
        ended = true;
        return rest;
      } catch {
        return undefined;
      }
    },
    failure(error) {
      if (signal.aborted) return signal.reason;
      if (isTurnchartError(error)) return isModelError(error) ? withoutKeys(error, facts) : error;
      return modelErrorOf(failure === undefined ? (source?.failure(error) ?? error) : error, facts);
    },
    close: () => {
      signal.removeEventListener('abort', stop);
      source?.close();
    },
  };
  return iterateBatches(batches);
}

const maxBodyCharacters = 2 ** 28;

// Nothing at all, or a stream that broke off in its first event.
const mayBeEvents = /^\s*(?:$|:|(?:data|event|id|retry)\b)/;

// A piece of an event stream; the text of a whole answer; nothing yet, or nothing more.
type Piece = ReadableStreamReadResult<Uint8Array> | string | undefined;

/** Parses an event's data; a text that is no JSON ends the attempt, which may be tried again. */
export function parseEvent(event: ServerSentEvent, facts: CallFacts): unknown {
  try {
    return JSON.parse(event.data);
  } catch (cause) {
    throw malformed('an event', event.data, facts, cause);
  }
}

/** The error of an answer that ended without the provider's last word. */
export function incomplete(facts: CallFacts, expected: string): ModelError {
  return new ModelError(
    'stream.incomplete',
    `${facts.provider}'s answer ended without ${expected}: it is cut off and not used. Usually passing: send the request again.`,
    { retryable: true },
  );
}

function parseBody(text: string, facts: CallFacts): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw malformed('a body', text, facts, cause);
  }
}

function malformed(what: string, text: string, facts: CallFacts, cause: unknown): ModelError {
  return new ModelError(
    'stream.protocol',
    `${facts.provider} sent ${text.trim() === '' ? `${what} without content` : `${what} that is no JSON (it begins ${JSON.stringify(beginning(text, facts))})`}. Is a proxy in between? Sent again it may succeed.`,
    // The parser quotes a part of the text: half a key looks like none.
    { retryable: true, ...(redact(text, facts.secrets) === text ? { cause } : {}) },
  );
}

function webPage(text: string, facts: CallFacts): ModelError {
  const words = text
    .replace(/<(script|style)\b[\s\S]*?<\/\1>|<[^>]*>/gi, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const where = facts.baseURL === undefined ? '' : ` (${facts.baseURL})`;
  return new ModelError(
    'stream.protocol',
    `A web page came instead of ${facts.provider}'s answer: ${JSON.stringify(beginning(words, facts))}. Check the base URL${where} and any proxy or login page in between.`,
    { retryable: false },
  );
}

function beginning(text: string, facts: CallFacts): string {
  // First the keys, then the cut: half a key looks like none.
  return redact(text.slice(0, 4000), facts.secrets)
    .slice(0, 80)
    .replace(/[\uD800-\uDBFF]$/, '');
}

function isOfType(response: Response, type: RegExp): boolean {
  return type.test(response.headers.get('content-type') ?? '');
}

function discard(response: Response): void {
  response.body?.cancel().catch(() => undefined); // nobody waits for it any more
}

/** The promise's value, or the abort reason as soon as the signal fires; a value that comes later is thrown away. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal, late: (value: T) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      reject(signal.reason);
      promise.then(late, () => undefined);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(
      (value) => {
        signal.removeEventListener('abort', onAbort);
        resolve(value);
      },
      (error: unknown) => {
        signal.removeEventListener('abort', onAbort);
        reject(error);
      },
    );
  });
}
