// The events of a whole answer, for tests of answers that come as one JSON body.

import { createDecoder } from '../../../src/adapters/anthropic/decode.ts';
import type { CallFacts } from '../../../src/adapters/http-errors.ts';
import type { StreamEvent } from '../../../src/contracts/model.ts';

/** Throws ModelError for an error body. */
export function decodeMessage(body: unknown, facts: CallFacts): readonly StreamEvent[] {
  const events: StreamEvent[] = [];
  createDecoder(facts).decodeWhole(body, events);
  return events;
}
