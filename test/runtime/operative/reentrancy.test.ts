import { describe, expect, test } from 'vitest';
import type { Stage } from '../../../src/contracts/transformer.ts';
import type { OperativeEvent } from '../../../src/contracts/events.ts';
import type { SubmitPolicy } from '../../../src/contracts/operative.ts';
import { createEngine } from '../../../src/runtime/engine.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { answerAll, bothWays, startOperative, toolOf, type OperativeBench } from './operative-bench.ts';
import { operativeIn } from './operative-states.ts';

const policies = ['steer', 'queue', 'reject', 'preempt'] as const;
const withTool = { script: scriptWithCall };

describe.each(bothWays)('a submit from a listener (%s)', (interpreter) => {
  const kinds: readonly OperativeEvent['type'][] = [
    'turn.started',
    'message.appended',
    'message.start',
    'text.delta',
    'message.end',
    'assistant.settled',
    'toolCall.started',
    'toolCall.settled',
    'toolResults.settled',
    'transformer.applied',
    'turn.completed',
  ];

  test.each(kinds.flatMap((kind) => policies.map((policy) => [kind, policy] as const)))(
    'of %s by %s is decided and comes to rest',
    async (kind, policy) => {
      const bench = startOperative({
        interpreter,
        ...withTool,
        tools: [toolOf('look')],
        transformers: [{ name: 'shape', beforeIteration: ({ messages }) => ({ messages }) }],
      });
      let isFirst = true;
      bench.operative.subscribe(({ type }) => {
        if (type !== kind || !isFirst) return;
        isFirst = false;
        void bench.submit('M', { policy });
      });
      void bench.submit('A');
      await bench.rest();
      const isIdle = kind === 'turn.completed';
      const outcome =
        isIdle || policy === 'preempt'
          ? 'startedTurn'
          : { steer: 'injected', queue: 'queued', reject: 'rejected' }[policy];
      expect(bench.fates()[1]).toBe(`${outcome} ${outcome === 'rejected' ? 'rejected' : 'answered'}`);
    },
  );

  test('case 3: of turn.completed starts a new turn', async () => {
    const bench = startOperative({ interpreter });
    bench.operative.subscribe(({ type }) => {
      if (type === 'turn.completed' && bench.sent.length === 1) void bench.submit('M2');
    });
    void bench.submit('A');
    await bench.rest();
    expect(bench.fates()).toEqual(['startedTurn answered', 'startedTurn answered']);
    expect(bench.asked()).toEqual([['A'], ['A', 'read 1', 'M2']]);
  });

  test('of turn.completed starts a new turn after older late messages', async () => {
    const bench = await operativeIn('settling', { interpreter });
    bench.operative.subscribe(({ type }) => {
      if (type === 'turn.completed' && bench.sent.length === 2) void bench.submit('M');
    });
    void bench.submit('L');
    await bench.rest();
    expect(bench.asked()[1]).toEqual(['A', 'read 1', 'L', 'M']);
  });

  test('of operative.closed is rejected', async () => {
    const bench = startOperative({ interpreter });
    bench.operative.subscribe(({ type }) => {
      if (type === 'operative.closed') void bench.submit('M');
    });
    await bench.operative.close();
    await bench.rest();
    expect(bench.fates()).toEqual(['rejected rejected']);
  });

  test('of its own events chains turns without end in sight of the stack', async () => {
    const bench = startOperative({ interpreter });
    bench.operative.subscribe(({ type }) => {
      if (type === 'turn.completed' && bench.sent.length < 200) void bench.submit(`m${bench.sent.length}`);
    });
    void bench.submit('m0');
    await bench.rest();
    expect(bench.results()).toHaveLength(200);
  });
});

describe.each(bothWays)('commands from a listener (%s)', (interpreter) => {
  const commands: Readonly<Record<string, (bench: OperativeBench) => unknown>> = {
    cancel: ({ operative }) => operative.cancel(),
    close: ({ operative }) => operative.close(),
    resume: ({ operative }) => operative.resume(),
    withdraw: ({ operative }) => operative.withdraw('A'),
    compact: ({ operative }) => operative.compact(),
    'cancel, then submit': ({ operative, submit }) => [operative.cancel(), submit('M')],
    'submit, then cancel': ({ operative, submit }) => [submit('M'), operative.cancel()],
    'submit, then withdraw': ({ operative, submit }) => [submit('M'), operative.withdraw('M')],
    'submit, then close': ({ operative, submit }) => [submit('M'), operative.close()],
    'preempt, then close': ({ operative, submit }) => [submit('M', { policy: 'preempt' }), operative.close()],
    'close, then submit': ({ operative, submit }) => [operative.close(), submit('M')],
  };

  test.each(
    (['turn.started', 'text.delta', 'toolCall.started', 'toolResults.settled', 'turn.completed'] as const).flatMap(
      (kind) => Object.keys(commands).map((name) => [kind, name] as const),
    ),
  )('of %s: %s comes to rest', async (kind, name) => {
    const bench = startOperative({ interpreter, ...withTool, tools: [toolOf('look')] });
    const answers: unknown[] = [];
    let isFirst = true;
    bench.operative.subscribe(({ type }) => {
      if (type !== kind || !isFirst) return;
      isFirst = false;
      const calls = [commands[name]?.(bench)].flat();
      for (const call of calls)
        void Promise.resolve(call).then(
          (answer) => answers.push(answer),
          () => answers.push('refused'),
        );
    });
    void bench.submit('A');
    await bench.rest();
    expect(answers).toHaveLength(name.includes(',') ? 2 : 1);
  });
});

describe.each(bothWays)('a submit from inside user code (%s)', (interpreter) => {
  test.each([
    ['steer', 'injected answered'],
    ['queue', 'queued answered'],
    ['reject', 'rejected rejected'],
    ['preempt', 'startedTurn answered'],
  ] as const)('a tool may await a %s', async (policy, fate) => {
    const bench: OperativeBench = startOperative({
      interpreter,
      ...withTool,
      tools: [toolOf('look', async () => (await bench.submit('M', { policy })).outcome)],
    });
    void bench.submit('A');
    await bench.rest();
    expect(bench.fates()[1]).toBe(fate);
    // A preempt is decided after the tool's grace time, the others at once.
    expect(bench.lines()[3]).toBe(policy === 'preempt' ? 'interrupted' : `completed ${fate.split(' ')[0]}`);
  });

  test('a steer from a tool is in the next request of the same turn', async () => {
    const bench: OperativeBench = startOperative({
      interpreter,
      ...withTool,
      tools: [toolOf('look', () => void bench.submit('M'))],
    });
    void bench.submit('A');
    await bench.rest();
    expect(bench.requests[1]?.messages.at(-1)?.id).toBe('M');
  });

  test.each(['cancel', 'close'] as const)(
    'a tool that awaits %s is interrupted after its grace time',
    async (command) => {
      const bench: OperativeBench = startOperative({
        interpreter,
        script: [{ calls: [{ name: 'look' }] }],
        tools: [toolOf('look', async () => void (await bench.operative[command]()))],
      });
      void bench.submit('A');
      await bench.rest();
      expect(bench.lines().at(-1)).toBe('interrupted');
      expect(bench.results()).toMatchObject([{ reason: 'aborted' }]);
    },
  );

  test.each([
    ['beforeTurn', 'injected answered'],
    ['beforeIteration', 'injected answered'],
    ['afterIteration', 'injected answered'],
    ['afterTurn', 'queued queued'],
  ] as const)('a transformer may await a steer in %s', async (stage: Stage, fate) => {
    const bench: OperativeBench = startOperative({
      interpreter,
      transformers: [
        {
          name: 'talkative',
          [stage]: async () => {
            if (bench.sent.length === 1) await bench.submit('M');
          },
        },
      ],
    });
    void bench.submit('A');
    await bench.rest();
    expect(bench.fates()).toEqual(['startedTurn answered', fate]);
  });

  test.each(['beforeTurn', 'beforeIteration', 'afterIteration', 'afterTurn'] as const)(
    'a transformer may preempt its own turn in %s',
    async (stage) => {
      const bench: OperativeBench = startOperative({
        interpreter,
        transformers: [
          { name: 'rude', [stage]: () => void (bench.sent.length === 1 && bench.submit('P', { policy: 'preempt' })) },
        ],
      });
      void bench.submit('A');
      await bench.rest();
      expect(bench.fates()[1]).toBe('startedTurn answered');
      expect(bench.results().map(({ reason }) => reason)).toEqual(['aborted', 'completed']);
    },
  );

  test.each(policies)('an approval may await a %s', async (policy: SubmitPolicy) => {
    const bench: OperativeBench = startOperative({
      interpreter,
      ...withTool,
      tools: [toolOf('look')],
      approve: async () => {
        await bench.submit('M', { policy });
        return { allow: true };
      },
    });
    void bench.submit('A');
    await bench.rest();
    expect(bench.lines()[3]).toBe(policy === 'preempt' ? 'notStarted' : 'completed look done');
  });

  test('the reload may await a steer', async () => {
    const bench: OperativeBench = startOperative({
      interpreter,
      own: {
        reloadBeforeStart: async () => {
          if (bench.sent.length === 1) await bench.submit('M');
          return { system: [], messages: [] };
        },
      },
    });
    void bench.submit('A');
    await bench.rest();
    expect(bench.fates()).toEqual(['startedTurn answered', 'injected answered']);
  });

  test('the engine function may submit', async () => {
    const engine = createEngine({ transformers: [], model: scriptedModel(answerAll) });
    const bench: OperativeBench = startOperative({
      interpreter,
      own: {
        engine: () => {
          if (bench.sent.length === 1) void bench.submit('M');
          return engine;
        },
      },
    });
    void bench.submit('A');
    await bench.rest();
    expect(bench.fates()).toEqual(['startedTurn answered', 'injected answered']);
  });

  test('the frame may submit', async () => {
    const bench: OperativeBench = startOperative({
      interpreter,
      own: {
        frameInjectedMessage: (message) => {
          if (message.id === 'S') void bench.submit('M');
          return message;
        },
      },
    });
    void bench.submit('A');
    void bench.submit('S');
    await bench.rest();
    expect(bench.lines().filter((line) => line.startsWith('user'))).toEqual(['user A', 'user S', 'user M']);
  });

  test('the model may submit', async () => {
    const bench: OperativeBench = startOperative({
      interpreter,
      script: (_request, { index }) => {
        if (index === 0) void bench.submit('M');
        return { text: `answer ${index}` };
      },
    });
    void bench.submit('A');
    await bench.rest();
    expect(bench.lines()).toContain('user M');
    expect(bench.fates()[1]).toBe('injected answered');
  });
});

function scriptWithCall(
  { messages }: { readonly messages: readonly unknown[] },
  { index }: { readonly index: number },
) {
  return index === 0 ? { text: 'Let me look.', calls: [{ name: 'look' }] } : { text: `read ${messages.length}` };
}
