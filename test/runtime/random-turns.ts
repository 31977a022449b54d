// Arbitrary turns: scripts, tools that settle late or never, transformers, approvals, and what the user does meanwhile.

import * as fc from 'fast-check';
import { ModelError } from '../../src/contracts/errors.ts';
import type { Transformer } from '../../src/contracts/transformer.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import { userMessage } from '../../src/conversation/message.ts';
import { scriptedModel, simulatedHost, type ScriptedStep } from '../../src/testing/index.ts';
import { never, startTurn, toolOf, type Interpreter, type Turn } from './turn-bench.ts';

const lost = new ModelError('model.connection', 'lost', { retryable: true });
const refused = new ModelError('model.rejected', 'no', { retryable: false });
const tooLong = new ModelError('model.contextOverflow', 'too long', { retryable: false });

const call = fc.record({
  name: fc.constantFrom('look', 'slow', 'hang', 'fail', 'steer', 'stop', 'ghost'),
  id: fc.constantFrom('a', 'b', '', 'dispatchTools'),
});
const ending = fc.oneof(
  { arbitrary: fc.constant({}), weight: 10 },
  { arbitrary: fc.record({ cutAfter: fc.nat(8) }), weight: 1 },
  { arbitrary: fc.record({ stallAfter: fc.nat(8), deaf: fc.boolean() }), weight: 2 },
  { arbitrary: fc.record({ throw: fc.constantFrom(lost, refused, tooLong), throwAfter: fc.nat(8) }), weight: 2 },
);
const usage = { inputTokens: 1, outputTokens: 1 };
const stopReason = fc.constantFrom('maxTokens', 'pause', 'refusal', 'contextOverflow', 'endTurn', 'toolUse' as const);
const step: fc.Arbitrary<ScriptedStep> = fc
  .record({
    calls: fc.array(call, { maxLength: 4 }),
    delayMs: fc.constantFrom(0, 0, 7),
    ending,
    stop: fc.option(stopReason),
  })
  .map(({ ending: how, stop, ...said }) => ({
    ...said,
    text: 'Hello',
    thinking: { text: 'Hm', signature: 's' },
    usage,
    chunks: 2,
    ...(stop === null ? {} : { stopReason: stop }),
    ...how,
  }));

const stages = ['beforeTurn', 'beforeIteration', 'afterIteration', 'afterTurn'] as const;
const transformerPlan = fc.record({
  stage: fc.constantFrom(...stages),
  does: fc.constantFrom('nothing', 'same', 'throws', 'breaks', 'waits', 'hangs'),
});

const move = fc.oneof(
  {
    arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.constantFrom(0, 1, 10, 100, 1000) }),
    weight: 6,
  },
  { arbitrary: fc.constant({ do: 'steer' as const }), weight: 2 },
  {
    arbitrary: fc.record({ do: fc.constant('cancel' as const), graceMs: fc.constantFrom(undefined, 0, 30) }),
    weight: 1,
  },
);

/** One turn before it is played: data. */
export const turnPlans = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  transformers: fc.array(transformerPlan, { maxLength: 2 }),
  approves: fc.constantFrom('never asked', 'at once', 'later', 'no', 'never answers'),
  toolTimeoutMs: fc.constantFrom(undefined, 40),
  maxIterations: fc.constantFrom(1, 3),
  maxParallelTools: fc.constantFrom(1, 8),
  moves: fc.array(move, { maxLength: 10 }),
});
export type TurnPlan = typeof turnPlans extends fc.Arbitrary<infer Plan> ? Plan : never;

/** A turn that has ended, and the ids of the steers it accepted, in order. */
export interface Played extends Turn {
  readonly accepted: readonly string[];
}

/** Plays a turn to its end, checks it, and that every cancel was in time. */
export async function playPlan(plan: TurnPlan, interpreter: Interpreter): Promise<Played> {
  const host = simulatedHost();
  const model = scriptedModel((_request, { index }) => plan.steps[index % plan.steps.length] ?? {}, { host });
  const sleep = (ms: number) => new Promise<void>((resolve) => void host.setTimeout(resolve, ms));
  const safe = { isConcurrencySafe: true };
  let deadline = Infinity;
  let endedAt: number | undefined;
  const cancel = (graceMs?: number) => {
    deadline = Math.min(deadline, host.now() + (graceMs ?? 250));
    void turn.run.cancel(graceMs === undefined ? {} : { graceMs });
  };
  let steers = 0;
  const accepted: string[] = [];
  const steer = () => {
    const id = `s${++steers}`;
    if (turn.run.steer(userMessage(`steer ${steers}`, { id })) === 'accepted') accepted.push(id);
  };
  const approvals = {
    'never asked': undefined,
    'at once': () => ({ allow: true }) as const,
    later: () => sleep(5).then(() => ({ allow: true }) as const),
    no: () => ({ allow: false, message: 'no' }) as const,
    'never answers': () => never<{ allow: true }>(),
  };
  const approve = approvals[plan.approves];
  const turn: Turn = startTurn({
    interpreter,
    host,
    model,
    conversation: createConversation({ messages: [userMessage('go', { id: 'u1' })] }),
    tools: [
      toolOf('look', () => 'seen', safe),
      toolOf('slow', () => sleep(20), safe),
      toolOf('hang', () => never(), safe),
      toolOf('fail', () => Promise.reject(new Error('no'))),
      toolOf('steer', () => steer()),
      toolOf('stop', () => cancel(30)),
    ],
    transformers: plan.transformers.map(transformerOf),
    retry: { attempts: 1, baseDelayMs: 10 },
    idleTimeoutMs: 500,
    maxIterations: plan.maxIterations,
    maxParallelTools: plan.maxParallelTools,
    ...(plan.toolTimeoutMs === undefined ? {} : { toolTimeoutMs: plan.toolTimeoutMs }),
    ...(approve === undefined ? {} : { approve }),
    onEvent: ({ type }) => {
      if (type === 'turn.completed') endedAt = host.now();
    },
  });
  for (const planned of plan.moves) {
    if (planned.do === 'advance') await host.advance(planned.ms);
    else if (planned.do === 'cancel') cancel(planned.graceMs);
    else steer();
  }
  await host.advance(20_000);
  // Only what never settles is still at it.
  if (endedAt === undefined) cancel();
  await turn.end(250);
  if ((endedAt ?? Infinity) > deadline)
    throw new Error(`Cancelled, the turn ended at ${endedAt}, later than ${deadline}`);
  return { ...turn, accepted };
}

function transformerOf({ stage, does }: TurnPlan['transformers'][number], index: number): Transformer {
  const bare = {
    id: 'bare',
    role: 'assistant',
    content: [{ type: 'toolCall', id: 'c', name: 'x', args: {} }],
  } as const;
  const outcomes: Record<typeof does, () => unknown> = {
    nothing: () => undefined,
    same: () => ({ turnContext: index }),
    throws: () => {
      throw new Error('no');
    },
    breaks: () =>
      stage === 'beforeIteration' ? { messages: [bare] } : { conversation: { system: [], messages: [bare, bare] } },
    waits: () => Promise.resolve(),
    hangs: () => never(),
  };
  return { name: `${does} ${index}`, [stage]: outcomes[does] };
}
