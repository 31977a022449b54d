// What is known about one turn at one point of its log, and questions about it. Used by the turn's grammar.

import type { Message } from '../../conversation/message.ts';
import { beginAttempt, type Attempt } from './attempt.ts';
import { expect, show } from './breach.ts';
import { noCalls, type ToolCalls } from './tool-calls.ts';

/** How far the turn has come, named by the last event that moved it. */
export type TurnPhase =
  /** Only turn.started. */
  | 'started'
  /** Before the first iteration: beforeTurn transformers, appends. */
  | 'opening'
  | 'injecting'
  /** beforeIteration transformers. */
  | 'shaping'
  | 'streaming'
  /** assistant.settled: afterIteration transformers may follow, then tool calls if there are any. */
  | 'answered'
  | 'dispatching'
  /** toolResults.settled. */
  | 'resulted'
  /** afterTurn transformers; what came before them is `sealedFrom`. */
  | 'sealing'
  /** The attempt was abandoned: only appends, announcements and the end may follow. */
  | 'aborting';

/** What is known about a turn at one point of its log. */
export interface TurnLog {
  readonly turnId: string;
  phase: TurnPhase;
  sealedFrom?: TurnPhase;
  /** The iteration the turn is in or was last in; 0 before the first. */
  iteration: number;
  /** Iterations in which a model attempt is seen. */
  attempted: number;
  attempt: Attempt;
  /** After stream.retrying of an attempt that readers have seen. */
  isResetOwed: boolean;
  /** Number of the last stream.retrying of this iteration. */
  retries: number;
  calls: ToolCalls;
  /** The assistant message settled or cut last. */
  lastAnswer?: Message;
  /** Announced but not yet appended: the id and the event that announced it. */
  readonly owedAppends: Map<string, string>;
  readonly appended: Set<string>;
  /** User messages appended after the beginning, neither injected nor added by a transformer. */
  readonly late: Set<string>;
  readonly injected: Set<string>;
  readonly queued: Set<string>;
  /** The transformer of the previous event, if it may have rewritten the transcript. */
  rewriter?: string | undefined;
  /** A rewrite that was announced before its transformer.applied. */
  owedRewriter?: string | undefined;
}

/** A turn after turn.started; `queued` = ids announced since the previous turn. */
export function beginTurn(turnId: string, queued: Set<string> = new Set()): TurnLog {
  return {
    turnId,
    phase: 'started',
    iteration: 0,
    attempted: 0,
    attempt: beginAttempt(),
    isResetOwed: false,
    retries: 0,
    calls: noCalls(),
    owedAppends: new Map(),
    appended: new Set(),
    late: new Set(),
    injected: new Set(),
    queued,
  };
}

/** Whether an iteration may begin here. */
export function isBetweenIterations(turn: TurnLog): boolean {
  switch (turn.phase) {
    case 'started':
    case 'opening':
    case 'resulted':
      return true;
    case 'answered':
      return turn.calls.isRewritten || turn.calls.byId.size === 0;
    default:
      return false;
  }
}

/** Begins the next iteration. */
export function beginIteration(turn: TurnLog): void {
  turn.iteration++;
  turn.attempt = beginAttempt();
  turn.retries = 0;
  turn.calls = noCalls();
}

/** Checks that every announced message was appended. */
export function expectAppends(turn: TurnLog, before: string): void {
  for (const [id, announcedBy] of turn.owedAppends) {
    expect(false, `message.appended of ${show(id)}, announced by ${announcedBy}, before ${before}`);
  }
}

/** Where the turn is; completes a sentence. */
export function where(turn: TurnLog): string {
  const places: Readonly<Record<TurnPhase, string>> = {
    started: 'at the start of the turn',
    opening: 'before the first iteration',
    injecting: `after message.injected of iteration ${turn.iteration}`,
    shaping: `while iteration ${turn.iteration} is shaped`,
    streaming: `while the model answers in iteration ${turn.iteration}`,
    answered: `after assistant.settled of iteration ${turn.iteration}`,
    dispatching: `before toolResults.settled of iteration ${turn.iteration}`,
    resulted: `after toolResults.settled of iteration ${turn.iteration}`,
    sealing: 'after the afterTurn transformers',
    aborting: 'once the turn is being aborted',
  };
  return places[turn.phase];
}
