// Turns a path of the turn chart into what a real world does, and says what must be seen.

import type { Stage } from '../../src/contracts/transformer.ts';
import type { ScriptedStep } from '../../src/testing/index.ts';
import { verifyEvents, verifyTranscript, type MachinePath } from '../../src/testing/index.ts';
import { quietly, type Runner } from './execute-paths.ts';
import { graceMs, modelFailures, RealTurn, type Breakable, type RealTurnOptions } from './real-turn.ts';
import { leavesOf } from './chart-facts.ts';
import { turnMachine } from '../../src/machines/turn.ts';

/** What came of a path. */
export type Driven = { readonly skipped: string } | { readonly turn: RealTurn };

const servicesOf = new Map(leavesOf(turnMachine).map(({ key, services }) => [key, services]));

/** Why a path cannot happen with real services, or undefined. */
function whyUnreal(path: MachinePath, stages: Readonly<Record<Stage, boolean>>): string | undefined {
  if (path[0]?.name !== 'start') return 'a turn is started in the step that makes it';
  for (const { from, name } of path) {
    if (from === 'dispatching.live' && name.includes('answered')) return 'nobody was asked';
    if (from === 'dispatching.awaitingApproval' && name.startsWith('tools ')) return 'a question is open';
    if (from === 'dispatching.interrupting' && name.includes('answered')) return 'a cancel drops the questions at once';
    if (from === 'dispatching.interrupting' && /^tools (?!ran$)/.test(name)) return 'such tools end at once';
    if (name === 'context still too long' && !stages.beforeIteration) return 'nothing could be reshaped';
  }
  return undefined;
}

const dispatch = ['approval asked', 'one of two approvals answered', 'last approval answered'];

/** Executes a path with real services; throws where what is seen is not what the chart's model says. */
export async function driveTurn(path: MachinePath, options: RealTurnOptions, runner: Runner): Promise<Driven> {
  const skipped = whyUnreal(path, options.stages);
  if (skipped !== undefined) return { skipped };
  const names = path.map(({ name }) => name);
  const limit = names.some((name) => name.endsWith('at the limit'));
  const rounds = 1 + path.filter((_, index) => index < path.length - 1 && startsIteration(path, index)).length;
  const turn = await begin(path, { ...options, ...(limit ? { maxIterations: rounds } : {}) }, runner);
  let index = 0;
  while (index < path.length) {
    const until = burstEnd(path, index);
    await perform(turn, path, index, until);
    index = until + 1;
    if (!check(turn, path, until)) break;
  }
  await finish(turn);
  return { turn };
}

// A service that breaks does so when it begins, in the same step as what made it begin.
function burstEnd(path: MachinePath, index: number): number {
  let end = index;
  for (let next = index + 1; next < path.length; next++) {
    const name = path[next]?.name ?? '';
    if (name.endsWith(' broke')) return next;
    if (endsAtOnce(path, next)) return next;
    if (path[next]?.from.startsWith('dispatching') === true && isSynchronous(path, next)) end = next;
    else break;
  }
  return end;
}

// Inside a batch that breaks or that is cancelled by one of its own tools, everything happens in one step.
function isSynchronous(path: MachinePath, index: number): boolean {
  const rest = batchOf(path, index);
  return rest.includes('dispatchTools broke') || isCancelledFromWithin(rest);
}

function isCancelledFromWithin(batch: readonly string[]): boolean {
  const cancelled = batch.indexOf('cancel');
  return cancelled >= 0 && batch.indexOf('approval asked', cancelled) >= 0;
}

function endsAtOnce(path: MachinePath, index: number): boolean {
  const name = path[index]?.name ?? '';
  return (
    path[index]?.from === 'dispatching.live' && (name === 'tools were refused' || name.startsWith('tools were cut'))
  );
}

// The steps of the batch that the step `index` belongs to.
function batchOf(path: MachinePath, index: number): readonly string[] {
  let start = index;
  while (start > 0 && path[start - 1]?.from.startsWith('dispatching') === true) start--;
  const names: string[] = [];
  for (let at = start; at < path.length && path[at]?.from.startsWith('dispatching') === true; at++) {
    names.push(path[at]?.name ?? '');
  }
  return names;
}

function startsIteration(path: MachinePath, index: number): boolean {
  const { from, name, to } = path[index] ?? { from: '', name: '', to: '' };
  if (to !== 'shaping' && to !== 'streaming') return false;
  return name !== 'start' &&
    from !== 'preparing' &&
    from !== 'shaping' &&
    from !== 'waiting' &&
    name !== 'context too long' &&
    from !== to
    ? true
    : name.endsWith('was steered') || name.endsWith('pauses');
}

async function begin(path: MachinePath, options: RealTurnOptions, runner: Runner): Promise<RealTurn> {
  const first = burstEnd(path, 0);
  const breaks = first > 0 ? broken(path, first) : undefined;
  const turn = new RealTurn(options, runner, (world) => {
    if (breaks !== undefined) world.breakNext(breaks);
  });
  await turn.world.host.settle();
  return turn;
}

function broken(path: MachinePath, index: number): Breakable | undefined {
  const name = path[index]?.name ?? '';
  return name.endsWith(' broke') ? (name.slice(0, -' broke'.length) as Breakable) : undefined;
}

async function perform(turn: RealTurn, path: MachinePath, index: number, until: number): Promise<void> {
  const { world, run } = turn;
  const { name, from } = path[index] ?? { name: '', from: '' };
  const isOver = ['completed', 'aborted', 'failed'].includes(from);
  if (isOver) turn.log.note('turn', from, path[index]?.event.type ?? ''); // an actor that has ended reports nothing
  if (until > index) {
    const breaks = broken(path, until);
    const batch = batchOf(path, until);
    if (breaks === 'dispatchTools' && batch.length > 1) world.breakBatch();
    else if (breaks !== undefined && index > 0) world.breakNext(breaks);
  }
  if (name === 'start') {
    if (index > 0) quietly(() => turn.actor.send({ type: 'turn.start' }));
  } else if (name === 'cancel') quietly(() => void run.cancel());
  else if (name === 'cancel within 5 ms') quietly(() => void run.cancel({ graceMs: 5 }));
  else if (name === 'approval asked') await world.settleTools(from === 'dispatching.live' ? 'solo' : 'slow');
  else if (dispatch.includes(name)) await world.allow();
  else if (['prepared', 'shaped', 'closed'].includes(name) || name.startsWith('review: ')) await world.settleStage();
  else if (name === 'waited') await world.host.advance(1_000);
  else if (name.startsWith('tools ')) {
    if (from === 'dispatching.interrupting') await world.host.advance(graceMs);
    else await world.settleTools();
  } else await answer(turn, path, index);
  await world.host.settle();
}

// The model's answer: what the path makes of it later decides what it is.
async function answer(turn: RealTurn, path: MachinePath, index: number): Promise<void> {
  const { world } = turn;
  const name = path[index]?.name ?? '';
  if (name === 'model failed, try again') return world.answer({ throw: modelFailures.retryable });
  if (name === 'model gave up') return world.answer({ throw: modelFailures.final });
  if (name === 'context too long') return world.answer({ throw: modelFailures.tooLong });
  if (name === 'context still too long') {
    await world.answer({ throw: modelFailures.tooLong });
    await world.settleStage();
    return world.answer({ throw: modelFailures.tooLong });
  }
  const reviewed = path.slice(index + 1).find((step) => step.name.startsWith('review: '))?.name;
  const isReviewed = path[index]?.to === 'reviewing';
  const what = isReviewed && reviewed !== undefined ? reviewed.slice('review: '.length) : name.slice('model '.length);
  const firstTool = path.findIndex((step, at) => at > index && step.from.startsWith('dispatching'));
  const batch = firstTool < 0 ? [] : batchOf(path, firstTool);
  if (what.endsWith('steered') || what.startsWith('was steered')) turn.steer();
  await world.answer(said(what, batch));
  if (!batch.includes('tools were cut twice')) return;
  // The first cut message gets its results at once, and the next request another cut message.
  if (isReviewed) await world.settleStage();
  if (world.stages.length > 0) await world.settleStage();
  await world.answer(said(what, batch));
}

function said(what: string, batch: readonly string[]): ScriptedStep {
  const calls = callsFor(batch).map((name) => ({ name }));
  if (what === 'asks for tools') {
    if (batch.includes('tools were refused')) return { calls, stopReason: 'refusal' };
    if (batch.some((name) => name.startsWith('tools were cut'))) return { calls, stopReason: 'maxTokens' };
    return { calls };
  }
  if (what.startsWith('pauses')) return { text: 'wait', stopReason: 'pause' };
  if (what === 'refuses with calls') return { calls, stopReason: 'refusal' };
  if (what.startsWith('refuses')) return { text: 'no', stopReason: 'refusal' };
  if (what === 'is cut with calls') return { calls, stopReason: 'maxTokens' };
  if (what.startsWith('is cut')) return { text: 'and th', stopReason: 'maxTokens' };
  return { text: 'fine' };
}

function callsFor(batch: readonly string[]): readonly string[] {
  const asked = batch.filter((name) => name === 'approval asked').length;
  if (batch.includes('dispatchTools broke')) {
    if (asked > 0) return ['guarded', 'breaker'];
    return batch.includes('cancel') ? ['canceller', 'breaker'] : ['solo'];
  }
  if (isCancelledFromWithin(batch)) return ['canceller', 'guarded'];
  if (asked === 1 && batch.some((name) => name.startsWith('cancel'))) return ['solo', 'guarded', 'slow'];
  if (asked > 1) return ['solo', 'guarded', 'slow', 'guarded'];
  if (batch.includes('one of two approvals answered')) return ['solo', 'guarded', 'guarded'];
  return asked > 0 ? ['solo', 'guarded'] : ['solo'];
}

// False when the world went on by itself, as it does after an answer whose calls may not run.
function check(turn: RealTurn, path: MachinePath, index: number): boolean {
  const expected = path[index]?.to ?? '';
  const { name } = path[index] ?? { name: '' };
  const goesOn = expected === 'dispatching.live' && /(?:refuses with calls|is cut with calls)$/.test(name);
  if (goesOn) return false;
  const names = path.map((step) => step.name).join(' → ');
  if (turn.state !== expected) throw new Error(`${names}: expected ${expected} after ${name}, saw ${turn.state}`);
  const live = servicesOf.get(expected) ?? [];
  const seen = turn.live;
  if (seen !== undefined && live.join() !== seen.join()) {
    throw new Error(`${names}: in ${expected} ${live.join() || 'nothing'} should live, and ${seen.join()} does`);
  }
  verifyTranscript(turn.conversation, { openTail: true });
  verifyEvents(turn.events, { complete: false });
  return true;
}

async function finish(turn: RealTurn): Promise<void> {
  const { run, world } = turn;
  quietly(() => void run.cancel());
  await world.host.advance(10_000);
  const result = await run.result;
  await turn.reading;
  verifyTranscript(turn.conversation);
  verifyEvents(turn.events);
  if (world.host.pendingTimers() > 0) throw new Error('A timer is left.');
  const steers = [...turn.conversation.messages, ...(result.undrained ?? [])].filter(({ content }) =>
    content.some((block) => block.type === 'text' && block.text === 'and this'),
  );
  const accepted = turn.steers;
  if (steers.length !== accepted) throw new Error(`${accepted} steers were accepted and ${steers.length} are left.`);
}

/** A path that cancels before it starts, which no real turn can, made one that cancels right after. */
export function viaRealStart(path: MachinePath, edges: MachinePath): MachinePath {
  const [first, ...rest] = path;
  if (first?.from !== 'idle' || first.to !== 'aborted' || rest.length === 0) return path;
  const start = edges.find(({ from, name }) => from === 'idle' && name === 'start');
  const cancel = edges.find(({ from, name }) => from === start?.to && name === first.name);
  return start === undefined || cancel === undefined ? path : [start, cancel, ...rest];
}
