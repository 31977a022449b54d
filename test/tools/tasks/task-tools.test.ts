import { describe, expect, test } from 'vitest';
import type { Tool, ToolContext } from '../../../src/contracts/tool.ts';
import { createConversation } from '../../../src/conversation/conversation.ts';
import { userMessage } from '../../../src/conversation/message.ts';
import { createBackgroundTasks } from '../../../src/runtime/background-tasks.ts';
import { createEngine } from '../../../src/runtime/engine.ts';
import { scriptedModel, simulatedHost } from '../../../src/testing/index.ts';
import { pollTool } from '../../../src/tools/tasks/poll-task.ts';
import { taskStopTool } from '../../../src/tools/tasks/task-stop.ts';
import { toToolResult } from '../../../src/tools/result-content.ts';
import { contextOf, taskBench, toolThat } from '../../runtime/background-bench.ts';

async function call(tool: Tool, args: object, context: ToolContext) {
  const parsed = tool.parse(args);
  if (!parsed.ok) throw new Error(parsed.message);
  const { content, isError } = toToolResult(await tool.execute(parsed.args, context));
  return { isError, text: content.map((block) => ('text' in block ? block.text : block.type)).join('\n') };
}

function bench(options = {}) {
  const base = taskBench(options);
  const me = contextOf('me');
  return {
    ...base,
    me,
    poll: (args: object, context = me) => call(pollTool(base.tasks), { task_id: 'task_1', ...args }, context),
    stop: (id = 'task_1', context = me) => call(taskStopTool(base.tasks), { task_id: id }, context),
  };
}

describe('TaskOutput', () => {
  test('gives what was written since the last poll, and the result once there is one', async () => {
    const { start, works, poll, host } = bench();
    start();
    works[0]?.context.write('one\n');
    expect((await poll({ block: false })).text).toBe('Task task_1 (Work): running.\nNew output:\none\n');
    works[0]?.context.write('two\n');
    await host.advance(1200);
    works[0]?.resolve('all done');
    await host.settle();
    const settled = 'Task task_1 (Work): completed after 1.2 s.\n';
    expect((await poll({})).text).toBe(`${settled}New output:\ntwo\n\nIts result:\nall done`);
    expect((await poll({})).text).toBe(`${settled}No new output.\nIts result:\nall done`);
  });

  test('waits for the end unless told not to', async () => {
    const { start, works, poll, host } = bench();
    start();
    const waiting = poll({});
    await host.advance(29_999);
    works[0]?.resolve('x');
    expect((await waiting).text).toContain('completed after 30.0 s');
    expect(host.pendingTimers()).toBe(0);
  });

  test.each([
    [{}, 30_000],
    [{ timeout: 100 }, 100],
    [{ timeout: -1 }, 0],
    [{ timeout: 1e12 }, 600_000],
  ])('with %j waits at most %d ms', async (args, ms) => {
    const { start, poll, host } = bench();
    start();
    let text = '';
    void poll(args).then((answer) => (text = answer.text));
    await host.advance(Math.max(0, ms - 1));
    if (ms > 0) expect(text).toBe('');
    await host.advance(1);
    expect(text).toContain('Task task_1 (Work): running.');
  });

  test.each([{ block: 'false' }, { block: 'False', timeout: null }, { block: ' false ', timeout: '5000' }])(
    'answers at once where models send %j, as the other tools do',
    async (args) => {
      const { start, poll } = bench();
      start();
      expect((await poll(args)).text).toBe('Task task_1 (Work): running.\nNo new output.');
    },
  );

  test('waits as long as a number sent as text says', async () => {
    const { start, poll, host } = bench();
    start();
    let text = '';
    void poll({ block: 'true', timeout: '5000' }).then((answer) => (text = answer.text));
    await host.advance(4_999);
    expect(text).toBe('');
    await host.advance(1);
    expect(text).toContain('running');
  });

  test('explains what it cannot take for a time or a yes', () => {
    const parsed = pollTool(bench().tasks).parse({ task_id: 'task_1', block: 'maybe', timeout: 'long' });
    expect(parsed).toMatchObject({
      ok: false,
      message: expect.stringMatching(
        /"block" must be boolean, got string "maybe".*"timeout" must be number, got string "long"/,
      ),
    });
  });

  test('whose wait is cancelled reports how far the task is', async () => {
    const { start, works, poll, me, host } = bench();
    start();
    works[0]?.context.write('so far');
    const controller = new AbortController();
    const waiting = poll({}, { ...me, signal: controller.signal });
    controller.abort();
    expect(await waiting).toEqual({ isError: false, text: 'Task task_1 (Work): running.\nNew output:\nso far' });
    expect(host.pendingTimers()).toBe(0);
  });

  test('repeats what it told a call that was given up', async () => {
    const { start, works, poll, me } = bench();
    start();
    works[0]?.context.write('so far');
    const controller = new AbortController();
    const waiting = poll({}, { ...me, signal: controller.signal });
    controller.abort();
    await waiting;
    expect((await poll({ block: false })).text).toBe('Task task_1 (Work): running.\nNew output:\nso far');
    expect((await poll({ block: false })).text).toBe('Task task_1 (Work): running.\nNo new output.');
  });

  test('waits as long as it is told, whatever limit the engine has for tools that work', async () => {
    const host = simulatedHost();
    const tasks = createBackgroundTasks({ host });
    const model = scriptedModel([
      { calls: [{ name: 'Work', args: { run_in_background: true } }] },
      () => ({ calls: [{ name: 'TaskOutput', args: { task_id: tasks.list()[0]?.id ?? '', timeout: 600_000 } }] }),
      { text: 'read' },
    ]);
    const engine = createEngine({
      model,
      tools: [toolThat(() => new Promise(() => {}))],
      backgroundTasks: tasks,
      toolTimeoutMs: 1_000,
      host,
    });
    const conversation = createConversation({ messages: [userMessage('go')] });
    const { result } = engine.run(conversation);
    await host.advance(599_999);
    expect(conversation.messages).toHaveLength(4);
    await host.advance(1);
    await result;
    expect(conversation.messages[4]?.content).toMatchObject([{ status: 'completed' }]);
  });

  test('reports a failure without failing itself', async () => {
    const { start, works, poll } = bench();
    start();
    works[0]?.reject(new Error('broken'));
    expect(await poll({})).toEqual({
      isError: false,
      text: 'Task task_1 (Work): failed after 0.0 s.\nNo new output.\nIts result is an error:\nbroken',
    });
  });

  test('names the file that has everything', async () => {
    const { tasks, poll, me } = bench();
    const tool = toolThat(({ noteOutputFile }) => {
      noteOutputFile('/tmp/all');
      return new Promise(() => undefined);
    });
    tasks.start(tool, {}, me);
    expect((await poll({ block: false })).text).toContain('Everything it writes is in /tmp/all.');
  });

  test('shows beginning and end of a long output', async () => {
    const { start, works, poll } = bench();
    start();
    works[0]?.context.write(`begin${'x'.repeat(100_000)}end`);
    const { text } = await poll({ block: false });
    expect(text.length).toBeLessThan(31_000);
    expect(text).toMatch(/begin.*bytes left out.*end/s);
  });

  test.each(['another conversation’s task', 'an unknown id', 'one that was forgotten'])(
    'knows nothing of %s',
    async (what) => {
      const { start, poll, works, host, me } = bench({ maxRetained: 0 });
      start(what === 'one that was forgotten' ? 'me' : 'you');
      if (what === 'one that was forgotten') works[0]?.resolve();
      await host.settle();
      const id = what === 'an unknown id' ? 'ghost' : 'task_1';
      const { isError, text } = await poll({ task_id: id }, me);
      expect([isError, text]).toEqual([
        true,
        `This conversation has no task "${id}". No task of this conversation is kept.`,
      ]);
    },
  );

  test('remembers no positions of forgotten tasks', async () => {
    const { tasks, me, poll } = bench({ maxRetained: 1 });
    for (let n = 1; n <= 600; n++) {
      tasks.start(
        toolThat(() => 'x'),
        {},
        me,
      );
      await poll({ task_id: `task_${n}` });
    }
    let size = 0;
    const session = { ...me.session, get: <T>(key: symbol, create: () => T): T => note(me.session.get(key, create)) };
    function note<T>(value: T): T {
      if (value instanceof Map) size = value.size;
      return value;
    }
    await poll({ task_id: 'task_600' }, { ...me, session });
    expect(size).toBeLessThan(300);
  });
});

describe('TaskStop', () => {
  test('ends a task and says what it was', async () => {
    const { start, works, stop, tasks } = bench();
    start();
    const stopping = stop();
    works[0]?.resolve();
    expect(await stopping).toEqual({
      isError: false,
      text: 'Task task_1 (Work): stopped after 0.0 s. It was started with {"n":0}.',
    });
    expect(tasks.get('task_1')?.status).toBe('stopped');
  });

  test('says what it stopped also where the engine’s limit for tools that work is shorter than that takes', async () => {
    const host = simulatedHost();
    const tasks = createBackgroundTasks({ host, stopGraceMs: 5_000 });
    const model = scriptedModel([
      { calls: [{ name: 'Work', args: { run_in_background: true } }] },
      () => ({ calls: [{ name: 'TaskStop', args: { task_id: tasks.list()[0]?.id ?? '' } }] }),
      { text: 'read' },
    ]);
    const deaf = toolThat(() => new Promise(() => {}));
    const engine = createEngine({ model, tools: [deaf], backgroundTasks: tasks, toolTimeoutMs: 1_000, host });
    const conversation = createConversation({ messages: [userMessage('go')] });
    const { result } = engine.run(conversation);
    await host.advance(5_000);
    await result;
    expect(conversation.messages[4]?.content).toMatchObject([
      { status: 'completed', content: [{ text: expect.stringContaining('stopped after 5.0 s') as string }] },
    ]);
  });

  test('twice is not an error: the second says that there was nothing to stop', async () => {
    const { start, works, stop } = bench();
    start();
    const stopping = stop();
    works[0]?.resolve();
    await stopping;
    expect(await stop()).toEqual({
      isError: false,
      text: 'Task task_1 (Work): stopped after 0.0 s. It had ended before: nothing was stopped. It was started with {"n":0}.',
    });
  });

  test('of a task that is being stopped waits with the first', async () => {
    const { start, works, stop } = bench();
    start();
    const both = Promise.all([stop(), stop()]);
    works[0]?.resolve();
    const texts = (await both).map(({ text }) => text);
    expect(texts.map((text) => text.includes('stopped after'))).toEqual([true, true]);
  });

  test('leaves a task that completed as it is', async () => {
    const { start, works, stop, host, tasks } = bench();
    start();
    works[0]?.resolve();
    await host.settle();
    expect((await stop()).text).toContain('completed after 0.0 s. It had ended before');
    expect(tasks.get('task_1')?.status).toBe('completed');
  });

  test('knows nothing of another conversation’s task, and does not touch it', async () => {
    const { start, stop, tasks } = bench();
    start('you');
    expect(await stop()).toEqual({
      isError: true,
      text: 'This conversation has no task "task_1". No task of this conversation is kept.',
    });
    expect(tasks.get('task_1')?.status).toBe('running');
  });
});
