// Cancel, background, progress, approvals and inspection of subagents.

import { describe, expect, test } from 'vitest';
import type { Approve } from '../../../src/contracts/engine.ts';
import type { Operative } from '../../../src/contracts/operative.ts';
import { createBackgroundTasks } from '../../../src/runtime/background-tasks.ts';
import { createEngine } from '../../../src/runtime/engine.ts';
import { createOperative } from '../../../src/runtime/operative.ts';
import { scriptedModel, simulatedHost, verifyTranscript } from '../../../src/testing/index.ts';
import { agentTool } from '../../../src/tools/agent/agent-tool.ts';
import { toToolResult } from '../../../src/tools/result-content.ts';
import { deferred, never, toolOf } from '../../runtime/turn-bench.ts';
import { resultText } from '../../runtime/background-bench.ts';
import { startAgent, type AgentSetup } from './agent-bench.ts';

const looking = { text: 'Looking.', calls: [{ name: 'look' }] };

// Notes the operative of the subagent, which is otherwise made as by default.
function watched(setup: AgentSetup) {
  const operatives: Operative[] = [];
  const bench = startAgent({
    ...setup,
    own: {
      ...setup.own,
      operative: (engine, conversation, own) => {
        const operative = createOperative({ engine, conversation, ...own });
        operatives.push(operative);
        return operative;
      },
    },
  });
  return { ...bench, operatives };
}

const parentOnly = [{ calls: [{ name: 'Agent', args: { prompt: 'Do it.' } }] }];

describe('a cancel of the parent', () => {
  test('cancels the subagent at once while its model speaks; the result has what it had said', async () => {
    const bench = watched({ child: [{ text: 'So far so', stallAfter: 3 }], script: parentOnly });
    await bench.host.settle();
    void bench.turn.run.cancel();
    await bench.turn.end(0);
    expect(bench.answer()).toBe('failed: Agent "helper" did not finish: it was cancelled. What it had said:|So far so');
    expect(bench.operatives[0]?.state).toBe('closed');
  });

  test('leaves the subagent’s tools less than the parent’s grace time, so that its result counts', async () => {
    const bench = watched({
      child: [looking],
      recipe: { tools: [toolOf('look', () => never())] },
      script: parentOnly,
    });
    await bench.host.settle();
    void bench.turn.run.cancel();
    await bench.turn.end(187); // three quarters of 250
    expect(bench.answer()).toMatch(
      /^failed: Agent "helper" did not finish: it was cancelled\. It had made 1 tool call/,
    );
    expect(bench.operatives[0]?.state).toBe('closed');
    verifyTranscript(bench.operatives[0]?.conversation ?? { system: [], messages: [] });
  });

  test('without grace is an interrupted call, and the subagent ends anyway', async () => {
    const bench = watched({ child: [looking], recipe: { tools: [toolOf('look', () => never())] }, script: parentOnly });
    await bench.host.settle();
    void bench.turn.run.cancel({ graceMs: 0 });
    await bench.turn.end(0);
    expect(bench.turn.results()[0]?.status).toBe('interrupted');
    expect(bench.operatives[0]?.state).toBe('closed');
    verifyTranscript(bench.operatives[0]?.conversation ?? { system: [], messages: [] });
  });

  test('of one that waits for a place: it is never spawned', async () => {
    const call = { name: 'Agent', args: { prompt: 'x' } };
    const bench = startAgent({
      own: { maxParallel: 1 },
      child: [{ text: 'x', stallAfter: 1 }],
      script: [{ calls: [call, call] }],
    });
    await bench.host.settle();
    void bench.turn.run.cancel();
    await bench.turn.end(0);
    expect(bench.spawns()).toBe(1);
    expect(bench.turn.lines().at(-1)).toBe(
      'failed: Agent "helper" was not started because the call was cancelled. It had no effects.',
    );
  });

  test('reaches an operative of the app’s that takes its time to start', async () => {
    const gate = deferred<undefined>();
    let operative: Operative | undefined;
    const bench = startAgent({
      child: [{ text: 'x', stallAfter: 1 }],
      script: parentOnly,
      own: {
        operative: (engine, conversation, own) => {
          const made = createOperative({ engine, conversation, ...own });
          operative = made;
          const resume: Operative['resume'] = async (options) => {
            await gate.promise;
            return made.resume(options);
          };
          return new Proxy(made, {
            get: (target, key) => {
              if (key === 'resume') return resume;
              const value: unknown = Reflect.get(target, key, target);
              return typeof value === 'function' ? value.bind(target) : value;
            },
          });
        },
      },
    });
    await bench.host.settle();
    void bench.turn.run.cancel();
    await bench.host.settle();
    gate.resolve(undefined);
    await bench.turn.end(0);
    expect([operative?.state, bench.answer()]).toEqual([
      'closed',
      'failed: Agent "helper" did not finish: it was cancelled. It had said nothing.',
    ]);
  });

  test('a time limit of the call is a cancel of the subagent', async () => {
    const bench = watched({
      child: [{ text: 'x', stallAfter: 1 }],
      toolTimeoutMs: 100,
    });
    await bench.turn.end(400);
    expect(bench.turn.results()[0]?.status).toBe('timedOut');
    expect(bench.operatives[0]?.state).toBe('closed');
  });
});

describe('the close of the parent’s operative', () => {
  test('leaves no subagent running', async () => {
    const host = simulatedHost();
    let child: Operative | undefined;
    const tool = agentTool(
      {
        helper: {
          description: 'x',
          engine: () => ({ transformers: [], host, model: scriptedModel([{ text: 'x', stallAfter: 2 }], { host }) }),
        },
      },
      { operative: (engine, conversation, own) => (child = createOperative({ engine, conversation, ...own })) },
    );
    const engine = createEngine({ transformers: [], host, model: scriptedModel(parentOnly, { host }), tools: [tool] });
    const parent = createOperative({ engine });
    await parent.submit('go');
    await host.settle();
    expect(child?.state).toBe('running');
    const closing = parent.close();
    await host.advance(250);
    await closing;
    expect([parent.state, child?.state, host.pendingTimers()]).toEqual(['closed', 'closed', 0]);
  });
});

describe('in the background', () => {
  const inBackground = { calls: [{ name: 'Agent', args: { prompt: 'Do it.', run_in_background: true } }] };
  const poll = { calls: [{ name: 'TaskOutput', args: { task_id: 'task_1', timeout: 10 } }] };

  function play(child: AgentSetup['child'], script: AgentSetup['script'], recipe: AgentSetup['recipe'] = {}) {
    const host = simulatedHost();
    const tasks = createBackgroundTasks({ host });
    const bench = watched({ host, child, recipe, backgroundTasks: tasks, ...(script === undefined ? {} : { script }) });
    return { ...bench, tasks };
  }

  test('it outlives the parent’s turn, can be polled, and its answer is the task’s result', async () => {
    const gate = deferred<string>();
    const bench = play([looking, { text: 'All seen.' }], [inBackground, poll, { text: 'done' }], {
      tools: [toolOf('look', () => gate.promise)],
    });
    await bench.turn.end(10);
    expect(bench.turn.lines().find((line) => line.includes('running'))).toBe(
      'completed: Task task_1 (Agent): running.\nNew output:\nLooking.\n[look started]\n',
    );
    gate.resolve('x');
    await bench.host.settle();
    const task = await bench.tasks.settled('task_1');
    expect([task.status, resultText(task)]).toEqual(['completed', 'All seen.']);
    expect(task.output).toBe(
      'Looking.\n[look started]\n[look settled completed]\nAll seen.\n[completed: 2 model calls, 0 + 0 tokens]\n',
    );
    expect(bench.operatives[0]?.state).toBe('closed');
  });

  test('TaskStop ends it', async () => {
    const bench = play(
      [{ text: 'So far', stallAfter: 3 }],
      [inBackground, { calls: [{ name: 'TaskStop', args: { task_id: 'task_1' } }] }, { text: 'done' }],
    );
    await bench.turn.end();
    const task = bench.tasks.get('task_1');
    expect([task?.status, bench.operatives[0]?.state]).toEqual(['stopped', 'closed']);
    expect(resultText(task ?? {})).toContain('it was cancelled. What it had said:\nSo far');
  });

  test('one that fails is a failed task', async () => {
    const bench = play([{ text: 'no', stopReason: 'refusal' }], [inBackground, { text: 'done' }]);
    await bench.turn.end();
    expect(bench.tasks.get('task_1')?.status).toBe('failed');
  });

  test('its end is announced', async () => {
    const host = simulatedHost();
    const tasks = createBackgroundTasks({ host });
    const gate = deferred<string>();
    const tool = agentTool({
      helper: {
        description: 'x',
        engine: () => ({
          transformers: [],
          host,
          tools: [toolOf('look', () => gate.promise)],
          model: scriptedModel([looking, { text: 'ok' }], { host }),
        }),
      },
    });
    const engine = createEngine({
      transformers: [],
      host,
      tools: [tool],
      backgroundTasks: tasks,
      model: scriptedModel([inBackground, { text: 'I wait.' }, { text: 'I heard.' }], { host }),
    });
    const parent = createOperative({ engine, announceTasks: 'steer' });
    await parent.submit('go');
    await host.settle();
    expect(parent.state).toBe('idle');
    gate.resolve('x');
    await host.settle();
    expect(parent.conversation.messages.filter(({ meta }) => meta?.['task'] === 'task_1')).toHaveLength(1);
    expect(parent.conversation.messages).toHaveLength(6);
    await parent.close();
  });

  test('the close of the registry ends it', async () => {
    const bench = play([{ text: 'x', stallAfter: 1 }], [inBackground, { text: 'done' }]);
    await bench.host.settle();
    await bench.tasks.close();
    await bench.turn.end();
    expect([bench.tasks.get('task_1')?.status, bench.operatives[0]?.state]).toEqual(['stopped', 'closed']);
  });
});

describe('progress', () => {
  test('has what a subagent does in short, and no piece of a stream', async () => {
    const bench = startAgent({
      child: [
        { text: 'Looking.', chunks: 1, calls: [{ name: 'look', id: 'c1' }] },
        { text: 'x'.repeat(2_000), chunks: 1, usage: { inputTokens: 3, outputTokens: 4 } },
      ],
      recipe: { tools: [toolOf('look', (_args, { progress }) => progress('noise'))] },
    });
    await bench.turn.end();
    const of = (event: string, more: object) => ({ type: 'agent', agent: 'helper', event, ...more });
    expect(bench.updates()).toEqual([
      of('assistant.settled', { text: 'Looking.' }),
      of('toolCall.started', { callId: 'c1', tool: 'look' }),
      of('toolCall.settled', { callId: 'c1', tool: 'look', status: 'completed' }),
      of('assistant.settled', { text: `${'x'.repeat(499)}…` }),
      of('turn.completed', { reason: 'completed', iterations: 2, inputTokens: 3, outputTokens: 4 }),
    ]);
  });

  test('of an agent further down is passed on', async () => {
    const host = simulatedHost();
    const inner = agentTool({
      deep: { description: 'x', engine: () => ({ transformers: [], host, model: scriptedModel([{ text: 'deep' }]) }) },
    });
    const bench = startAgent({
      host,
      child: [{ calls: [{ name: 'Agent', args: { prompt: 'go' }, id: 'c1' }] }, { text: 'ok' }],
      recipe: { tools: [inner] },
      type: { allowRecursion: true },
    });
    await bench.turn.end();
    expect(bench.updates()).toContainEqual({
      type: 'agent',
      agent: 'helper',
      event: 'toolCall.progress',
      callId: 'c1',
      update: { type: 'agent', agent: 'deep', event: 'assistant.settled', text: 'deep' },
    });
  });
});

describe('approvals', () => {
  const looks = { child: [looking, { text: 'ok' }], recipe: { tools: [toolOf('look')] } };
  const denies: Approve = ({ tool }) => (tool.name === 'look' ? { allow: false, message: 'no' } : { allow: true });

  test('of a recipe without any are asked of the parent', async () => {
    const bench = watched({ ...looks, approve: denies });
    await bench.turn.end();
    const results = bench.operatives[0]?.conversation.messages.flatMap(({ content }) => content) ?? [];
    expect(results).toContainEqual(expect.objectContaining({ type: 'toolResult', status: 'denied' }));
  });

  test('of a recipe of its own are its own', async () => {
    const asked: string[] = [];
    const approve: Approve = ({ tool }) => {
      asked.push(tool.name);
      return { allow: true };
    };
    const bench = startAgent({ ...looks, recipe: { ...looks.recipe, approve }, approve: denies });
    await bench.turn.end();
    expect(asked).toEqual(['look']);
    expect(bench.answer()).toBe('completed: ok');
  });

  test('that are open are reported to the parent’s listeners, and a cancel drops them', async () => {
    const bench = watched({
      ...looks,
      child: [looking],
      recipe: { ...looks.recipe, approve: () => never() },
      script: parentOnly,
    });
    await bench.host.settle();
    expect(bench.updates()).toContainEqual(
      expect.objectContaining({ event: 'toolCall.awaitingApproval', tool: 'look' }),
    );
    void bench.turn.run.cancel();
    await bench.turn.end(0);
    expect(bench.operatives[0]?.state).toBe('closed');
  });
});

test('its actors appear under the call in the inspector', async () => {
  const parents = new Map<string, string | undefined>();
  const host = simulatedHost();
  const tool = agentTool({
    helper: {
      description: 'x',
      engine: () => ({ transformers: [], host, model: scriptedModel([{ text: 'ok' }], { host }) }),
    },
  });
  const engine = createEngine({
    transformers: [],
    host,
    tools: [tool],
    model: scriptedModel([...parentOnly, { text: 'done' }], { host }),
  });
  const operative = createOperative({
    engine,
    inspect: (event) => {
      const { type, actorRef } = event as { type: string; actorRef: { id: string; _parent?: { id: string } } };
      if (type === '@xstate.actor') parents.set(actorRef.id, actorRef._parent?.id);
    },
  });
  await operative.submit('go');
  await host.settle();
  expect(operative.state).toBe('idle');
  // The subagent's operative has the id of every operative: the last one seen.
  expect(parents.get('operative')).toBe('toolCall:0');
  await operative.close();
});

test('in the background they appear there as well, also once the call and its turn are over', async () => {
  const seen: (string | undefined)[] = [];
  const host = simulatedHost();
  const gate = deferred<string>();
  const tool = agentTool({
    helper: {
      description: 'x',
      engine: () => ({
        transformers: [],
        host,
        tools: [toolOf('look', () => gate.promise)],
        model: scriptedModel([looking, { text: 'ok' }], { host }),
      }),
    },
  });
  const call = { name: 'Agent', args: { prompt: 'Do it.', run_in_background: true } };
  const tasks = createBackgroundTasks({ host });
  const engine = createEngine({
    transformers: [],
    host,
    tools: [tool],
    backgroundTasks: tasks,
    model: scriptedModel([{ calls: [call] }, { text: 'done' }], { host }),
    inspect: (event) => {
      const { type, actorRef } = event as { type: string; actorRef: { id: string; _parent?: { id: string } } };
      if (type === '@xstate.actor' && actorRef.id === 'operative') seen.push(actorRef._parent?.id);
    },
  });
  const operative = createOperative({ engine });
  await operative.submit('go');
  await host.settle();
  gate.resolve('x');
  await host.settle();
  expect([operative.state, tasks.get('task_1')?.status, seen]).toEqual([
    'idle',
    'completed',
    [undefined, 'toolCall:0'],
  ]);
  await operative.close();
});

test('by hand, without any turn around it, it works as well', async () => {
  const tool = agentTool({ a: { description: 'a', engine: () => ({ model: scriptedModel([{ text: 'ok' }]) }) } });
  const { contextOf } = await import('../../runtime/background-bench.ts');
  expect(toToolResult(await tool.execute({ prompt: 'x' }, contextOf('me'))).content).toEqual([
    { type: 'text', text: 'ok' },
  ]);
});
