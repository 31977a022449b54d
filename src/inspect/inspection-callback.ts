// The `inspect` callback of everything that forwards messages: converts XState's inspection events at once, so that
// each message shows the state of that moment.

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
