// A body's events one by one, for tests of the SSE reader and of decoders.

import { iterateBatches } from '../../src/adapters/batches.ts';
import { openServerSentEvents, type ReadOptions, type ServerSentEvent } from '../../src/adapters/server-sent-events.ts';

/** The events of a body. Single use. Leaving the loop cancels the body. */
export function readServerSentEvents(
  body: ReadableStream<Uint8Array>,
  options: ReadOptions,
): AsyncIterableIterator<ServerSentEvent> {
  const source = openServerSentEvents(body, options);
  let ended = false;
  return iterateBatches<ReadableStreamReadResult<Uint8Array>, ServerSentEvent>({
    read: source.read,
    accept(piece) {
      if (ended) return undefined;
      const events: ServerSentEvent[] = [];
      ended = !source.accept(piece, (event) => events.push(event));
      return events;
    },
    failure: source.failure,
    close: source.close,
  });
}
