// Reads an HTTP body as server-sent events: any network cut, any line ending, aborts that hold. Called by the
// provider models, which decode a whole batch of events per network chunk.

import { createParser } from 'eventsource-parser';
import { ModelError } from '../contracts/errors.ts';
import { iterateBatches, type BatchSource } from './batches.ts';

/** One event. `event` is its name where the server sent one; `data` is the joined text of its data lines. */
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
}

/** Batches of events, one per network chunk that completes any. */
export interface ServerSentEventSource extends BatchSource<ServerSentEvent> {
  /** Ends the reading after the last event that matters: gives the body a second to end, so that the connection can be used again. */
  release(): void;
}

// A server that never ends its line must not fill the memory; the largest real events (pictures) are near 10 MB.
const maxBufferedCharacters = 256 * 1024 * 1024;
const releaseTimeoutMs = 1000;

/**
 * The events of a body, one by one. Single use. Throws the abort reason, or `model.connection` (retryable) when the
 * body breaks. Leaving the loop cancels the body.
 */
export function readServerSentEvents(
  body: ReadableStream<Uint8Array>,
  options: ReadOptions,
): AsyncIterableIterator<ServerSentEvent> {
  return iterateBatches(openServerSentEvents(body, options));
}

/**
 * The events of a body in batches. A last event without its blank line is given if its data is complete JSON (real
 * servers end so) or `[DONE]`, else dropped.
 */
export function openServerSentEvents(body: ReadableStream<Uint8Array>, options: ReadOptions): ServerSentEventSource {
  const bytes = openBody(body, options);
  let events: ServerSentEvent[] = [];
  let overflown = false;
  // The parser takes care of CR, LF and CRLF split across chunks and of the byte order mark, which the decoder keeps.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const parser = createParser({
    maxBufferSize: maxBufferedCharacters,
    onEvent: (event) => {
      events.push(event);
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') overflown = true;
    },
  });
  let ended = false;

  const feed = (text: string): readonly ServerSentEvent[] => {
    events = [];
    parser.feed(text);
    if (overflown) throw overflow();
    return events;
  };

  return {
    async next() {
      while (!ended) {
        const chunk = await bytes.next();
        if (chunk !== undefined) {
          const complete = feed(decoder.decode(chunk, { stream: true }));
          if (complete.length > 0) return complete;
          continue;
        }
        ended = true;
        const complete = feed(decoder.decode());
        const last = feed('\n\n').filter((event) => isComplete(event.data));
        if (complete.length + last.length > 0) return [...complete, ...last];
      }
      return undefined;
    },
    close: bytes.close,
    release: bytes.release,
  };
}

/** The whole body as text. Throws as `readServerSentEvents` does. */
export async function readText(body: ReadableStream<Uint8Array> | null, options: ReadOptions): Promise<string> {
  if (body === null) return '';
  const bytes = openBody(body, options);
  const decoder = new TextDecoder();
  const parts: string[] = [];
  try {
    for (let chunk = await bytes.next(); chunk !== undefined; chunk = await bytes.next()) {
      parts.push(decoder.decode(chunk, { stream: true }));
    }
  } finally {
    bytes.close();
  }
  parts.push(decoder.decode());
  return parts.join('');
}

interface Bytes {
  next(): Promise<Uint8Array | undefined>;
  close(): void;
  release(): void;
}

/** The chunks of a body, fenced by the signal: one abort listener for the whole read, none per chunk. */
function openBody(body: ReadableStream<Uint8Array>, { signal, onActivity }: ReadOptions): Bytes {
  const reader = body.getReader();
  let open = true;
  let failPending: ((reason: unknown) => void) | undefined;

  const stopListening = (): void => {
    open = false;
    signal.removeEventListener('abort', onAbort);
  };
  const cancel = (reason?: unknown): void => {
    reader.cancel(reason).catch(() => undefined); // a body that broke already has nothing to cancel
  };
  const onAbort = (): void => {
    stopListening();
    cancel(signal.reason);
    failPending?.(signal.reason);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort);

  return {
    next: () =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        if (!open) return resolve(undefined);
        failPending = reject;
        reader.read().then(
          ({ value, done }) => {
            failPending = undefined;
            if (done) stopListening();
            try {
              onActivity?.();
            } catch (error) {
              reject(error);
            }
            resolve(done ? undefined : value);
          },
          (error: unknown) => {
            failPending = undefined;
            stopListening();
            reject(signal.aborted ? signal.reason : brokenConnection(error));
          },
        );
      }),
    close: () => {
      if (!open) return;
      stopListening();
      cancel();
    },
    release: () => {
      if (!open) return;
      open = false;
      drain(reader, releaseTimeoutMs, stopListening);
    },
  };
}

/** Reads on without looking, so that the connection goes back to its pool; gives up after a while. */
function drain(reader: ReadableStreamDefaultReader<Uint8Array>, timeoutMs: number, settled: () => void): void {
  const giveUp = setTimeout(() => void reader.cancel().catch(() => undefined), timeoutMs);
  if (typeof giveUp === 'object') giveUp.unref(); // Node: no reason to keep the process alive
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
    `The connection broke in the middle of the answer (${detail}). Usually passing: the same request may succeed when sent again.`,
    { retryable: true, cause },
  );
}

function overflow(): ModelError {
  return new ModelError(
    'stream.protocol',
    `The server sent more than ${maxBufferedCharacters} characters without completing one event. Is it really a server-sent event stream?`,
    { retryable: false },
  );
}
