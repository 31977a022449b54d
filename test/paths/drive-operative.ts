// Turns a path of the operative chart into what callers and the world do to a real operative with a real turn.

import { verifyEvents, verifyTranscript, type MachinePath } from '../../src/testing/index.ts';
import type { SubmitPolicy } from '../../src/contracts/operative.ts';
import type { Runner } from './execute-paths.ts';
import { graceMs, modelFailures } from './real-turn.ts';
import { RealOperative, type RealOperativeOptions } from './real-operative.ts';

/** What came of a path. */
export type DrivenOperative = { readonly skipped: string } | { readonly real: RealOperative };

type Kind = Pick<RealOperativeOptions, 'reloads' | 'startsLate'>;

const stopping: ReadonlySet<string> = new Set(['active.cancelling', 'active.preempting', 'active.closing']);
/** Where a claim waits, so that a message can be held before it is cancelled. */
const holding: ReadonlySet<string> = new Set(['reloading', 'compacting.claimed']);
const cancelledEnds: ReadonlySet<string> = new Set([
  'turn ended',
  'turn ended with queued messages',
  'turn aborted with late messages',
]);

/** Why a path cannot happen with a real turn and real services, or undefined. */
function whyUnreal(path: MachinePath): string | undefined {
  for (const [index, { from, to, name }] of path.entries()) {
    const isLast = index === path.length - 1;
    if (from === 'active.settling' && stopping.has(to) && !isLast) return 'a sealed turn stops at once';
    if (name === 'cancel while messages are held' && !holding.has(from)) {
      return 'whether messages are held follows from the path';
    }
    if (name === 'compact broke') return 'the compaction reports every failure itself';
    if (name === 'turn sealed' && !from.startsWith('active')) return 'no turn is there to be sealed';
    if (name === 'reload broke') return 'the reload reports every failure itself';
    if (from === 'active.running' && isEnd(name)) return 'every end of a turn seals it first';
    if (from === 'active.settling' && name === 'turn sealed') return 'a turn is sealed once';
    if (from === 'active.settling' && name.startsWith('turn aborted')) return 'only a cancel aborts';
    if (stopping.has(from) && isEnd(name) && !cancelledEnds.has(name)) return 'a cancelled turn ends as aborted';
  }
  return undefined;
}

/** Executes a path on a real operative; throws where what is seen is not what the chart's model says. */
export async function driveOperative(
  given: MachinePath,
  kind: Kind,
  runner: Runner,
  isFinished = true,
): Promise<DrivenOperative> {
  const path = claimedByResume(given);
  const skipped = whyUnreal(path);
  if (skipped !== undefined) return { skipped };
  const names = path.map(({ name }) => name);
  const real = new RealOperative(
    {
      ...kind,
      holds: holdsFor(names),
      ...(names.some((name) => name.startsWith('turn hit its limit')) ? { maxIterations: 1 } : {}),
    },
    runner,
  );
  for (let index = 0; index < path.length; index++) {
    const isBurst = await perform(real, path, index);
    if (isBurst) index++;
    check(real, path, index, kind);
  }
  if (isFinished) await finish(real);
  return { real };
}

// What a reload brings for a claim that only a resume makes; a submit always has something to answer.
function claimedByResume(path: MachinePath): MachinePath {
  if (!path.some(({ name }) => name === 'reloaded, nothing to answer')) return path;
  return path.map((step, index) => (index === 0 ? { ...step, name: 'resume with nothing to answer' } : step));
}

function holdsFor(names: readonly string[]): RealOperativeOptions['holds'] {
  if (names.includes('reloaded, nothing to answer')) return 'answer';
  return names.includes('resume with something to answer') || names.includes('reloaded') ? 'question' : 'nothing';
}

function isEnd(name: string): boolean {
  return (name.startsWith('turn ') && !['turn sealed', 'turn broke'].includes(name)) || name.startsWith('context ');
}

// True when the step after was performed with this one.
async function perform(real: RealOperative, path: MachinePath, index: number): Promise<boolean> {
  const { operative, world } = real;
  const { name, from, to } = path[index] ?? { name: '', from: '', to: '' };
  const ignore = () => undefined;
  if (from === 'active.running' && stopping.has(to)) await beBusy(real);
  if (name.startsWith('submit, ')) await real.submit(name.slice('submit, '.length) as SubmitPolicy);
  else if (name.startsWith('resume')) void operative.resume().catch(ignore);
  else if (name === 'cancel') void operative.cancel();
  else if (name === 'cancel while messages are held') {
    await real.submit('queue');
    void operative.cancel();
  } else if (name === 'cancel within 5 ms') void operative.cancel({ graceMs: 5 });
  else if (name.startsWith('compacted')) real.compactions.pop()?.(name === 'compacted');
  else if (name.startsWith('compact')) {
    real.canCompact = name === 'compact';
    void operative.compact().catch(ignore);
    real.canCompact = true;
  } else if (name === 'close') void operative.close();
  else if (name === 'reload failed') real.reloads.pop()?.fail();
  else if (name.startsWith('reloaded')) real.reloads.pop()?.settle();
  else if (name === 'turn sealed') {
    if (from === 'active.running') return seal(real, path[index + 1]?.name);
  } else if (name === 'turn broke') await breakTurn(real, from);
  else if (isEnd(name)) {
    if (name.includes('queued messages')) await real.submit('queue');
    if (name.includes('late messages')) await real.submit('steer');
    await endTurn(real, from);
  }
  await world.host.settle();
  return false;
}

// A turn with a running tool takes its grace time to stop.
async function beBusy({ world }: RealOperative): Promise<void> {
  await world.host.settle();
  if (world.tools.length === 0) await world.answer({ calls: [{ name: 'solo' }] });
}

// The answer that seals the turn, by how it will end.
async function seal(real: RealOperative, end: string | undefined): Promise<boolean> {
  const { world } = real;
  await world.host.settle();
  if (end?.startsWith('turn failed') === true) {
    // A turn that fails is sealed and over in one step.
    if (end.includes('queued messages')) await real.submit('queue');
    if (end.includes('late messages')) await real.submit('steer');
    await world.answer({ throw: modelFailures.final });
    return true;
  }
  if (end?.startsWith('turn hit its limit') === true) {
    await world.answer({ calls: [{ name: 'solo' }] });
    await world.settleTools();
  } else if (end?.startsWith('turn hit the token limit') === true) {
    await world.answer({ text: 'and th', stopReason: 'maxTokens' });
  } else if (end?.startsWith('turn was refused') === true) await world.answer({ text: 'no', stopReason: 'refusal' });
  else if (end?.startsWith('context') === true) await world.answer({ throw: modelFailures.tooLong });
  else await world.answer({ text: 'fine' });
  return false;
}

async function breakTurn(real: RealOperative, from: string): Promise<void> {
  if (from === 'active.running') await beBusy(real);
  real.isTurnDoomed = true;
  await endTurn(real, from === 'active.running' ? 'active.cancelling' : from);
}

async function endTurn({ world }: RealOperative, from: string): Promise<void> {
  if (from === 'active.settling') await world.settleStage();
  else await world.settleTools();
}

// Once sealed there is nothing to wait for: a cancel, a close or a preempt ends the turn in the same step.
function check(real: RealOperative, path: MachinePath, index: number, kind: Kind): void {
  const { from, to, name } = path[index] ?? { from: '', to: '', name: '' };
  const begins = kind.reloads ? 'reloading' : 'active.running';
  const atOnce: Readonly<Record<string, string>> = {
    'active.cancelling': 'idle',
    'active.preempting': begins,
    'active.closing': 'closed',
  };
  const expected = from === 'active.settling' ? (atOnce[to] ?? to) : to;
  const names = path.map((step) => step.name).join(' → ');
  if (real.state !== expected) throw new Error(`${names}: expected ${expected} after ${name}, saw ${real.state}`);
  verifyTranscript(real.operative.conversation, { openTail: true });
  verifyEvents(real.events, { complete: false });
}

/** Ends whatever runs, and looks at the promises: every message exactly once, every fate reported and true. */
export async function finish(real: RealOperative): Promise<void> {
  const { operative, world } = real;
  for (let round = 0; round < 10 && !['idle', 'closed'].includes(real.state); round++) {
    void operative.cancel();
    await world.host.advance(graceMs);
  }
  if (!['idle', 'closed'].includes(real.state)) throw new Error(`It does not come to rest: ${real.state}`);
  await world.host.advance(10_000);
  verifyEvents(real.events);
  verifyTranscript(operative.conversation);
  if (world.host.pendingTimers() > 0) throw new Error('A timer is left.');
  const announced = real.events.flatMap((event) => (event.type === 'message.queued' ? [event.message.id] : []));
  for (const { message, outcome, delivery } of real.submitted) {
    const times = operative.conversation.messages.filter(({ id }) => id === message.id).length;
    const wanted = outcome?.outcome === 'rejected' ? 0 : 1;
    if (times !== wanted) throw new Error(`${JSON.stringify(message.content)} stands ${times} times, not ${wanted}.`);
    if (outcome === undefined || delivery === undefined) throw new Error('A submission was never answered.');
    const isAnnounced = announced.includes(message.id);
    if (delivery.status === 'queued' && !isAnnounced) throw new Error('A queued message was not announced.');
    if (announced.filter((id) => id === message.id).length > 1) throw new Error('A message was announced twice.');
    if ((outcome.outcome === 'rejected') !== (delivery.status === 'rejected')) throw new Error('A fate is not true.');
  }
}
