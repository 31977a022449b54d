// Checks a whole log of events against the event grammar. Tests run it on every log they collect.

import type { OperativeEvent } from '../contracts/events.ts';
import { expect, GrammarBreach, show } from './event-grammar/breach.ts';
import { beginTranscript, readTranscriptEvent } from './event-grammar/transcript.ts';
import { readTurnEvent } from './event-grammar/turn.ts';
import { beginTurn, type TurnLog } from './event-grammar/turn-log.ts';

/** Options of `verifyEvents`. */
export interface VerifyEventsOptions {
  /** False: the last turn may not have ended yet. Default true. */
  readonly complete?: boolean;
}

/**
 * Throws an Error if the events break the grammar of a turn or of an operative's whole life: any number of turns one
 * after the other, and between them only `message.queued`, `message.withdrawn`, appends, `transformer.failed`
 * and `operative.closed`. The log must begin before or between turns. The message names the event, its position and
 * what was expected, and shows the events before it.
 */
export function verifyEvents(events: readonly OperativeEvent[], options: VerifyEventsOptions = {}): void {
  const transcript = beginTranscript();
  let turn: TurnLog | undefined;
  // Announced while a compaction ran; appended when the next turn ends.
  let queuedBefore = new Set<string>();
  let isClosed = false;
  for (const [index, event] of events.entries()) {
    try {
      expect(!isClosed, 'nothing after operative.closed');
      readTranscriptEvent(transcript, event);
      if (turn !== undefined) {
        if (readTurnEvent(turn, event)) turn = undefined;
      } else if (event.type === 'turn.started') {
        turn = beginTurn(event.turnId, queuedBefore);
        queuedBefore = new Set();
      } else if (event.type === 'message.queued') queuedBefore.add(event.message.id);
      else isClosed = readEventBetweenTurns(event);
    } catch (error) {
      if (!(error instanceof GrammarBreach)) throw error;
      throw new Error(
        `verifyEvents: event ${index}, ${show(event)}: expected ${error.message}.\n${before(events, index)}`,
      );
    }
  }
  if (turn === undefined || options.complete === false) return;
  const length = events.length;
  throw new Error(
    `verifyEvents: the log ends inside turn ${show(turn.turnId)}: expected turn.completed.\n${before(events, length)}`,
  );
}

/** True when the operative is closed. */
function readEventBetweenTurns(event: OperativeEvent): boolean {
  switch (event.type) {
    case 'message.withdrawn':
    case 'message.appended':
    case 'transcript.replaced':
    case 'transformer.failed': // of a requested compaction
      return false;
    case 'operative.closed':
      return true;
    default:
      expect(false, 'turn.started before it: no turn is running');
  }
}

const shownBefore = 8;

function before(events: readonly OperativeEvent[], end: number): string {
  const start = Math.max(0, end - shownBefore);
  const lines = events.slice(start, end).map((event, offset) => `  ${start + offset} ${show(event)}`);
  return lines.length === 0 ? 'It is the first event.' : `Before it:\n${lines.join('\n')}`;
}
