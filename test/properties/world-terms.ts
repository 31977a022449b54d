// The words that a gated world and its reference models share: settings, answers, failures, gates.

/** Stages in which transformers run. */
export type StageName = 'beforeTurn' | 'beforeIteration' | 'afterIteration' | 'afterTurn';

/** What a transformer does: nothing, a rewrite, a throw, or whatever its gate is released with. */
export type StageMode = 'ok' | 'rewrites' | 'throws' | 'gated';

/** `bad` = a call of `quick` with arguments it does not take; `ghost` = a tool that does not exist. */
export type CallName = 'quick' | 'broken' | 'slow' | 'alone' | 'ghost' | 'bad';

/** Where user code waits. */
export type GateKind = 'tool' | 'transformer' | 'approval' | 'reload' | 'compact';

/**
 * How a gate is opened. `other`: approvals say no, transformers rewrite, a reload lacks the newest messages, a compaction
 * finds nothing to summarise; `stored`: a reload brings what was submitted last, which the host stored before it submitted it.
 */
export type Release = 'ok' | 'other' | 'throws' | 'stored';

/** How a model call fails. `cut` = the stream ends without its terminal event. */
export type Failure = 'lost' | 'rejected' | 'overflow' | 'foreign' | 'cut';

/** A model's answer; its text is the number of the model call. */
export interface Answer {
  readonly text: boolean;
  readonly calls: readonly CallName[];
  readonly stop: 'natural' | 'maxTokens' | 'pause' | 'refusal';
}

/** What varies between the engines of a test. */
export interface TurnSetup {
  readonly maxIterations: number;
  readonly retries: number;
  readonly stages: Readonly<Record<StageName, readonly StageMode[]>>;
  readonly approve: 'none' | 'allows' | 'denies' | 'throws' | 'gated';
  /** What a compaction on request does: there is nobody to do it, or it gains at once, finds nothing, throws, waits. */
  readonly compactor: 'none' | 'gains' | 'idle' | 'throws' | 'gated';
}

/** Milliseconds; the first retry waits `retryMs`, each further one twice as long as the one before. */
export const bounds = { graceMs: 100, idleMs: 1_000, retryMs: 200 } as const;

/** An engine without transformers and approvals. */
export const plain: TurnSetup = {
  maxIterations: 100,
  retries: 0,
  stages: { beforeTurn: [], beforeIteration: [], afterIteration: [], afterTurn: [] },
  approve: 'none',
  compactor: 'none',
};
