// However a subagent ends, its result says so and has what there was.

import { describe, expect, test } from 'vitest';
import { ModelError } from '../../../src/contracts/errors.ts';
import { createBackgroundTasks } from '../../../src/runtime/background-tasks.ts';
import { createOperative } from '../../../src/runtime/operative.ts';
import { simulatedHost } from '../../../src/testing/index.ts';
import { toolOf } from '../../runtime/turn-bench.ts';
import { workTool, type Work } from '../../runtime/background-bench.ts';
import { startAgent, type AgentSetup } from './agent-bench.ts';

const look = { text: 'I looked.', calls: [{ name: 'look' }] };
const broken = { throw: new ModelError('model.rejected', 'The request is not valid.', { retryable: false }) };

async function rejects(): Promise<never> {
  throw new Error('The store is away.');
}

describe('a subagent', () => {
  test.each([
    ['completes without a word', [{ blocks: [] }], 'completed: (The agent ended without an answer.)'],
    ['says its last words before its last calls', [look, { blocks: [] }], 'completed: I looked.'],
    [
      'fails',
      [broken],
      'failed: Agent "helper" did not finish: it failed: The request is not valid. It had said nothing.',
    ],
    [
      'fails after it did something',
      [look, broken],
      'failed: Agent "helper" did not finish: it failed: The request is not valid. It had made 1 tool call, which may have had effects. What it had said:|I looked.',
    ],
    [
      'is refused',
      [{ text: 'I cannot do that.', stopReason: 'refusal' }],
      'failed: Agent "helper" did not finish: its model refused. What it had said:|I cannot do that.',
    ],
    [
      'hits the token limit',
      [{ text: 'It is a long', stopReason: 'maxTokens' }],
      'failed: Agent "helper" did not finish: its answer was cut at the token limit. What it had said:|It is a long',
    ],
    [
      'hits its limit of model calls',
      [look, look],
      'failed: Agent "helper" did not finish: it reached its limit of 2 model calls. It had made 2 tool calls, which may have had effects. What it had said:|I looked.',
    ],
    [
      'overflows its context',
      [{ throw: new ModelError('model.contextOverflow', 'Too long.', { retryable: false }) }],
      'failed: Agent "helper" did not finish: its context became too long. It had said nothing.',
    ],
  ] as const)('that %s', async (_how, child, answer) => {
    const bench = startAgent({ child, recipe: { tools: [toolOf('look')], maxIterations: 2 } });
    await bench.turn.end();
    expect(bench.answer()).toBe(answer);
    bench.child.verify();
  });

  test('that fails has its own answer from extractAnswer, in the same frame', async () => {
    const bench = startAgent({ child: [broken], own: { extractAnswer: (_conversation, { reason }) => ({ reason }) } });
    await bench.turn.end();
    expect(bench.answer()).toBe(
      'failed: Agent "helper" did not finish: it failed: The request is not valid. What it had said:|{"reason":"failed"}',
    );
  });

  test('may be read by an extractAnswer that takes its time', async () => {
    const bench = startAgent({ child: [{ text: 'x' }], own: { extractAnswer: async () => 'the report' } });
    await bench.turn.end();
    expect(bench.answer()).toBe('completed: the report');
  });

  test.each([
    ['engine', { type: { engine: rejects } }, '"engine" of a subagent returned a promise'],
    ['seed', { own: { seed: rejects } }, '"seed" returned a promise'],
    ['operative', { own: { operative: rejects } }, '"operative" returned a promise'],
    ['extractAnswer', { own: { extractAnswer: rejects } }, 'The store is away.'],
  ])('fails its call alone where an async %s rejects', async (_name, setup, why) => {
    const bench = startAgent({ child: [{ text: 'x' }], ...(setup as Partial<AgentSetup>) });
    await bench.turn.end();
    expect(bench.answer()).toContain(why);
    expect(bench.answer()).toMatch(/^failed: /);
  });

  test('ends when it is cancelled while its answer is read', async () => {
    const answers: ((answer: unknown) => void)[] = [];
    const bench = startAgent({
      child: [{ text: 'x' }],
      script: [{ calls: [{ name: 'Agent', args: { prompt: 'Do it.' } }] }],
      own: { extractAnswer: () => new Promise((resolve) => answers.push(resolve)) },
    });
    await bench.host.settle();
    expect(answers).toHaveLength(1);
    void bench.turn.run.cancel();
    await bench.turn.end();
    expect(bench.answer()).toBe('completed: x');
  });

  test('ends when its answer is asked for after the cancel, and never given', async () => {
    const bench = startAgent({
      child: [{ text: 'x', stallAfter: 1 }],
      script: [{ calls: [{ name: 'Agent', args: { prompt: 'Do it.' } }] }],
      own: { extractAnswer: () => new Promise(() => undefined) },
    });
    await bench.host.settle();
    void bench.turn.run.cancel();
    await bench.turn.end();
    expect(bench.answer()).toMatch(/^failed: Agent "helper" did not finish: it was cancelled\./);
  });

  test('stops the background tasks it had started, and says so', async () => {
    const host = simulatedHost();
    const tasks = createBackgroundTasks({ host });
    const works: Work[] = [];
    const bench = startAgent({
      host,
      child: [{ calls: [{ name: 'Work', args: { run_in_background: true } }] }, { text: 'The build runs.' }],
      recipe: { tools: [workTool(works)], backgroundTasks: tasks },
    });
    await bench.turn.end(3_000);
    expect(bench.answer()).toBe('completed: The build runs.|[Its background tasks ended with it: task_1 (Work).]');
    expect([works[0]?.context.signal.aborted, tasks.get('task_1')?.status]).toEqual([true, 'stopped']);
  });
});

test('whose answer cannot be had stops its background tasks anyway', async () => {
  const host = simulatedHost();
  const tasks = createBackgroundTasks({ host });
  const works: Work[] = [];
  const bench = startAgent({
    host,
    child: [{ calls: [{ name: 'Work', args: { run_in_background: true } }] }, { text: 'x', stallAfter: 1 }],
    recipe: { tools: [workTool(works)], backgroundTasks: tasks },
    own: {
      operative: (engine, conversation, own) => {
        const operative = createOperative({ engine, conversation, ...own });
        return new Proxy(operative, {
          get: (target, key) => {
            if (key === 'resume') {
              return async (options: object) => {
                await target.resume(options);
                for (let turns = 0; turns < 100; turns++) await Promise.resolve(); // until the task runs
                throw new Error('lost');
              };
            }
            const value: unknown = Reflect.get(target, key, target);
            return typeof value === 'function' ? value.bind(target) : value;
          },
        });
      },
    },
  });
  await bench.turn.end(3_000);
  expect([works.length, bench.answer()]).toEqual([1, 'failed: lost']);
  expect(tasks.get('task_1')?.status).toBe('stopped');
});

describe('usage', () => {
  const spent = (inputTokens: number) => ({ usage: { inputTokens, outputTokens: 1 } });

  test('of subagents is listed apart in the parent’s turn, that of theirs below it', async () => {
    const call = { name: 'Agent', args: { prompt: 'x' } };
    const bench = startAgent({
      child: [
        { text: 'one', ...spent(10) },
        { text: 'two', ...spent(20) },
      ],
      script: [
        { calls: [call], ...spent(1) },
        { calls: [call], ...spent(2) },
        { text: 'done', ...spent(4) },
      ],
    });
    const { usage } = await bench.turn.end();
    expect(usage).toEqual({
      inputTokens: 7,
      outputTokens: 3,
      subagents: [
        { inputTokens: 10, outputTokens: 1 },
        { inputTokens: 20, outputTokens: 1 },
      ],
    });
  });

  test('of one that failed counts as well', async () => {
    const bench = startAgent({
      child: [{ ...look, ...spent(10) }, broken],
      recipe: { tools: [toolOf('look')] },
    });
    const { usage } = await bench.turn.end();
    expect(usage.subagents).toEqual([{ inputTokens: 10, outputTokens: 1 }]);
  });
});
