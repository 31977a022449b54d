// The grammar of one turn as a state machine over its events. Called by verifyEvents, event by event.

import type { Message } from '../../conversation/message.ts';
import type { EngineEvent, OperativeEvent } from '../../contracts/events.ts';
import { isStreamEvent } from '../../contracts/events.ts';
import type { StreamEvent } from '../../contracts/model.ts';
import type { Stage } from '../../contracts/transformer.ts';
import { beginAttempt, expectFold, readStreamEvent, type Attempt } from './attempt.ts';
import { expect, show } from './breach.ts';
import { callsOf, expectResults, readToolCallEvent, type ToolCallEvent } from './tool-calls.ts';
import { expectTurnEnd } from './turn-end.ts';
import { beginIteration, expectAppends, isBetweenIterations, where, type TurnLog, type TurnPhase } from './turn-log.ts';

/** Checks that the event may come now, and moves the turn. Returns true when the turn has ended. */
export function readTurnEvent(turn: TurnLog, event: OperativeEvent): boolean {
  if (event.type === 'message.queued') {
    expect(!turn.queued.has(event.message.id), 'a message to be announced as queued only once per turn');
    turn.queued.add(event.message.id);
    return false;
  }
  if (event.type === 'message.withdrawn') return false;
  expectRewriterIsNamed(turn, event);
  if (turn.isResetOwed)
    expect(event.type === 'stream.reset', 'stream.reset, because readers have seen the failed attempt');
  const { rewriter } = turn;
  turn.rewriter = undefined;
  if (isStreamEvent(event)) {
    readModelEvent(turn, event);
    return false;
  }
  switch (event.type) {
    case 'turn.reloaded':
      expect(turn.phase === 'started', 'turn.reloaded only right after turn.started');
      turn.phase = 'opening';
      break;
    case 'message.appended':
      readAppend(turn, event.message);
      break;
    case 'transcript.replaced':
      readReplacement(turn, event.by, rewriter);
      break;
    case 'message.injected':
      readInjection(turn, event.message, event.iteration);
      break;
    case 'transformer.applied':
    case 'transformer.failed':
      readTransformer(turn, event);
      break;
    case 'stream.retrying':
      readRetry(turn, event.attempt, event.delayMs);
      break;
    case 'stream.reset':
      readReset(turn);
      break;
    case 'assistant.settled':
      readAnswer(turn, event);
      break;
    case 'toolCall.awaitingApproval':
    case 'toolCall.started':
    case 'toolCall.progress':
    case 'toolCall.backgrounded':
    case 'toolCall.settled':
      readCallEvent(turn, event);
      break;
    case 'toolResults.settled':
      readResults(turn, event.message);
      break;
    case 'turn.completed':
      expectTurnEnd(turn, event);
      return true;
    case 'turn.started':
      expect(false, `turn.completed of ${show(turn.turnId)} before the next turn starts`);
      break;
    case 'operative.closed':
      expect(false, `turn.completed of ${show(turn.turnId)} before operative.closed`);
      break;
    default:
      event satisfies never;
      expect(false, 'a known event type');
  }
  return false;
}

function readInjection(turn: TurnLog, message: Message, iteration: number): void {
  if (isBetweenIterations(turn)) beginIteration(turn);
  else expect(turn.phase === 'injecting', () => `message.injected only where an iteration begins, not ${where(turn)}`);
  expect(iteration === turn.iteration, `iteration ${turn.iteration}, the one that follows`);
  expect(!turn.injected.has(message.id), 'a message to be injected only once');
  turn.phase = 'injecting';
  turn.injected.add(message.id);
  turn.late.delete(message.id);
  oweAppend(turn, message, 'message.injected');
}

function readTransformer(
  turn: TurnLog,
  event: Extract<EngineEvent, { type: 'transformer.applied' | 'transformer.failed' }>,
): void {
  if (event.stage === 'compact') return expect(false, 'a failed compaction only between turns');
  expectStageFits(turn, event.stage);
  if (event.type === 'transformer.applied') {
    const expected = event.stage === 'beforeTurn' ? 0 : turn.iteration;
    const isRight = event.iteration === expected || (mayHideAttempt(turn) && event.iteration === expected + 1);
    expect(isRight, `iteration ${expected} in stage ${event.stage}`);
  }
  const mayHaveRewritten = event.type === 'transformer.applied' && event.stage !== 'beforeIteration';
  const wasAnnounced = turn.owedRewriter !== undefined;
  const isRepair = event.type === 'transformer.failed' && turn.owedRewriter === 'repair';
  expect(mayHaveRewritten || isRepair || !wasAnnounced, 'transformer.applied of the rewrite announced just before');
  if (wasAnnounced && !isRepair && event.stage === 'afterIteration') turn.calls.isRewritten = true;
  turn.rewriter = mayHaveRewritten && !wasAnnounced ? event.name : undefined;
  turn.owedRewriter = undefined;
}

function expectStageFits(turn: TurnLog, stage: Stage): void {
  const misplaced = () => `no transformer of stage ${stage} ${where(turn)}`;
  switch (stage) {
    case 'beforeTurn':
      expect(turn.phase === 'started' || turn.phase === 'opening', misplaced);
      turn.phase = 'opening';
      return;
    case 'beforeIteration':
      if (isBetweenIterations(turn)) beginIteration(turn);
      else if (turn.phase === 'streaming') expectAttemptIsOver(turn, 'the context is shaped again');
      else expect(turn.phase === 'injecting' || turn.phase === 'shaping', misplaced);
      turn.phase = 'shaping';
      turn.attempt = beginAttempt();
      turn.late.clear();
      return;
    case 'afterIteration':
      expect(turn.phase === 'answered', misplaced);
      return;
    case 'afterTurn':
      if (turn.phase === 'sealing') return;
      if (turn.phase === 'streaming') expectAttemptIsOver(turn, 'the turn ends');
      // While an iteration is shaped: an attempt that overflowed the context without any event.
      else expect(isBetweenIterations(turn) || turn.phase === 'injecting' || turn.phase === 'shaping', misplaced);
      turn.sealedFrom = turn.phase;
      turn.phase = 'sealing';
      return;
    default:
      stage satisfies never;
      expect(false, 'a known stage');
  }
}

/** In afterTurn: whether an attempt without events may have begun an iteration that left no trace in the log. */
function mayHideAttempt(turn: TurnLog): boolean {
  return (
    turn.phase === 'sealing' &&
    (turn.sealedFrom === 'answered' ||
      turn.sealedFrom === 'resulted' ||
      turn.sealedFrom === 'opening' ||
      turn.sealedFrom === 'started')
  );
}

function readReplacement(turn: TurnLog, by: string, rewriter: string | undefined): void {
  // At the start of a turn reloading or repair replaces the transcript, not a transformer.
  if (turn.phase === 'started') return;
  if (rewriter !== by) turn.owedRewriter = by;
  else if (turn.phase === 'answered') turn.calls.isRewritten = true;
}

function expectRewriterIsNamed(turn: TurnLog, event: OperativeEvent): void {
  const owed = turn.owedRewriter;
  if (owed === undefined) return;
  // What a transformer broke in place is repaired right before it is reported.
  const isNamed =
    event.type === 'transformer.applied'
      ? event.name === owed
      : event.type === 'transformer.failed' && owed === 'repair';
  expect(isNamed, `transformer.applied of ${show(owed)} right before or after its transcript.replaced`);
}

function oweAppend(turn: TurnLog, message: Message, announcedBy: string): void {
  if (!turn.appended.has(message.id)) turn.owedAppends.set(message.id, announcedBy);
}

function readAppend(turn: TurnLog, message: Message): void {
  turn.appended.add(message.id);
  turn.owedAppends.delete(message.id);
  if (turn.phase === 'started') turn.phase = 'opening';
  if (turn.phase === 'streaming') readAppendToAttempt(turn, message);
  if (lateIn.has(turn.phase) && message.role === 'user' && !turn.injected.has(message.id)) turn.late.add(message.id);
}

// While a model answers only its answer is appended. Any other append means that the turn is aborted: the partial answer
// is kept, or nothing of it is and late messages follow.
function readAppendToAttempt(turn: TurnLog, message: Message): void {
  const { state, stopReason } = turn.attempt;
  if (state === 'empty') return;
  const isCut = message.role === 'assistant' && message.meta?.['cut'] !== undefined;
  if (isCut) turn.lastAnswer = message;
  // An answer that overflowed the context is cut but settles.
  const isAnswer = state === 'ended' && message.role === 'assistant' && (!isCut || stopReason === 'contextOverflow');
  if (!isAnswer) turn.phase = 'aborting';
}

/** Phases in which an appended user message is late. Before the first answer it may be what the turn started with. */
const lateIn: ReadonlySet<TurnPhase> = new Set<TurnPhase>([
  'injecting',
  'streaming',
  'answered',
  'resulted',
  'sealing',
  'aborting',
]);

function readModelEvent(turn: TurnLog, event: StreamEvent): void {
  beginAttempts(turn, event.type);
  readStreamEvent(turn.attempt, event);
}

function beginAttempts(turn: TurnLog, type: string): void {
  if (turn.phase === 'streaming') return;
  if (isBetweenIterations(turn)) beginIteration(turn);
  else expect(turn.phase === 'injecting' || turn.phase === 'shaping', () => `no ${type} ${where(turn)}`);
  expectAppends(turn, 'the model is called');
  for (const id of turn.late) expect(false, `message.injected of ${show(id)} before the model is called`);
  // A second shaping of the same iteration leads back here.
  turn.attempted = turn.iteration;
  turn.phase = 'streaming';
}

function readRetry(turn: TurnLog, attempt: number, delayMs: number): void {
  beginAttempts(turn, 'stream.retrying');
  expectHasFailed(turn.attempt);
  // The first call of a fallback model is attempt 0, and its retries are counted from there.
  expect(attempt === turn.retries + 1 || attempt === 0, () => `attempt ${turn.retries + 1}, or 0 for another model`);
  expect(delayMs >= 0, 'a delay of 0 or more');
  turn.retries = attempt;
  turn.isResetOwed = turn.attempt.isShown;
  if (!turn.isResetOwed) turn.attempt = beginAttempt();
}

function readReset(turn: TurnLog): void {
  expect(turn.phase === 'streaming', () => `no stream.reset ${where(turn)}`);
  expect(turn.attempt.isShown, 'something shown of this message before stream.reset');
  expectHasFailed(turn.attempt);
  turn.isResetOwed = false;
  turn.attempt = beginAttempt();
}

function expectHasFailed(attempt: Attempt): void {
  expect(
    attempt.state !== 'ended' || attempt.stopReason === 'contextOverflow',
    () => `assistant.settled after message.end with ${show(attempt.stopReason)}`,
  );
}

function expectAttemptIsOver(turn: TurnLog, next: string): void {
  expect(!turn.attempt.isShown, `stream.reset before ${next}, because readers have seen the failed attempt`);
}

function readAnswer(turn: TurnLog, event: Extract<EngineEvent, { type: 'assistant.settled' }>): void {
  const { message } = event;
  const { attempt } = turn;
  expect(turn.phase === 'streaming' && attempt.state === 'ended', 'message.end before assistant.settled');
  expect(event.stopReason === attempt.stopReason, () => `stopReason ${show(attempt.stopReason)}, as in message.end`);
  expect(message.role === 'assistant', `a message of role assistant, and not ${message.role}`);
  expectFold(attempt, message);
  turn.calls = callsOf(message);
  turn.lastAnswer = message;
  turn.phase = 'answered';
  if (message.content.length > 0) oweAppend(turn, message, 'assistant.settled');
}

function readCallEvent(turn: TurnLog, event: ToolCallEvent): void {
  expect(turn.phase === 'answered' || turn.phase === 'dispatching', () => `no ${event.type} ${where(turn)}`);
  readToolCallEvent(turn.calls, event);
  turn.phase = 'dispatching';
}

function readResults(turn: TurnLog, message: Message): void {
  expect(turn.phase === 'dispatching', () => `no toolResults.settled ${where(turn)}`);
  expectResults(turn.calls, message);
  turn.phase = 'resulted';
  oweAppend(turn, message, 'toolResults.settled');
}
