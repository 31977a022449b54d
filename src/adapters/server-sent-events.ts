// Reads an HTTP body as server-sent events: any network cut, any line ending, aborts that hold. Called by the
// provider models, which decode a whole batch of events per network chunk.

import { createParser } from 'eventsource-parser';
import { isTurnchartError, ModelError } from '../contracts/errors.ts';

/** One event. `event` is its name if the server sent one; `data` is the joined text of its data lines. */
export interface ServerSentEvent {
  readonly event?: string | undefined;
  readonly data: string;
}

/** How a body is read. */
export interface ReadOptions {
  /** An abort cancels the body and makes the read throw the signal's reason at once, even if the body ignores it. */
  readonly signal: AbortSignal;
  /** Called for every chunk of bytes, also when it holds only a comment or half a line. */
  readonly onActivity?: (() => void) | undefined;
  /** Longest event in characters, complete or not; a longer one fails with `stream.protocol`. Default 2^28. */
  readonly maxEventCharacters?: number | undefined;
  /** Characters kept of a body without events, see `textWithoutEvents`. Default 2^24. */
  readonly maxTextCharacters?: number | undefined;
}

/** A body being read: `read` returns its pieces, `accept` turns them into events. */
export interface ServerSentEventSource {
  read(): Promise<ReadableStreamReadResult<Uint8Array>>;
  /** Passes the events that a piece completes to `onEvent`, in order; false at the end of the body. Throws after an abort. */
  accept(piece: ReadableStreamReadResult<Uint8Array>, onEvent: (event: ServerSentEvent) => void): boolean;
  /** The text of a finished body without events, which may be a whole answer; undefined if there were events or it was too long. */
  textWithoutEvents(): string | undefined;
  /** What to throw for an error of `read` or `accept`. */
  failure(error: unknown): unknown;
  /** Cancels the body. */
  close(): void;
  /** Stops reading after the last relevant event, but gives the body a second to end, so that the connection can be reused. */
  release(): void;
}

// A server that never ends a line must not fill the memory; the largest real events (pictures) are about 10 MB.
const defaultMaxEventCharacters = 2 ** 28;
const defaultMaxTextCharacters = 2 ** 24;
const releaseTimeoutMs = 1000;
const streaming = { stream: true };

/**
 * Opens a body for reading. A last event without a blank line after it counts if its data is complete JSON (some servers
 * end like this) or `[DONE]`; else it is dropped.
 */
export function openServerSentEvents(body: ReadableStream<Uint8Array>, options: ReadOptions): ServerSentEventSource {
  const bytes = openBody(body, options);
  let emit: (event: ServerSentEvent) => void;
  let overflown = false;
  let plainText: string | undefined = '';
  // The parser takes care of CR, LF and CRLF split across chunks and of the byte order mark, which the decoder keeps.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const maxBufferSize = options.maxEventCharacters ?? defaultMaxEventCharacters;
  const maxTextCharacters = options.maxTextCharacters ?? defaultMaxTextCharacters;
  const parser = createParser({
    maxBufferSize,
    onEvent: (event) => {
      plainText = undefined;
      emit(event);
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') overflown = true;
    },
  });

  return {
    read: bytes.read,
    accept(piece, onEvent) {
      const { value, done } = bytes.accept(piece);
      emit = onEvent;
      if (!done) {
        const text = decoded(decoder, value);
        if (plainText !== undefined) plainText = plainText.length > maxTextCharacters ? undefined : plainText + text;
        parser.feed(text);
      } else {
        parser.feed(decoder.decode());
        emit = (event) => {
          if (isComplete(event.data)) onEvent(event);
        };
        parser.feed('\n\n');
      }
      if (overflown) throw overflow(maxBufferSize);
      return !done;
    },
    textWithoutEvents: () => plainText?.replace(/^\uFEFF/, ''),
    failure: bytes.failure,
    close: bytes.close,
    release: bytes.release,
  };
}

/**
 * The text of a chunk. One that ends in ASCII does not end inside a character, so it need not be decoded as part of a
 * stream: that takes a third less time and gives one-byte strings.
 */
function decoded(decoder: TextDecoder, chunk: Uint8Array): string {
  const last = chunk[chunk.length - 1] ?? 0x80;
  return last < 0x80 ? decoder.decode(chunk) : decoder.decode(chunk, streaming);
}

type Piece = ReadableStreamReadResult<Uint8Array>;

interface Bytes {
  /** The reader's own promise; settled at once by an abort, since cancelling a stream ends its pending reads. */
  read(): Promise<Piece>;
  /** Throws the reason if the piece came after an abort. */
  accept(piece: Piece): Piece;
  failure(error: unknown): unknown;
  close(): void;
  release(): void;
}

/** The chunks of a body, fenced by the signal: one abort listener for the whole read, none per chunk. */
function openBody(body: ReadableStream<Uint8Array>, { signal, onActivity }: ReadOptions): Bytes {
  const reader = body.getReader();
  let open = true;
  let aborted = false;

  const stopListening = (): void => {
    open = false;
    signal.removeEventListener('abort', onAbort);
  };
  const cancel = (reason?: unknown): void => {
    reader.cancel(reason).catch(() => undefined); // a body that has failed already has nothing to cancel
  };
  const onAbort = (): void => {
    aborted = true;
    stopListening();
    cancel(signal.reason);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort);

  return {
    read: () => reader.read(),
    accept(piece) {
      if (aborted) throw signal.reason;
      if (piece.done) stopListening();
      onActivity?.();
      return piece;
    },
    failure(error) {
      stopListening();
      if (aborted) return signal.reason;
      return isTurnchartError(error) ? error : brokenConnection(error);
    },
    close() {
      if (!open) return;
      stopListening();
      cancel();
    },
    release() {
      if (!open) return;
      open = false;
      drain(reader, releaseTimeoutMs, stopListening);
    },
  };
}

/** Reads to the end and ignores what comes, so that the connection returns to its pool; cancels after the timeout. */
function drain(reader: ReadableStreamDefaultReader<Uint8Array>, timeoutMs: number, settled: () => void): void {
  const giveUp = setTimeout(() => void reader.cancel().catch(() => undefined), timeoutMs);
  if (typeof giveUp === 'object') giveUp.unref(); // Node: must not keep the process alive
  const finish = (): void => {
    clearTimeout(giveUp);
    settled();
  };
  const step = (): void => void reader.read().then(({ done }) => (done ? finish() : step()), finish);
  step();
}

function isComplete(data: string): boolean {
  if (data === '[DONE]') return true;
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false;
  }
}

function brokenConnection(cause: unknown): ModelError {
  const detail = cause instanceof Error ? cause.message : String(cause);
  return new ModelError(
    'model.connection',
    `The connection broke in the middle of the answer (${detail}). This is usually temporary; try again.`,
    { retryable: true, cause },
  );
}

function overflow(limit: number): ModelError {
  return new ModelError(
    'stream.protocol',
    `The server sent more than ${limit} characters without completing one event. Is it a server-sent event stream?`,
    { retryable: false },
  );
}
