// Brings an operative into each state of its chart and keeps it there until the clock is advanced.

import { expect } from 'vitest';
import type { OperativeState } from '../../../src/contracts/operative.ts';
import { createConversation, type Conversation } from '../../../src/conversation/conversation.ts';
import { answerAll, startOperative, toolOf, type OperativeBench, type OperativeSetup } from './operative-bench.ts';

/** States an operative can be in for a while. `compacting` has tests of its own. */
export const states = [
  'idle',
  'reloading',
  'running',
  'settling',
  'cancelling',
  'preempting',
  'closing',
  'closed',
] as const satisfies readonly OperativeState[];

export type State = (typeof states)[number];

const delayMs = 1_000;

/** Starts with message `A` unless the state is `idle`. What runs goes on by itself once the clock is advanced. */
export async function operativeIn(state: State, setup: OperativeSetup = {}): Promise<OperativeBench> {
  const bench = await enter(state, setup);
  expect(bench.operative.state).toBe(state);
  return bench;
}

async function enter(state: State, setup: OperativeSetup): Promise<OperativeBench> {
  switch (state) {
    case 'idle':
      return startOperative(setup);
    case 'closed': {
      const bench = await played(startOperative(setup));
      await bench.operative.close();
      return bench;
    }
    case 'reloading': {
      const conversation = setup.conversation ?? createConversation();
      const bench: OperativeBench = startOperative({
        ...setup,
        conversation,
        own: { reloadBeforeStart: () => stored(bench, conversation), ...setup.own },
      });
      void bench.submit('A');
      await bench.host.settle();
      return bench;
    }
    case 'running': {
      const bench = startOperative({ script: firstWaits, ...setup });
      void bench.submit('A');
      await bench.host.settle();
      return bench;
    }
    case 'settling': {
      const bench: OperativeBench = startOperative({
        ...setup,
        transformers: [{ name: 'slow', afterTurn: () => pause(bench) }],
      });
      void bench.submit('A');
      await bench.host.settle();
      return bench;
    }
    case 'cancelling': {
      const bench = await withDeafTool(setup);
      void bench.operative.cancel();
      await bench.host.settle();
      return bench;
    }
    case 'preempting': {
      const bench = await withDeafTool(setup);
      void bench.submit('P', { policy: 'preempt' });
      await bench.host.settle();
      return bench;
    }
    case 'closing': {
      const bench = await withDeafTool(setup);
      void bench.operative.close();
      await bench.host.settle();
      return bench;
    }
  }
}

async function played(bench: OperativeBench): Promise<OperativeBench> {
  void bench.submit('A');
  await bench.host.settle();
  return bench;
}

async function withDeafTool(setup: OperativeSetup): Promise<OperativeBench> {
  const deaf = toolOf('deaf', () => new Promise(() => undefined));
  const bench = startOperative({ script: firstCalls, tools: [deaf], ...setup });
  return played(bench);
}

const firstWaits = (request: Parameters<typeof answerAll>[0], { index }: { readonly index: number }) =>
  index === 0 ? { ...answerAll(request), delayMs } : answerAll(request);

const firstCalls = (request: Parameters<typeof answerAll>[0], { index }: { readonly index: number }) =>
  index === 0 ? { calls: [{ name: 'deaf' }] } : answerAll(request);

async function stored(bench: OperativeBench, conversation: Conversation): Promise<Conversation> {
  await pause(bench);
  return createConversation({ messages: conversation.messages });
}

function pause({ host }: OperativeBench): Promise<void> {
  return new Promise((resolve) => void host.setTimeout(resolve, delayMs));
}
