// Decodes wire events into the list of their facts, as a link does. For the codec tests.

import { createEventDecoder } from '../../../src/realtime/openai/decode-event.ts';
import { createFrameDecoder } from '../../../src/realtime/openai/decode-frame.ts';
import { RequestMatcher } from '../../../src/realtime/openai/request-matcher.ts';
import type { WireFact } from '../../../src/realtime/wire.ts';
import type { WireEvent } from './wire-server.ts';

/** What a decoder is made with. */
interface Settings {
  readonly isSideband?: boolean;
  readonly secrets?: readonly string[];
  readonly requests?: RequestMatcher;
}

/** One decoder for a whole session: gives the facts of one frame at a time. */
export function frameDecoder({ isSideband = false, secrets = [], requests = new RequestMatcher() }: Settings = {}) {
  let facts: WireFact[] = [];
  const read = createFrameDecoder(createEventDecoder({ isSideband, secrets: () => secrets, requests }), (fact) =>
    facts.push(fact),
  );
  return (frame: string | Uint8Array): readonly WireFact[] => {
    facts = [];
    read(frame);
    return facts;
  };
}

/** One decoder for a whole session: gives the facts of one event at a time, which goes through it as bytes. */
export function eventDecoder(settings?: Settings) {
  const decode = frameDecoder(settings);
  return (event: WireEvent): readonly WireFact[] => decode(new TextEncoder().encode(JSON.stringify(event)));
}

/** The facts of events in a decoder of their own. */
export function factsOf(...events: readonly WireEvent[]): readonly WireFact[] {
  return events.flatMap(eventDecoder());
}
