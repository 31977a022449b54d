// The `inspect` of whoever passes messages on: turns XState's inspection events into messages at once, so that each shows
// what was, not what came of it.

import type { InspectObserver } from '../contracts/inspect.ts';
import { inspectorMessage, type InspectorMessage } from './inspector-message.ts';
import { showTranscript } from './transcript-actor.ts';

/** An observer for `inspect` that hands every message to `send`. */
export function inspectionCallback(send: (message: InspectorMessage) => void, now: () => number): InspectObserver {
  return {
    next(event) {
      const message = inspectorMessage(event, now());
      if (message !== undefined) send(message);
    },
    showTranscript,
  };
}
