// The `inspect` of whoever passes messages on: turns XState's inspection events into messages at once, so that each shows
// what was, not what came of it.

import type { InspectFunction } from '../contracts/inspect.ts';
import { inspectorMessage, type InspectorMessage } from './inspector-message.ts';
import { withTranscript } from './transcript-actor.ts';

/** For `inspect`: hands every message to `send`. */
export function inspectionCallback(send: (message: InspectorMessage) => void, now: () => number): InspectFunction {
  return withTranscript((event) => {
    const message = inspectorMessage(event, now());
    if (message !== undefined) send(message);
  });
}
