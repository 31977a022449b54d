// What a log says about the transcript: every append is at the next index, and no message is appended twice. Called by
// verifyEvents.

import type { OperativeEvent } from '../../contracts/events.ts';
import { expect, show } from './breach.ts';

/** What is known about the transcript at one point of a log. */
export interface TranscriptLog {
  /** Unknown until the first append or replacement. */
  nextIndex?: number;
  /** Appended since the transcript was last replaced. */
  readonly appended: Set<string>;
  readonly withdrawn: Set<string>;
}

/** The transcript before the first event. */
export function beginTranscript(): TranscriptLog {
  return { appended: new Set(), withdrawn: new Set() };
}

/** Checks what the event says about the transcript, and remembers it. */
export function readTranscriptEvent(log: TranscriptLog, event: OperativeEvent): void {
  switch (event.type) {
    case 'message.appended': {
      const { id } = event.message;
      const next = log.nextIndex;
      expect(Number.isInteger(event.index) && event.index >= 0, 'an index that is a whole number, 0 or more');
      expect(next === undefined || event.index === next, () => `index ${next}, one after the append before it`);
      expect(!log.appended.has(id), `message ${show(id)} to be appended only once`);
      expect(!log.withdrawn.has(id), `message ${show(id)} not to be appended: it was withdrawn`);
      log.appended.add(id);
      log.nextIndex = event.index + 1;
      return;
    }
    case 'transcript.replaced':
    case 'turn.reloaded':
      expect(Number.isInteger(event.messages) && event.messages >= 0, 'a number of messages, 0 or more');
      log.nextIndex = event.messages;
      // The event does not say which messages are in the new contents.
      log.appended.clear();
      return;
    case 'message.queued':
      expect(!log.withdrawn.has(event.message.id), 'no message.queued of a message that was withdrawn');
      return;
    case 'message.withdrawn':
      expect(!log.appended.has(event.messageId), 'only a message that is not yet appended to be withdrawn');
      expect(!log.withdrawn.has(event.messageId), 'a message to be withdrawn once');
      log.withdrawn.add(event.messageId);
      return;
    default:
      return;
  }
}
