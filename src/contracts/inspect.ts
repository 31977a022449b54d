// What can receive inspection events.

import type { Conversation } from '../conversation/conversation.ts';
import type { OperativeEvent } from './events.ts';

/**
 * A function or an observer for XState's inspection events, like the `inspect` option of `createActor`:
 * `inspector.inspect` of @statelyai/inspect, of `startInspector()` or of `connectInspector()`. What it throws goes to
 * `onListenerError`.
 */
export type Inspect = InspectFunction | InspectObserver;

/** The function form. */
export interface InspectFunction {
  (event: unknown): void;
  /** Shows the transcript too; `withTranscript` of turnchart/inspect adds it to any inspector. */
  readonly showTranscript?: ShowTranscript;
}

/** The observer form. */
export interface InspectObserver {
  /** A method, so that an observer typed for XState's own events is assignable. */
  next?(event: unknown): void;
  readonly showTranscript?: ShowTranscript;
}

/** Called when an inspected operative or turn is created. The returned function receives each of its events. */
export type ShowTranscript = (shown: {
  /** The XState actor of the operative or turn. */
  readonly parent: unknown;
  readonly conversation: Conversation;
  readonly now: () => number;
}) => (event: OperativeEvent) => void;
