// What a transcript is made of when it is shown.

/** A line of the transcript: a message, or what happened between messages. */
export type Line = MessageLine | NoteLine;

/** A message with its marks. */
export interface MessageLine {
  readonly type: 'message';
  readonly key: string;
  readonly role: string;
  readonly blocks: readonly ShownBlock[];
  readonly marks: readonly Mark[];
  /** Index of the entry that told of it; -1 = it was there before. */
  readonly index: number;
}

/**
 * `steered`: put in while a turn ran; `late`: came too late for the turn it was sent to; `held`: waits for the next turn;
 * `waiting`: waits for the next model call; `cut`: the answer was cut off; `streaming`: is being written.
 */
export type Mark = 'steered' | 'late' | 'held' | 'waiting' | 'cut' | 'streaming' | 'summary';

/** What a message is made of, as far as it is shown. */
export type ShownBlock = { readonly type: 'text' | 'thinking' | 'frame' | 'other'; readonly text: string } | ShownCall;

/** A tool call with what became of it. */
export interface ShownCall {
  readonly type: 'call';
  readonly id: string;
  readonly name: string;
  readonly args: string;
  /** `asked` until it runs; then `running`, and at last the status of its result. */
  readonly status: string;
  readonly result: string | undefined;
  readonly durationMs: number | undefined;
}

/** Something that is no message. */
export interface NoteLine {
  readonly type: 'note';
  readonly key: string;
  readonly kind: 'turn' | 'end' | 'problem' | 'remark';
  readonly text: string;
  readonly index: number;
}

/** Sums over what has happened so far. */
export interface Figures {
  readonly turns: number;
  readonly iterations: number;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly modelMs: number;
  readonly toolMs: number;
}

/** A conversation at one moment. */
export interface Transcript {
  readonly lines: readonly Line[];
  readonly figures: Figures;
}
