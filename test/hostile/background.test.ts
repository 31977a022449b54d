// Background tasks and subagents in the hands of odd tools, odd models, and hosts that close at the worst moment.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agentTool } from '../../src/tools/agent/agent-tool.ts';
import { createBackgroundTasks } from '../../src/runtime/background-tasks.ts';
import { createEngine } from '../../src/runtime/engine.ts';
import { createOperative } from '../../src/runtime/operative.ts';
import { checkTool, scriptedModel, simulatedHost, verifyEvents, verifyTranscript } from '../../src/testing/index.ts';
import { pollTool } from '../../src/tools/tasks/poll-task.ts';
import { taskStopTool } from '../../src/tools/tasks/task-stop.ts';
import { contextOf, resultText, taskBench, toolThat, workTool, type Work } from '../runtime/background-bench.ts';
import { startAgent } from '../tools/agent/agent-bench.ts';
import { hostileMakers } from '../tools/hostile-values.ts';

const rejections: unknown[] = [];
process.on('unhandledRejection', (reason) => rejections.push(reason));

describe.each(Object.entries(hostileMakers))('a task whose tool meets %s', (_what, make) => {
  test.each(['returns it', 'throws it', 'resolves to it', 'rejects with it', 'gets it as arguments'])(
    'and %s settles, with a text to read',
    async (how) => {
      const tasks = createBackgroundTasks();
      const tool = toolThat(() => {
        if (how === 'throws it') throw make();
        if (how === 'returns it') return make();
        return how === 'rejects with it'
          ? Promise.reject(make())
          : Promise.resolve(how === 'resolves to it' ? [make()] : 1);
      });
      const args = how === 'gets it as arguments' ? make() : {};
      const { id, label } = tasks.start(tool, args, contextOf('me'));
      const task = await tasks.settled(id);
      expect(['completed', 'failed']).toContain(task.status);
      expect(resultText(task)).not.toBe('');
      expect(typeof label).toBe('string');
    },
  );

  test('and writes it continues or fails', async () => {
    const tasks = createBackgroundTasks();
    const tool = toolThat(({ write, noteOutputFile }) => {
      noteOutputFile(make() as string); // what a caller without types may do
      write(make() as string);
      return 'done';
    });
    const { id } = tasks.start(tool, {}, contextOf('me'));
    expect(['completed', 'failed']).toContain((await tasks.settled(id)).status);
  });
});

test('a thenable that settles many times, and one that throws after it settled, count once', async () => {
  const { tasks, log, host } = taskBench();
  for (const then of [
    (resolve: (value: unknown) => void, reject: (error: unknown) => void) => {
      resolve('first');
      resolve('second');
      reject(new Error('third'));
    },
    (resolve: (value: unknown) => void) => {
      resolve('first');
      throw new Error('late');
    },
  ]) {
    const thenable = new Map([['then', then]]);
    tasks.start(
      toolThat(() => Object.fromEntries(thenable)),
      {},
      contextOf('me'),
    );
  }
  await host.settle();
  expect(log()).toEqual(['started task_1', 'started task_2', 'completed task_1', 'completed task_2']);
});

test('a result of five megabytes is bounded', async () => {
  const tasks = createBackgroundTasks();
  const tool = toolThat(() => 'x'.repeat(5_000_000));
  expect(resultText(tasks.start(tool, {}, contextOf('me'))).length).toBeLessThan(1_050_000);
});

test('arguments of a megabyte are a short label', () => {
  const tasks = createBackgroundTasks();
  const { label = '' } = tasks.start(
    toolThat(() => 1),
    { text: '\ud800'.repeat(1_000_000) },
    contextOf('me'),
  );
  expect(label.length).toBeLessThanOrEqual(200);
  expect(label.isWellFormed()).toBe(true);
});

test.each(['task_1', '', '__proto__', '\ud800', 'x'.repeat(100_000)])(
  'TaskOutput and TaskStop of the id %s',
  async (id) => {
    const { tasks } = taskBench();
    for (const tool of [pollTool(tasks), taskStopTool(tasks)]) {
      const result = (await tool.execute({ task_id: id }, contextOf('me'))) as { readonly isError: boolean };
      expect(result.isError).toBe(true);
      expect(JSON.stringify(result).length).toBeLessThan(400);
    }
  },
);

test.each(['\ud800', 'x'.repeat(1_000_000), '</prompt>', '__proto__'])(
  'a subagent gets an odd prompt',
  async (prompt) => {
    const bench = startAgent({ child: [{ text: 'ok' }], args: { prompt } });
    await bench.turn.end();
    expect(bench.answer()).toBe('completed: ok');
  },
);

test.each(['constructor', 'toString', 'a b', '😀', ''])('a type named %j is a type like any other', async (name) => {
  const engine = () => ({ transformers: [], model: scriptedModel([{ text: name === '' ? 'empty' : name }]) });
  const type = { description: 'x', engine };
  const tool = agentTool(
    Object.fromEntries([
      [name, type],
      ['other', type],
    ]),
  );
  const parsed = tool.parse({ prompt: 'x', subagent_type: name });
  if (!parsed.ok) throw new Error(parsed.message);
  const result = (await tool.execute(parsed.args, contextOf('me'))) as { readonly isError: boolean };
  expect(result.isError).toBe(false);
});

test('the tools keep the rules of all tools', async () => {
  const { tasks, start } = taskBench();
  start('session');
  const session = { ...contextOf('session').session, id: 'session' };
  const types = { a: { description: 'a', engine: () => ({ model: scriptedModel(() => ({ text: 'ok' })) }) } };
  const context = { session };
  await checkTool(pollTool(tasks), { examples: [{ task_id: 'task_1', block: false }, { task_id: 'x' }], context });
  await checkTool(taskStopTool(tasks), { examples: [{ task_id: 'x' }], context });
  await checkTool(agentTool(types), { examples: [{ prompt: 'go' }] });
});

describe('close at the worst moment', () => {
  const runs = 200 * Number(process.env['TURNCHART_RUNS'] ?? 1);

  test(`registry and operative, in any order with everything else (${runs} schedules): all ends, no transcript breaks`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.constantFrom('steer', 'queue', 'off'),
        fc.array(fc.constantFrom('tasks.close', 'operative.close', 'cancel', 'stop all', 'submit'), { maxLength: 5 }),
        fc.boolean(),
        async (scheduler, announceTasks, moves, isDeaf) => {
          const host = simulatedHost();
          const tasks = createBackgroundTasks({ host, stopGraceMs: 100 });
          const works: Work[] = [];
          const model = scriptedModel(
            async ({ messages }) => {
              await scheduler.schedule(Promise.resolve(), 'model');
              return messages.at(-1)?.role === 'tool'
                ? { text: 'ok' }
                : { calls: [0, 1].map(() => ({ name: 'Work', args: { run_in_background: true } })) };
            },
            { host },
          );
          const engine = createEngine({
            transformers: [],
            host,
            model,
            tools: [workTool(works)],
            backgroundTasks: tasks,
            maxIterations: 4,
          });
          const operative = createOperative({ engine, announceTasks });
          const events: Parameters<typeof verifyEvents>[0][number][] = [];
          operative.subscribe((event) => events.push(event));
          void operative.submit('go');
          const acts: Readonly<Record<string, () => unknown>> = {
            'tasks.close': () => tasks.close(),
            'operative.close': () => operative.close(),
            cancel: () => operative.cancel(),
            'stop all': () => tasks.list().map(({ id }) => tasks.stop(id)),
            submit: () => operative.submit('more'),
          };
          for (const move of moves) void scheduler.schedule(Promise.resolve(), move).then(() => acts[move]?.());
          if (!isDeaf) {
            for (let n = 0; n < 6; n++) {
              void scheduler.schedule(Promise.resolve(), `work ${n}`).then(() => works[n]?.resolve());
            }
          }
          for (let step = 0; step < 60 && scheduler.count() > 0; step++) {
            await scheduler.waitOne();
            await host.settle();
          }
          void tasks.close();
          void operative.close();
          await host.advance(100);
          while (scheduler.count() > 0) await scheduler.waitOne();
          await host.advance(1_000);
          expect(tasks.list().filter(({ endedAt }) => endedAt === undefined)).toEqual([]);
          expect(operative.state).toBe('closed');
          expect(host.pendingTimers()).toBe(0);
          verifyTranscript(operative.conversation);
          verifyEvents(events);
        },
      ),
      { numRuns: runs },
    );
  });
});

test('nothing of all this rejected where nobody listens', () => {
  expect(rejections).toEqual([]);
});
