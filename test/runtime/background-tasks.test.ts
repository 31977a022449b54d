import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { BackgroundTaskEvent } from '../../src/contracts/background-task.ts';
import { createBackgroundTasks } from '../../src/runtime/background-tasks.ts';
import { simulatedHost } from '../../src/testing/index.ts';
import { ToolResult } from '../../src/tools/tool-result.ts';
import { contextOf, resultText, taskBench, toolThat } from './background-bench.ts';

describe('a task', () => {
  test('is running once started, and says who owns it and what it does', () => {
    const bench = taskBench();
    expect(bench.start('me')).toEqual({
      id: 'task_1',
      owner: 'me',
      toolName: 'Work',
      label: '{"n":0}',
      status: 'running',
      startedAt: 0,
      output: '',
    });
  });

  test('that returns is completed, with its result and the time it ended', async () => {
    const bench = taskBench();
    bench.start();
    await bench.host.advance(1500);
    bench.works[0]?.resolve('done');
    const task = await bench.tasks.settled('task_1');
    expect([task.status, task.endedAt, resultText(task)]).toEqual(['completed', 1500, 'done']);
  });

  test.each<[string, () => number]>([
    ['was set back', () => 1],
    [
      'throws',
      () => {
        throw new Error('no clock');
      },
    ],
  ])('never ends before it began, also where the clock %s', async (_what, later) => {
    let now = () => 1_000;
    const bench = taskBench({ host: { ...simulatedHost(), now: () => now() } });
    bench.start();
    now = later;
    bench.works[0]?.resolve('done');
    expect(await bench.tasks.settled('task_1')).toMatchObject({
      status: 'completed',
      startedAt: 1_000,
      endedAt: 1_000,
    });
  });

  test.each([
    ['throws', () => Promise.reject(new Error('no luck'))],
    [
      'throws at once',
      () => {
        throw new Error('no luck');
      },
    ],
    ['returns an error', () => ToolResult.error('no luck')],
    [
      'has an unreadable then',
      () =>
        new Proxy(
          {},
          {
            has: () => true,
            get: () => {
              throw new Error('no luck');
            },
          },
        ),
    ],
  ])('that %s is failed', async (_what, execute) => {
    const tasks = createBackgroundTasks();
    const { id } = tasks.start(toolThat(execute), {}, contextOf('me'));
    const task = await tasks.settled(id);
    expect([task.status, task.result?.isError, resultText(task)]).toEqual(['failed', true, 'no luck']);
  });

  test('that returns at once is completed when start returns', () => {
    const tasks = createBackgroundTasks();
    const task = tasks.start(
      toolThat(() => 'quick'),
      {},
      contextOf('me'),
    );
    expect([task.status, resultText(task)]).toEqual(['completed', 'quick']);
  });

  test('has a signal of its own: the end of the call it began in does not end it', () => {
    const bench = taskBench();
    const call = new AbortController();
    bench.tasks.start(
      toolThat(({ signal, taskId }) => {
        call.abort();
        return `${String(taskId)} ${signal.aborted}`;
      }),
      {},
      { ...contextOf('me'), signal: call.signal },
    );
    expect(bench.events.map(({ task }) => resultText(task))).toEqual(['', 'task_1 false']);
  });

  test('keeps the file its tool named', () => {
    const tasks = createBackgroundTasks();
    const task = tasks.start(
      toolThat(({ noteOutputFile }) => {
        noteOutputFile('/tmp/all.txt');
        return new Promise(() => undefined);
      }),
      {},
      contextOf('me'),
    );
    expect(task.outputFile).toBe('/tmp/all.txt');
  });

  test('has a snapshot that later writes do not change', () => {
    const bench = taskBench();
    bench.start();
    bench.works[0]?.context.write('one');
    const before = bench.tasks.get('task_1');
    bench.works[0]?.context.write(' two');
    expect([before?.output, bench.tasks.get('task_1')?.output]).toEqual(['one', 'one two']);
  });

  test('that ends in half a character has it in its output as what it is', async () => {
    const bench = taskBench();
    bench.start();
    bench.works[0]?.context.write('a\ud83d');
    expect(bench.tasks.get('task_1')?.output).toBe('a');
    bench.works[0]?.resolve();
    expect((await bench.tasks.settled('task_1')).output).toBe('a\ufffd');
  });

  test('takes nothing once it has settled', async () => {
    const bench = taskBench();
    bench.start();
    bench.works[0]?.resolve('first');
    await bench.host.settle();
    bench.works[0]?.context.write('late');
    bench.works[0]?.context.noteOutputFile('late.txt');
    await bench.tasks.stop('task_1');
    const { output, outputFile, status } = (await bench.tasks.settled('task_1')) ?? {};
    expect([output, outputFile, status]).toEqual(['', undefined, 'completed']);
    expect(bench.log()).toEqual(['started task_1', 'completed task_1']);
  });
});

describe('stop', () => {
  test('aborts the signal and makes it stopping at once', () => {
    const bench = taskBench();
    bench.start();
    void bench.tasks.stop('task_1');
    expect([bench.works[0]?.context.signal.aborted, bench.tasks.get('task_1')?.status]).toEqual([true, 'stopping']);
  });

  test.each([
    ['throws', (reject: boolean) => reject],
    ['returns', (reject: boolean) => !reject],
  ])('gives stopped, not failed, when the tool then %s; what it gave back is kept', async (_how, isThrown) => {
    const bench = taskBench();
    bench.start();
    const stopped = bench.tasks.stop('task_1');
    if (isThrown(true)) bench.works[0]?.reject(new Error('what I had'));
    else bench.works[0]?.resolve('what I had');
    const task = await stopped;
    expect([task.status, resultText(task)]).toEqual(['stopped', 'what I had']);
  });

  test('is bounded: a tool that ignores its signal is given up after the grace time', async () => {
    const bench = taskBench({ stopGraceMs: 500 });
    bench.start();
    const stopped = bench.tasks.stop('task_1');
    await bench.host.advance(499);
    expect(bench.tasks.get('task_1')?.status).toBe('stopping');
    await bench.host.advance(1);
    const task = await stopped;
    expect([task.status, task.result?.isError]).toEqual(['stopped', true]);
    expect(resultText(task)).toContain('did not end within 500 ms');
    bench.works[0]?.resolve('late');
    await bench.host.settle();
    expect(resultText(bench.tasks.get('task_1') ?? {})).toContain('did not end within 500 ms');
    expect(bench.log()).toEqual(['started task_1', 'stopped task_1']);
  });

  test('twice is once', async () => {
    const bench = taskBench();
    bench.start();
    const both = Promise.all([bench.tasks.stop('task_1'), bench.tasks.stop('task_1')]);
    bench.works[0]?.resolve();
    expect((await both).map(({ status }) => status)).toEqual(['stopped', 'stopped']);
    expect((await bench.tasks.stop('task_1')).status).toBe('stopped');
    expect(bench.host.pendingTimers()).toBe(0);
  });

  test('before the tool was called: it never is', async () => {
    const bench = taskBench();
    bench.tasks.subscribe(({ type, task }) => {
      if (type === 'task.started') void bench.tasks.stop(task.id);
    });
    const { status } = bench.start();
    expect([status, bench.works.length]).toEqual(['stopped', 0]);
    expect(bench.host.pendingTimers()).toBe(0);
  });

  test('from inside the tool is a stop like any other', async () => {
    const bench = taskBench();
    const tool = toolThat(({ taskId = '' }) => {
      void bench.tasks.stop(taskId);
      return 'all I had';
    });
    const { status } = bench.tasks.start(tool, {}, contextOf('me'));
    expect(status).toBe('stopped');
  });

  test('of an unknown id is refused', async () => {
    const { tasks } = taskBench();
    await expect(tasks.stop('ghost')).rejects.toMatchObject({ code: 'task.unknown' });
    await expect(tasks.settled('ghost')).rejects.toMatchObject({ code: 'task.unknown' });
  });
});

describe('settled', () => {
  test('gives the task as it is when the time is over, and leaves no timer', async () => {
    const bench = taskBench();
    bench.start();
    const waiting = bench.tasks.settled('task_1', { timeoutMs: 100 });
    await bench.host.advance(100);
    expect((await waiting).status).toBe('running');
    const second = bench.tasks.settled('task_1', { timeoutMs: 100 });
    bench.works[0]?.resolve();
    expect((await second).status).toBe('completed');
    expect(bench.host.pendingTimers()).toBe(0);
  });

  test('rejects with the reason of an abort, and no listener stays on the signal', async () => {
    const bench = taskBench();
    bench.start();
    const controller = new AbortController();
    const waiting = bench.tasks.settled('task_1', { signal: controller.signal, timeoutMs: 1000 });
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(bench.host.pendingTimers()).toBe(0);
    await expect(bench.tasks.settled('task_1', { signal: controller.signal })).rejects.toThrow('enough');
  });

  test('leaves no listener on the signal, however it ends', async () => {
    const bench = taskBench();
    bench.start();
    const { signal } = new AbortController();
    const timed = bench.tasks.settled('task_1', { signal, timeoutMs: 1 });
    const untimed = bench.tasks.settled('task_1', { signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(2);
    await bench.host.advance(1);
    await timed;
    bench.works[0]?.resolve();
    await untimed;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test.each([Infinity, Number.NaN, 2 ** 40])('waits without a timer for a time of %s', async (timeoutMs) => {
    const bench = taskBench();
    bench.start();
    const waiting = bench.tasks.settled('task_1', { timeoutMs });
    expect(bench.host.pendingTimers()).toBe(0);
    bench.works[0]?.resolve();
    expect((await waiting).status).toBe('completed');
  });
});

describe('a registry', () => {
  test('keeps the given number of settled tasks and forgets the oldest; live ones are never forgotten', async () => {
    const bench = taskBench({ maxRetained: 2 });
    for (let n = 0; n < 5; n++) bench.start();
    for (const n of [3, 1, 2]) {
      bench.works[n]?.resolve();
      await bench.host.settle();
    }
    expect(bench.tasks.list().map(({ id, status }) => `${id} ${status}`)).toEqual([
      'task_1 running',
      'task_2 completed',
      'task_3 completed',
      'task_5 running',
    ]);
    expect(bench.tasks.get('task_4')).toBeUndefined();
    await expect(bench.tasks.settled('task_4')).rejects.toMatchObject({ code: 'task.unknown' });
  });

  test('that keeps nothing still reports the end', async () => {
    const bench = taskBench({ maxRetained: 0 });
    bench.start();
    const settled = bench.tasks.settled('task_1');
    bench.works[0]?.resolve('x');
    expect(resultText(await settled)).toBe('x');
    expect(bench.tasks.list()).toEqual([]);
    expect(bench.log()).toEqual(['started task_1', 'completed task_1']);
  });

  test('lists by owner', () => {
    const bench = taskBench();
    bench.start('me');
    bench.start('you');
    bench.start('me');
    expect(bench.tasks.list('me').map(({ id }) => id)).toEqual(['task_1', 'task_3']);
    expect(bench.tasks.list('nobody')).toEqual([]);
  });

  test('gives all listeners the same order, whatever they do', async () => {
    const bench = taskBench();
    let started = 0;
    bench.tasks.subscribe(({ type, task }) => {
      if (type === 'task.started' && started++ === 0) {
        bench.start();
        void bench.tasks.stop(task.id);
      }
    });
    const second: BackgroundTaskEvent[] = [];
    bench.tasks.subscribe((event) => second.push(event));
    bench.start();
    await bench.host.settle();
    expect(second.map(({ type, task }) => `${type} ${task.id}`)).toEqual(
      bench.events.map(({ type, task }) => `${type} ${task.id}`),
    );
    expect(bench.log()).toEqual(['started task_1', 'started task_2', 'stopped task_1']);
  });

  test('survives listeners that throw, and reports it', async () => {
    const errors: unknown[] = [];
    const bench = taskBench({ onListenerError: (error) => errors.push(error) });
    bench.tasks.subscribe(() => {
      throw new Error('listener');
    });
    bench.start();
    bench.works[0]?.resolve();
    await bench.host.settle();
    expect(errors.map(String)).toEqual(['Error: listener', 'Error: listener']);
    expect(bench.tasks.get('task_1')?.status).toBe('completed');
  });

  test('sends nothing to a listener that left', () => {
    const bench = taskBench();
    const heard: string[] = [];
    const leave = bench.tasks.subscribe(({ type }) => heard.push(type));
    leave();
    bench.start();
    expect(heard).toEqual([]);
  });

  test.each([
    ['maxRetained', -1],
    ['maxOutputBytes', Number.NaN],
    ['stopGraceMs', 'soon' as unknown as number],
    ['maxKept', 3],
  ])('refuses %s of %s', (name, value) => {
    expect(() => createBackgroundTasks({ [name]: value })).toThrowError(
      expect.objectContaining({ code: 'options.invalid', message: expect.stringContaining(name) }),
    );
  });
});

describe('close', () => {
  test('stops every task and resolves when the last has settled', async () => {
    const bench = taskBench();
    bench.start();
    bench.start();
    let isClosed = false;
    const closing = bench.tasks.close().then(() => (isClosed = true));
    bench.works[0]?.resolve();
    await bench.host.settle();
    expect(isClosed).toBe(false);
    bench.works[1]?.reject(new Error('x'));
    await closing;
    expect(bench.tasks.list().map(({ status }) => status)).toEqual(['stopped', 'stopped']);
  });

  test('is bounded by the grace time, and may be asked for twice', async () => {
    const bench = taskBench({ stopGraceMs: 100 });
    bench.start();
    const closing = Promise.all([bench.tasks.close(), bench.tasks.close()]);
    await bench.host.advance(100);
    await closing;
    await bench.tasks.close();
    expect(bench.host.pendingTimers()).toBe(0);
  });

  test.each(['while closing', 'once closed'])('refuses new tasks %s; what settled can still be read', async (when) => {
    const bench = taskBench();
    bench.start();
    if (when === 'once closed') {
      bench.works[0]?.resolve('kept');
      await bench.host.settle();
    }
    void bench.tasks.close();
    expect(() => bench.start()).toThrowError(expect.objectContaining({ code: 'task.closed' }));
    expect(bench.tasks.list()).toHaveLength(1);
    expect(bench.works).toHaveLength(1);
  });

  test('a task that starts another when told to stop finds the registry closed', async () => {
    const bench = taskBench();
    const codes: unknown[] = [];
    const tool = toolThat(
      ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            try {
              bench.start();
            } catch (refused) {
              codes.push((refused as { code?: unknown }).code);
            }
            resolve('gone');
          });
        }),
    );
    bench.tasks.start(tool, {}, contextOf('me'));
    await bench.tasks.close();
    expect(codes).toEqual(['task.closed']);
    expect(bench.works).toEqual([]);
  });

  test('from inside a task that is just beginning ends it as well', async () => {
    const bench = taskBench();
    let closing: Promise<void> | undefined;
    const tool = toolThat(() => {
      closing = bench.tasks.close();
      return new Promise(() => undefined);
    });
    bench.tasks.start(tool, {}, contextOf('me'));
    await bench.host.advance(2_000);
    await closing;
    expect(bench.tasks.list().map(({ status }) => status)).toEqual(['stopped']);
  });
});

describe('inspection', () => {
  test('shows the registry and each task as an actor of its own, without outputs and results', async () => {
    const seen: string[] = [];
    const texts: string[] = [];
    const bench = taskBench({
      inspect: (event) => {
        const { type, actorRef } = event as { type: string; actorRef: { id: string } };
        if (type === '@xstate.actor') seen.push(actorRef.id);
        if (type === '@xstate.snapshot') texts.push(JSON.stringify((event as { snapshot: unknown }).snapshot));
      },
    });
    bench.start();
    bench.works[0]?.context.write('secret');
    bench.works[0]?.resolve('secret');
    await bench.host.settle();
    expect(seen).toEqual(['backgroundTasks', 'task_1']);
    expect(texts.join()).not.toContain('secret');
    expect(texts.some((text) => text.includes('"completed"'))).toBe(true);
  });
});
