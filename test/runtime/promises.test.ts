import { describe, expect, test } from 'vitest';
import type { TurnSetup } from './turn-bench.ts';
import { deferred, interpreters, startTurn, toolOf, type Deferred } from './turn-bench.ts';

/** Something of the user's that hangs and knows nothing of signals; the turn is cancelled meanwhile. */
interface Hanging {
  readonly name: string;
  /** How long after the cancel the turn may take. */
  readonly graceMs: number;
  readonly setup: (gate: Deferred<never>) => Omit<TurnSetup, 'interpreter'>;
}

const calls = [
  { name: 'act', id: 'c1' },
  { name: 'act', id: 'c2' },
];
const act = toolOf('act');

const hanging: readonly Hanging[] = [
  {
    name: 'a model',
    graceMs: 0,
    setup: (gate) => ({
      model: {
        id: 'deaf',
        async *stream() {
          yield { type: 'message.start' };
          await gate.promise;
        },
      },
    }),
  },
  {
    name: 'a tool',
    graceMs: 250,
    setup: (gate) => ({ tools: [toolOf('act', () => gate.promise)], script: [{ calls }] }),
  },
  ...(['beforeTurn', 'beforeIteration', 'afterIteration', 'afterTurn'] as const).map((stage): Hanging => ({
    name: `a transformer in ${stage}`,
    graceMs: 0,
    setup: (gate) => ({
      tools: [act],
      transformers: [{ name: 'deaf', [stage]: () => gate.promise }],
      script: stage.startsWith('before') ? [] : [stage === 'afterTurn' ? { text: 'x' } : { calls }],
    }),
  })),
  {
    name: 'an approval',
    graceMs: 0,
    setup: (gate) => ({ tools: [act], approve: () => gate.promise, script: [{ calls }] }),
  },
  {
    name: 'a preview',
    graceMs: 0,
    setup: (gate) => ({
      tools: [toolOf('act', () => 'ran', { preview: () => gate.promise })],
      approve: () => ({ allow: true }),
      script: [{ calls }],
    }),
  },
];

describe.each(interpreters)('P3, P4 and P6 (%s)', (interpreter) => {
  describe.each(hanging)('cancel while $name never settles and ignores its signal', ({ graceMs, setup }) => {
    async function cancelled() {
      const gate = deferred<never>();
      const turn = startTurn({ interpreter, ...setup(gate) });
      await turn.host.settle();
      expect(turn.has('turn.completed')).toBe(false);
      void turn.run.cancel();
      await turn.host.settle();
      return { gate, turn };
    }

    test(`ends the turn ${graceMs === 0 ? 'in the same tick of the clock' : `after ${graceMs} ms`} with a valid transcript`, async () => {
      const { turn } = await cancelled();
      if (graceMs > 0) {
        await turn.host.advance(graceMs - 1);
        expect(turn.has('turn.completed')).toBe(false);
        await turn.host.advance(1);
      }
      expect(await turn.end()).toMatchObject({ reason: 'aborted' });
    });

    test.each(['resolve', 'reject'] as const)(
      'and a late %s changes nothing and is no unhandled rejection',
      async (how) => {
        const { gate, turn } = await cancelled();
        await turn.host.advance(graceMs);
        const messages = structuredClone(turn.conversation.messages);
        const events = turn.events.length;
        if (how === 'resolve') gate.resolve({ allow: true, conversation: { system: [], messages: [] } } as never);
        else gate.reject(new Error('late'));
        await turn.host.settle();
        await turn.end();
        expect(turn.conversation.messages).toEqual(messages);
        expect(turn.events).toHaveLength(events);
      },
    );
  });
});
