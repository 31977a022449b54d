// What must hold when a turn ends. Called by the turn's grammar at turn.completed.

import type { TurnReason, TurnResult } from '../../contracts/events.ts';
import { expect, show } from './breach.ts';
import { expectAppends, type TurnLog, type TurnPhase } from './turn-log.ts';

/** Reasons that only an answer can give; the others also end a turn before or during an answer. */
const followsAnswer: ReadonlySet<TurnReason> = new Set<TurnReason>([
  'completed',
  'maxIterations',
  'maxTokens',
  'refused',
]);

/** Checks turn.completed against the turn it ends. */
export function expectTurnEnd(turn: TurnLog, result: TurnResult): void {
  const { reason } = result;
  const phase = turn.phase === 'sealing' ? (turn.sealedFrom ?? 'opening') : turn.phase;
  expect(result.turnId === turn.turnId, `turnId ${show(turn.turnId)}, as in turn.started`);
  expectCallsAreAnswered(turn, phase);
  if (reason !== 'aborted') expectNothingIsCut(turn, phase, reason);
  if (followsAnswer.has(reason)) expectAnswer(turn, phase, reason);
  expectIterations(turn, phase, result);
  expectAppends(turn, 'the turn ends');
  for (const id of turn.late)
    expect(turn.queued.has(id), `message.queued of the late message ${show(id)} before the turn ends`);
  expectLastAnswer(turn, result);
  expect(reason !== 'failed' || result.error !== undefined, 'an error where the reason is failed');
  expect(reason !== 'completed' || result.error === undefined, 'no error where the reason is completed');
}

function expectCallsAreAnswered({ calls }: TurnLog, phase: TurnPhase): void {
  const hasOpenCalls = phase === 'dispatching' || (phase === 'answered' && calls.byId.size > 0 && !calls.isRewritten);
  expect(!hasOpenCalls, 'toolCall.settled of every call and toolResults.settled before the turn ends');
}

function expectNothingIsCut({ attempt }: TurnLog, phase: TurnPhase, reason: TurnReason): void {
  expect(phase !== 'aborting', `reason aborted and not ${reason}, because an answer was left unfinished`);
  if (phase !== 'streaming') return;
  const hasOverflowed = attempt.stopReason === 'contextOverflow';
  expect(attempt.state !== 'ended' || hasOverflowed, 'assistant.settled after message.end, before the turn ends');
  expect(!attempt.isShown, 'stream.reset before the turn ends: the failed attempt had been shown');
}

function expectAnswer({ calls }: TurnLog, phase: TurnPhase, reason: TurnReason): void {
  expect(phase === 'answered' || phase === 'resulted', `assistant.settled before a turn ends as ${reason}`);
  const isFinal = phase === 'answered' || calls.byId.size === 0;
  expect(reason !== 'completed' || isFinal, 'another iteration after tool results, before a turn is completed');
}

function expectIterations(turn: TurnLog, phase: TurnPhase, { reason, iterations }: TurnResult): void {
  const possible = new Set([turn.attempted]);
  // An attempt that failed or was cancelled before its first event leaves no trace in the log.
  if (!followsAnswer.has(reason)) {
    if (phase === 'injecting' || phase === 'shaping') possible.add(turn.iteration);
    else if (phase !== 'streaming' && phase !== 'aborting') possible.add(turn.attempted + 1);
  }
  const numbers = [...possible].join(' or ');
  expect(
    possible.has(iterations),
    () => `iterations ${numbers}, the number of iterations that called the model, and not ${iterations}`,
  );
}

function expectLastAnswer({ lastAnswer }: TurnLog, { message }: TurnResult): void {
  // An answer without content may be left out of the transcript.
  if (lastAnswer !== undefined && lastAnswer.content.length === 0) return;
  expect(message?.id === lastAnswer?.id, `message ${show(lastAnswer?.id)}, the last assistant message of this turn`);
}
