// One model call as a stream of events: open the response, decode it batch by batch, fail as ModelError. Called by
// the provider models, which bring the request and the decoder.

import { isModelError, isTurnchartError } from '../contracts/errors.ts';
import type { ModelCallOptions, StreamEvent } from '../contracts/model.ts';
import { iterateBatches, type BatchSource } from './batches.ts';
import { modelErrorOf, withoutKeys, type CallFacts } from './http-errors.ts';
import { parseBody, webPageError, withoutContent } from './parse-answer.ts';
import { openServerSentEvents, type ServerSentEvent, type ServerSentEventSource } from './server-sent-events.ts';

/** Turns a provider's events into ours: a reducer without effects, one per call. */
export interface StreamDecoder {
  /** Appends what the event means to `out`. Throws ModelError; events appended before still count. */
  decode(event: ServerSentEvent, out: StreamEvent[]): void;
  /** Decodes a whole answer that came as one JSON body. Throws ModelError. */
  decodeWhole(body: unknown, out: StreamEvent[]): void;
  /** True from the terminal event on: the rest of the body is ignored. */
  readonly done: boolean;
  /** The body ended before `done`: appends what completes the answer, or throws `stream.incomplete`. */
  end(out: StreamEvent[]): void;
}

/** What a call is made of. */
export interface ModelCall {
  /** Sends the request. Called once, at the first read. */
  readonly open: () => Promise<Response>;
  readonly decoder: StreamDecoder;
  readonly facts: CallFacts;
}

/**
 * The events of one call. Throws the signal's reason after an abort, at once even if the transport ignores it; else
 * ModelError. Leaving the loop cancels the request's body.
 */
export function streamCall(call: ModelCall, options: ModelCallOptions): AsyncIterable<StreamEvent> {
  return iterateBatches(new CallSource(call, options));
}

const maxBodyCharacters = 2 ** 28;

// Nothing at all, or a stream that broke off in its first event.
const mayBeEvents = /^\s*(?:$|:|(?:data|event|id|retry)\b)/;

// A piece of an event stream, or undefined where there is nothing to decode: the stream was only opened, or has ended.
type Piece = ReadableStreamReadResult<Uint8Array> | undefined;

class CallSource implements BatchSource<Piece, StreamEvent> {
  isStopped = false;
  readonly #call: ModelCall;
  readonly #decoder: StreamDecoder;
  readonly #options: ModelCallOptions;
  #source: ServerSentEventSource | undefined;
  #isJson = false;
  #isPage = false;
  // Where events of the current piece go.
  #events: StreamEvent[] = [];
  // Thrown with the next read, so that the events before it are still delivered.
  #failure: { readonly error: unknown } | undefined;
  #ended = false;

  constructor(call: ModelCall, options: ModelCallOptions) {
    this.#call = call;
    this.#decoder = call.decoder;
    this.#options = options;
  }

  read(): Promise<Piece> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    if (this.#ended) return Promise.resolve(undefined);
    return this.#source === undefined ? this.#open() : this.#source.read();
  }

  accept(piece: Piece): readonly StreamEvent[] | undefined {
    this.#events = [];
    if (piece === undefined) return this.#ended ? undefined : this.#events;
    try {
      if (this.#source?.accept(piece, this.#onEvent) === false && !this.#ended) this.#end();
    } catch (error) {
      this.#failure = { error };
    }
    return this.#events;
  }

  rescue(): readonly StreamEvent[] | undefined {
    if (this.#options.signal.aborted || this.#failure !== undefined || this.#ended || this.#source === undefined)
      return undefined;
    try {
      // A connection may break after the last word of an answer, when only the usage was still to come.
      const rest: StreamEvent[] = [];
      this.#decoder.end(rest);
      this.#ended = true;
      return rest;
    } catch {
      return undefined;
    }
  }

  failure(error: unknown): unknown {
    const { signal } = this.#options;
    const { facts } = this.#call;
    if (signal.aborted) return signal.reason;
    if (isTurnchartError(error)) return isModelError(error) ? withoutKeys(error, facts) : error;
    return modelErrorOf(this.#failure === undefined ? (this.#source?.failure(error) ?? error) : error, facts);
  }

  close(): void {
    this.#options.signal.removeEventListener('abort', this.#stop);
    this.#source?.close();
  }

  async #open(): Promise<undefined> {
    const { signal, activity } = this.#options;
    signal.throwIfAborted();
    signal.addEventListener('abort', this.#stop);
    const response = await untilAborted(this.#call.open(), signal, discard);
    activity?.();
    this.#isJson = isOfType(response, /^application\/(?:[\w.+-]+\+)?json\b/i);
    this.#isPage = isOfType(response, /^text\/html\b/i);
    if (response.body === null) throw withoutContent(this.#call.facts);
    this.#source = openServerSentEvents(response.body, {
      signal,
      onActivity: activity,
      ...(this.#isJson ? { maxTextCharacters: maxBodyCharacters } : {}),
    });
  }

  // The body is over. Its content type is only a hint: some servers send events as JSON or as a page, or JSON as events.
  #end(): void {
    const { facts } = this.#call;
    this.#ended = true;
    const text = this.#source?.textWithoutEvents();
    if (text === undefined || (!this.#isJson && mayBeEvents.test(text))) this.#decoder.end(this.#events);
    else if (this.#isPage) throw webPageError(text, facts);
    else this.#decoder.decodeWhole(parseBody(text, facts), this.#events);
  }

  readonly #onEvent = (event: ServerSentEvent): void => {
    if (this.#ended) return;
    this.#decoder.decode(event, this.#events);
    if (!this.#decoder.done) return;
    this.#ended = true;
    this.#source?.release();
  };

  // After an abort: events that were decoded but not yet asked for are not delivered.
  readonly #stop = (): void => {
    this.isStopped = true;
  };
}

function isOfType(response: Response, type: RegExp): boolean {
  return type.test(response.headers.get('content-type') ?? '');
}

function discard(response: Response): void {
  response.body?.cancel().catch(() => undefined); // nobody is waiting for it any more
}

/** The promise's value, or a rejection with the reason as soon as the signal aborts; `late` gets a value that comes later. */
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
