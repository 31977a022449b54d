// What can be told what the actors do.

/**
 * A function or an observer for XState's inspection events, as `createActor` takes them: `inspector.inspect` of
 * @statelyai/inspect, of `startInspector()` or of `connectInspector()`. What it throws goes to `onListenerError`.
 */
export type Inspect = ((event: unknown) => void) | InspectObserver;

/** The observer form. A method, so that one that asks for XState's own type of event fits. */
export interface InspectObserver {
  next?(event: unknown): void;
}
