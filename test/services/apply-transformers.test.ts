import { describe, expect, test } from 'vitest';
import type { Transformer, TransformerContext } from '../../src/contracts/transformer.ts';
import { userMessage } from '../../src/conversation/message.ts';
import { interpreters, playTurn, startTurn, toolOf } from '../runtime/turn-bench.ts';

const stages = ['beforeTurn', 'beforeIteration', 'afterIteration', 'afterTurn'] as const;
const look = toolOf('look');
const twoIterations = [{ calls: [{ name: 'look' }] }, { text: 'done' }];

/** Notes at which stage and iteration it is asked; returns nothing. */
function noting(name: string, log: string[], isAsync = false): Transformer {
  const note = (_: unknown, { stage, iteration }: TransformerContext) => {
    log.push(`${name} ${stage} ${iteration}`);
    return isAsync ? Promise.resolve() : undefined;
  };
  return { name, beforeTurn: note, beforeIteration: note, afterIteration: note, afterTurn: note };
}

describe.each(interpreters)('the stages (%s)', (interpreter) => {
  test.each([false, true])('run in order, and in each the transformers in theirs (async: %s)', async (isAsync) => {
    const log: string[] = [];
    const transformers = [noting('a', log, isAsync), noting('b', log, !isAsync)];
    const turn = await playTurn({ interpreter, transformers, tools: [look], script: twoIterations });
    expect(log).toEqual(
      [
        'beforeTurn 0',
        'beforeIteration 1',
        'afterIteration 1',
        'beforeIteration 2',
        'afterIteration 2',
        'afterTurn 2',
      ].flatMap((at) => [`a ${at}`, `b ${at}`]),
    );
    expect(turn.has('transformer.applied')).toBe(false);
  });

  test('beforeIteration runs after steers were drained', async () => {
    const seen: number[] = [];
    const turn = startTurn({
      interpreter,
      transformers: [{ name: 'count', beforeIteration: ({ messages }) => void seen.push(messages.length) }],
      script: [{ text: 'one' }, { text: 'two' }],
    });
    turn.run.steer('more');
    await turn.end();
    expect(seen).toEqual([1, 3]);
  });

  test('afterIteration runs between the answer and its tools', async () => {
    const order: string[] = [];
    await playTurn({
      interpreter,
      tools: [toolOf('look', () => void order.push('tool'))],
      transformers: [
        { name: 't', afterIteration: ({ messages }) => void order.push(`after ${messages.at(-1)?.role}`) },
      ],
      script: twoIterations,
    });
    expect(order).toEqual(['after assistant', 'tool', 'after assistant']);
  });

  test('afterTurn runs for every reason but aborted and failed', async () => {
    const afterTurn = async (setup: Parameters<typeof playTurn>[0]) => {
      const log: string[] = [];
      const { result } = await playTurn({
        interpreter,
        tools: [look],
        retry: { attempts: 0 },
        transformers: [noting('t', log)],
        ...setup,
      });
      return [result.reason, log.some((line) => line.includes('afterTurn'))];
    };
    expect(await afterTurn({ script: [{ text: 'x' }] })).toEqual(['completed', true]);
    expect(await afterTurn({ script: [{ calls: [{ name: 'look' }] }], maxIterations: 1 })).toEqual([
      'maxIterations',
      true,
    ]);
    expect(await afterTurn({ script: [{ text: 'x', stopReason: 'maxTokens' }] })).toEqual(['maxTokens', true]);
    expect(await afterTurn({ script: [{ text: 'x', stopReason: 'refusal' }] })).toEqual(['refused', true]);
    expect(
      await afterTurn({
        script: Array.from({ length: 2 }, () => ({ text: 'x', stopReason: 'contextOverflow' as const })),
      }),
    ).toEqual(['contextOverflow', true]);
    expect(await afterTurn({ script: [{ cutAfter: 0 }] })).toEqual(['failed', false]);
    expect(await afterTurn({ script: [], signal: AbortSignal.abort() })).toEqual(['aborted', false]);
  });

  test('lastUsage is that of the last settled call', async () => {
    const seen: unknown[] = [];
    const usage = { inputTokens: 7, outputTokens: 1 };
    await playTurn({
      interpreter,
      tools: [look],
      transformers: [{ name: 't', beforeIteration: (_, { lastUsage }) => void seen.push(lastUsage) }],
      script: [{ calls: [{ name: 'look' }], usage }, { text: 'x' }],
    });
    expect(seen).toEqual([undefined, usage]);
  });

  test('estimateTokens counts a message and a list', async () => {
    let counts: readonly number[] = [];
    const count: Transformer['beforeTurn'] = ({ messages }, { estimateTokens }) => {
      const [first] = messages;
      counts = first === undefined ? [] : [estimateTokens(first), estimateTokens([first, first])];
    };
    await playTurn({ interpreter, transformers: [{ name: 't', beforeTurn: count }], script: [{ text: 'x' }] });
    expect(counts[0]).toBeGreaterThan(0);
    expect(counts[1]).toBeGreaterThan(counts[0] ?? 0);
  });

  test.each(stages)('turnContext can be replaced in %s and is what the next one sees', async (stage) => {
    const seen: unknown[] = [];
    await playTurn({
      interpreter,
      turnContext: 'old',
      transformers: [
        { name: 'replace', [stage]: () => ({ turnContext: 'new' }) },
        { name: 'see', [stage]: (_: unknown, { turnContext }: TransformerContext) => void seen.push(turnContext) },
      ],
      script: [{ text: 'x' }],
    });
    expect(seen).toEqual(['new']);
  });

  test('tools and approvals read the replaced turnContext', async () => {
    const seen: unknown[] = [];
    await playTurn({
      interpreter,
      turnContext: { user: 'old' },
      transformers: [{ name: 'replace', afterIteration: () => ({ turnContext: { user: 'new' } }) }],
      tools: [toolOf('look', (_, { turnContext }) => void seen.push(turnContext))],
      approve: (_, { turnContext }) => {
        seen.push(turnContext);
        return { allow: true };
      },
      script: twoIterations,
    });
    expect(seen).toEqual([{ user: 'new' }, { user: 'new' }]);
  });
});

describe.each(interpreters)('views (%s)', (interpreter) => {
  test('are what the model sees, and not durable', async () => {
    const turn = await playTurn({
      interpreter,
      tools: [look],
      transformers: [
        {
          name: 'view',
          beforeIteration: (_, { iteration }) =>
            iteration === 1
              ? { messages: [userMessage('other', { id: 'x' })], system: [{ type: 'text', text: 'be brief' }] }
              : undefined,
        },
      ],
      script: twoIterations,
    });
    expect(turn.requests[0]).toMatchObject({ messages: [{ id: 'x' }], system: [{ text: 'be brief' }] });
    expect(turn.requests[1]?.messages).toHaveLength(3);
    expect(turn.requests[1]?.system).toEqual([]);
    expect(turn.lines()).toEqual(['user: go', 'call look', 'completed: look done', 'assistant: done']);
    expect(turn.all('transformer.applied')).toEqual([
      {
        type: 'transformer.applied',
        name: 'view',
        stage: 'beforeIteration',
        iteration: 1,
        messagesBefore: 1,
        messagesAfter: 1,
      },
    ]);
  });

  test('each transformer sees the view of the one before it', async () => {
    const seen: string[] = [];
    const turn = await playTurn({
      interpreter,
      transformers: [
        { name: 'a', beforeIteration: () => ({ messages: [userMessage('a', { id: 'a' })] }) },
        {
          name: 'b',
          beforeIteration: ({ messages }) => {
            seen.push(...messages.map(({ id }) => id));
            return { messages: [...messages, userMessage('b', { id: 'b' })] };
          },
        },
        { name: 'c', beforeIteration: ({ system }) => ({ system: [...system, { type: 'text', text: 's' }] }) },
      ],
      script: [{ text: 'x' }],
    });
    expect(seen).toEqual(['a']);
    expect(turn.requests[0]).toMatchObject({ messages: [{ id: 'a' }, { id: 'b' }], system: [{ text: 's' }] });
  });

  test('what is appended is durable and at the end of both', async () => {
    const note = userMessage('note', { id: 'n1' });
    const turn = await playTurn({
      interpreter,
      transformers: [
        { name: 'view', beforeIteration: () => ({ messages: [userMessage('other', { id: 'x' })] }) },
        { name: 'append', beforeIteration: () => ({ append: [note] }) },
      ],
      script: [{ text: 'x' }],
    });
    expect(turn.requests[0]?.messages.map(({ id }) => id)).toEqual(['x', 'n1']);
    expect(turn.lines()).toEqual(['user: go', 'user: note', 'assistant: x']);
    expect(turn.all('message.appended')[0]).toMatchObject({ message: { id: 'n1' }, index: 1 });
  });

  test('a list given with what is appended is the view in front of it', async () => {
    const turn = await playTurn({
      interpreter,
      transformers: [
        {
          name: 't',
          beforeIteration: () => ({
            messages: [userMessage('short', { id: 's' })],
            append: [userMessage('note', { id: 'n' })],
          }),
        },
      ],
      script: [{ text: 'x' }],
    });
    expect(turn.requests[0]?.messages.map(({ id }) => id)).toEqual(['s', 'n']);
    expect(turn.lines()).toEqual(['user: go', 'user: note', 'assistant: x']);
  });

  test.each([undefined, null, {}, { messages: null, system: null, append: null, turnContext: null }, { append: [] }])(
    '%j changes nothing',
    async (nothing) => {
      const transformers = [{ name: 't', beforeIteration: () => nothing as never }];
      const turn = await playTurn({ interpreter, transformers, script: [{ text: 'x' }] });
      expect(turn.has('transformer.applied')).toBe(false);
      expect(turn.has('transformer.failed')).toBe(false);
    },
  );
});
