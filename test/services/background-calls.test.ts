// Calls that go into the background: what the model is offered, what the turn tells, what the transcript shows.

import { describe, expect, test, vi } from 'vitest';
import type { BackgroundTaskRegistry } from '../../src/contracts/background-task.ts';
import type { EngineOptions } from '../../src/contracts/engine.ts';
import type { ToolResultBlock } from '../../src/conversation/block.ts';
import { createBackgroundTasks } from '../../src/runtime/background-tasks.ts';
import { createEngine } from '../../src/runtime/engine.ts';
import { scriptedModel, simulatedHost, type ScriptedCall } from '../../src/testing/index.ts';
import { defineBackgroundTool } from '../../src/tools/define-background-tool.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { taskOutputTool } from '../../src/tools/tasks/task-output.ts';
import { taskStopTool } from '../../src/tools/tasks/task-stop.ts';
import { toolThat, workTool, type Work } from '../runtime/background-bench.ts';
import { bothWays } from '../runtime/operative/operative-bench.ts';
import { startTurn, type TurnSetup } from '../runtime/turn-bench.ts';

function play(
  calls: readonly ScriptedCall[],
  options: Partial<Omit<EngineOptions, 'host'>> &
    Pick<TurnSetup, 'interpreter' | 'script'> & { readonly registry?: null } = {},
) {
  const { registry, ...rest } = options;
  const host = simulatedHost();
  const tasks = createBackgroundTasks({ host });
  const works: Work[] = [];
  const turn = startTurn({
    host,
    tools: [workTool(works)],
    ...(registry === null ? {} : { backgroundTasks: tasks }),
    script: [{ calls }, { text: 'fine' }],
    ...rest,
  });
  return { host, tasks, works, turn };
}

const inBackground: ScriptedCall = { name: 'Work', args: { run_in_background: true } };

describe.each(bothWays)('run_in_background (%s)', (interpreter) => {
  test('gives a handle at once, and the work continues', async () => {
    const { turn, tasks, works, host } = play([inBackground], { interpreter });
    await turn.end();
    expect(turn.results()).toEqual([
      {
        type: 'toolResult',
        callId: 'call_1',
        status: 'completed',
        content: [
          {
            type: 'text',
            text: 'Work goes on in the background as task task_1.\nRead its status, output and result with TaskOutput {"task_id":"task_1"}; end it with TaskStop.',
          },
        ],
      } satisfies ToolResultBlock,
    ]);
    expect(turn.all('toolCall.backgrounded').map(({ taskId }) => taskId)).toEqual(['task_1']);
    expect(tasks.get('task_1')?.status).toBe('running');
    works[0]?.resolve('later');
    await host.settle();
    expect(tasks.get('task_1')?.status).toBe('completed');
  });

  test.each([
    ['without a registry', inBackground, { registry: null }],
    ['where the flag is false', { name: 'Work', args: { run_in_background: false } }, {}],
    ['without the flag', { name: 'Work' }, {}],
  ] as const)('is not what happens %s', async (_what, call, options) => {
    const { turn, works, tasks } = play([call], { interpreter, ...options });
    await turn.host.settle();
    works[0]?.resolve('at once');
    await turn.end();
    expect(turn.lines()).toContain('completed: at once');
    expect(tasks.list()).toEqual([]);
  });
});

describe('what the model is offered', () => {
  const build = defineBackgroundTool({
    name: 'Build',
    description: 'Builds.',
    parameters: { type: 'object', properties: { target: { type: 'string' } } },
    execute: () => 'built',
  });
  const plain = defineTool({ name: 'Plain', description: 'x', parameters: { type: 'object' }, execute: () => 'x' });

  async function offered(options: Partial<EngineOptions>) {
    const model = scriptedModel([{ text: 'hi' }]);
    const engine = createEngine({ transformers: [], model, tools: [build, plain], ...options });
    await engine.run({ system: [], messages: [{ id: 'u', role: 'user', content: [{ type: 'text', text: 'x' }] }] })
      .result;
    const tools = model.requests[0]?.tools ?? [];
    return {
      names: tools.map(({ name }) => name),
      flagged: tools
        .filter(({ parameters }) => JSON.stringify(parameters).includes('run_in_background'))
        .map(({ name }) => name),
      engine: engine.tools.map(({ name }) => name),
    };
  }

  test('has no flag and no task tools without a registry', async () => {
    expect(await offered({})).toEqual({ names: ['Build', 'Plain'], flagged: [], engine: ['Build', 'Plain'] });
  });

  test('has the flag on background tools only, and the two tools, with one', async () => {
    const names = ['Build', 'Plain', 'TaskOutput', 'TaskStop'];
    expect(await offered({ backgroundTasks: createBackgroundTasks() })).toEqual({
      names,
      flagged: ['Build'],
      engine: names,
    });
  });

  test('does not double tools that are given by hand as well', async () => {
    const tasks = createBackgroundTasks();
    const tools = [taskStopTool(tasks), build, taskOutputTool(tasks)];
    expect((await offered({ backgroundTasks: tasks, tools })).names).toEqual(['TaskStop', 'Build', 'TaskOutput']);
  });

  test('promises no notice anywhere', async () => {
    const model = scriptedModel([{ text: 'hi' }]);
    const engine = createEngine({ transformers: [], model, tools: [build], backgroundTasks: createBackgroundTasks() });
    for (const { definition } of engine.tools) expect(JSON.stringify(definition)).not.toMatch(/told|notif|notice/i);
  });
});

describe('a registry of somebody else’s', () => {
  const foreign = (tasks: BackgroundTaskRegistry): BackgroundTaskRegistry => ({
    start: (...given) => tasks.start(...given),
    get: (id) => tasks.get(id),
    list: (owner) => tasks.list(owner),
    stop: (id) => tasks.stop(id),
    settled: (id, options) => tasks.settled(id, options),
    subscribe: (listener) => tasks.subscribe(listener),
    close: () => tasks.close(),
  });

  test('is refused alone: nothing would inform the model of it', () => {
    const backgroundTasks = foreign(createBackgroundTasks());
    expect(() => createEngine({ model: scriptedModel([]), backgroundTasks })).toThrowError(
      expect.objectContaining({ code: 'options.invalid', message: expect.stringContaining('taskOutputTool') }),
    );
  });

  test.each<
    [string, (tasks: BackgroundTaskRegistry, start: BackgroundTaskRegistry['start']) => BackgroundTaskRegistry]
  >([
    ['copied', (tasks, start) => ({ ...tasks, start })],
    ['inherited', (tasks, start) => Object.assign(Object.create(tasks) as BackgroundTaskRegistry, { start })], // has all of it
    [
      'a proxy',
      (tasks, start) =>
        new Proxy(tasks, { get: (all, key, proxy) => (key === 'start' ? start : Reflect.get(all, key, proxy)) }),
    ],
  ])('that is one of ours with a start of its own (%s) has that start asked', async (_, made) => {
    const host = simulatedHost();
    const own = createBackgroundTasks({ host });
    const start = vi.fn<BackgroundTaskRegistry['start']>((...given) => own.start(...given));
    const tasks = made(own, start);
    const turn = startTurn({
      host,
      backgroundTasks: tasks,
      tools: [workTool([]), taskOutputTool(tasks)],
      script: [{ calls: [inBackground] }, { text: 'fine' }],
    });
    await turn.end();
    expect(start).toHaveBeenCalledOnce();
  });

  test('works with TaskOutput given by hand', async () => {
    const host = simulatedHost();
    const tasks = foreign(createBackgroundTasks({ host }));
    const works: Work[] = [];
    const turn = startTurn({
      host,
      backgroundTasks: tasks,
      tools: [workTool(works), taskOutputTool(tasks)],
      script: [
        { calls: [inBackground] },
        { calls: [{ name: 'TaskOutput', args: { task_id: 'task_1', block: false } }] },
        { calls: [{ name: 'TaskStop', args: { task_id: 'task_1' } }] },
        { text: 'fine' },
      ],
    });
    works[0]?.context.write('hello');
    await turn.end(5_000);
    expect(turn.lines().filter((line) => line.startsWith('completed'))).toEqual([
      expect.stringContaining('Work goes on in the background as task task_1.'),
      expect.stringMatching(/^completed: Task task_1 \(Work\): running\./),
      expect.stringMatching(/^completed: Task task_1 \(Work\): stopped after 2.0 s\./),
    ]);
  });
});

describe('a call in the background', () => {
  test('has its place among others in call order, and they do not wait for it', async () => {
    const look = defineTool({ name: 'look', description: 'x', parameters: { type: 'object' }, execute: () => 'seen' });
    const works: Work[] = [];
    const { turn } = play([{ name: 'look' }, inBackground, { name: 'look' }], { tools: [look, workTool(works)] });
    await turn.end();
    expect(turn.results().map(({ callId, status }) => `${callId} ${status}`)).toEqual([
      'call_1 completed',
      'call_2 completed',
      'call_3 completed',
    ]);
  });

  test('outlives the cancel of its turn', async () => {
    const look = defineTool({
      name: 'look',
      description: 'x',
      parameters: { type: 'object' },
      execute: () => new Promise(() => undefined),
    });
    const works: Work[] = [];
    const { turn, tasks, host } = play([inBackground, { name: 'look' }], {
      tools: [look, workTool(works)],
      script: [{ calls: [inBackground, { name: 'look' }] }],
    });
    await host.settle();
    void turn.run.cancel();
    await turn.end(250);
    expect(turn.results().map(({ status }) => status)).toEqual(['completed', 'interrupted']);
    expect([tasks.get('task_1')?.status, works[0]?.context.signal.aborted]).toEqual(['running', false]);
  });

  test('has no time limit of the engine', async () => {
    const { turn, tasks, host } = play([inBackground], { toolTimeoutMs: 10 });
    await turn.end();
    await host.advance(1000);
    expect(tasks.get('task_1')?.status).toBe('running');
  });

  test('that settles before its handle can be given is announced like any other', async () => {
    const tool = toolThat(() => 'quick');
    const { turn, tasks } = play([inBackground], { tools: [tool] });
    await turn.end();
    expect(tasks.get('task_1')?.status).toBe('completed');
    expect(turn.results()[0]?.status).toBe('completed');
    expect(turn.lines()[2]).toContain('task task_1');
  });

  test('whose tool throws at once is a failed task, and the call has its handle', async () => {
    const tool = toolThat(() => {
      throw new Error('no');
    });
    const { turn, tasks } = play([inBackground], { tools: [tool] });
    await turn.end();
    expect([tasks.get('task_1')?.status, turn.results()[0]?.status]).toEqual(['failed', 'completed']);
  });

  test('on a closed registry is a failed call that says so', async () => {
    const tasks = createBackgroundTasks();
    await tasks.close();
    const { turn } = play([inBackground], { backgroundTasks: tasks });
    await turn.end();
    expect(turn.lines()[2]).toBe('failed: The registry of background tasks is closed, so Work cannot start.');
  });

  test('with wrong arguments, or one that is denied, starts nothing', async () => {
    const strict = defineBackgroundTool({
      name: 'Work',
      description: 'x',
      parameters: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      execute: () => 'x',
    });
    const { turn, tasks } = play([inBackground, { name: 'Work', args: { n: 1, run_in_background: true } }], {
      tools: [strict],
      approve: () => ({ allow: false, message: 'no' }),
    });
    await turn.end();
    expect(turn.results().map(({ status }) => status)).toEqual(['invalidArguments', 'denied']);
    expect(tasks.list()).toEqual([]);
  });

  test('that somebody approves with other arguments runs as those say', async () => {
    const { turn, tasks, works, host } = play([inBackground], {
      approve: () => ({ allow: true, args: { run_in_background: false } }),
    });
    await host.settle();
    works[0]?.resolve('in front');
    await turn.end();
    expect(turn.lines()[2]).toBe('completed: in front');
    expect(tasks.list()).toEqual([]);
  });

  test('runs through the engine’s own executeTool', async () => {
    const executed: string[] = [];
    const { turn, tasks } = play([inBackground], {
      tools: [toolThat(({ taskId }) => `ran as ${String(taskId)}`)],
      steps: {
        executeTool: (tool, args, context) => {
          executed.push(tool.name);
          return tool.execute(args, context);
        },
      },
    });
    await turn.end();
    const block = tasks.get('task_1')?.result?.content[0];
    expect([executed, block]).toEqual([['Work'], { type: 'text', text: 'ran as task_1' }]);
  });

  test('whose tool cancels the turn without grace is stopped: nobody would ever know of it', async () => {
    let cancel: () => void = () => undefined;
    const tool = toolThat(() => {
      cancel();
      return new Promise(() => undefined);
    });
    // Behind a call that takes a while the tool is called outside any step of the turn, which then takes the cancel at once.
    const calls = [{ name: 'look' }, inBackground];
    const look = defineTool({
      name: 'look',
      description: 'x',
      parameters: { type: 'object' },
      execute: () => Promise.resolve('seen'),
    });
    const { turn, tasks, host } = play(calls, { tools: [look, tool], script: [{ calls }] } as Parameters<
      typeof play
    >[1]);
    cancel = () => void turn.run.cancel({ graceMs: 0 });
    await turn.end(2_000);
    await host.settle();
    expect([turn.results()[1]?.status, turn.has('toolCall.backgrounded')]).toEqual(['interrupted', false]);
    expect(tasks.get('task_1')?.status).toBe('stopped');
  });

  test('whose end no clock can time breaks the turn, and its task is stopped', async () => {
    const host = simulatedHost();
    const tasks = createBackgroundTasks({ host });
    let isBroken = false;
    const now = () => {
      if (!isBroken) return host.now();
      isBroken = false;
      throw new Error('no clock');
    };
    const tool = toolThat(() => {
      isBroken = true;
      return new Promise(() => undefined);
    });
    const turn = startTurn({
      host: { ...host, now },
      backgroundTasks: tasks,
      tools: [tool],
      script: [{ calls: [inBackground] }],
    });
    expect(await turn.end(2_000)).toMatchObject({ reason: 'failed', error: { code: 'turn.broken' } });
    await host.settle();
    expect(turn.results().map(({ status }) => status)).toEqual(['interrupted']);
    expect(tasks.get('task_1')?.status).toBe('stopped');
  });
});

describe('a registry without a host of its own', () => {
  test('lives on the clock of the engine whose call started the task, and takes its ids', async () => {
    const host = simulatedHost({ startAt: 1_000 });
    const tasks = createBackgroundTasks();
    const works: Work[] = [];
    const turn = startTurn({
      host,
      backgroundTasks: tasks,
      tools: [workTool(works)],
      script: [
        { calls: [inBackground] },
        { calls: [{ name: 'TaskOutput', args: { task_id: 'task_1' } }] },
        { calls: [{ name: 'TaskStop', args: { task_id: 'task_1' } }] },
        { text: 'fine' },
      ],
    });
    await turn.end(32_000);
    expect(tasks.get('task_1')).toMatchObject({ status: 'stopped', startedAt: 1_000, endedAt: 33_000 });
  });

  test('gives fresh ids where two engines’ hosts count alike', async () => {
    const tasks = createBackgroundTasks();
    for (let engine = 0; engine < 3; engine++) {
      await startTurn({
        backgroundTasks: tasks,
        tools: [workTool([])],
        script: [{ calls: [inBackground] }, { text: 'fine' }],
      }).end();
    }
    expect(tasks.list().map(({ id }) => id)).toEqual(['task_1', 'task_1-2', 'task_1-3']);
  });
});

test('an inspector of the turn sees the task as a root of its own, also once the turn is over', async () => {
  const seen: string[] = [];
  const inspect = (event: unknown): void => {
    const { type, actorRef, snapshot } = event as {
      readonly type: string;
      readonly actorRef: { readonly id: string; readonly _parent?: unknown };
      readonly snapshot?: { readonly value?: unknown };
    };
    if (actorRef.id !== 'task_1') return;
    if (type === '@xstate.actor') seen.push(actorRef._parent === undefined ? 'root' : 'child');
    if (type === '@xstate.snapshot') seen.push(String(snapshot?.value));
  };
  const { turn, works, host } = play([inBackground], { inspect });
  await turn.end();
  works[0]?.resolve();
  await host.settle();
  expect(seen).toEqual(['root', 'running', 'completed']);
});
