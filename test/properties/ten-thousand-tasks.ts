// A program of its own, run with --expose-gc: tasks started and finished, and what they leave behind, as one line of JSON.
// With the argument `work` it says instead what the tasks cost: counting keeps books that would count as left behind.

import { createBackgroundTasks, createConversation, defineBackgroundTool, type ToolContext } from '../../src/index.ts';
import { pollTool } from '../../src/tools/tasks/poll-task.ts';
import { workCounter } from './work-counter.ts';

const count = 10_000;

// First of all: what has run before is counted by its calls only.
const workDone = process.argv.includes('work') ? await workCounter() : undefined;

let hostCalls = 0;
let timers = 0;
let ids = 0;
const counted = <Value>(value: Value): Value => {
  hostCalls++;
  return value;
};
const tasks = createBackgroundTasks({
  host: {
    now: () => counted(Date.now()),
    createId: () => counted(`task_${++ids}`),
    setTimeout: () => counted(++timers),
    clearTimeout: (id) => void (id === undefined ? undefined : timers--),
  },
});
const events = new Map<string, number>();
tasks.subscribe(({ type }) => events.set(type, (events.get(type) ?? 0) + 1));

const values = new Map<symbol, unknown>();
const context: ToolContext = {
  callId: 'call',
  idempotencyKey: 'call',
  signal: new AbortController().signal,
  turnContext: undefined,
  session: {
    id: 'session',
    get: <T>(key: symbol, create: () => T): T => {
      if (!values.has(key)) values.set(key, create());
      return values.get(key) as T; // what `create` of the same key made
    },
  },
  conversation: createConversation(),
  progress: () => undefined,
};
const tool = defineBackgroundTool({
  name: 'Work',
  description: 'Works.',
  parameters: { type: 'object' },
  execute: async (_args, { write }) => {
    for (let line = 0; line < 4; line++) write('x'.repeat(250));
    await Promise.resolve();
    return 'done';
  },
});
const poll = pollTool(tasks);

async function run(): Promise<{ readonly ms: number; readonly hostCalls: number }> {
  const before = hostCalls;
  const began = performance.now();
  for (let n = 0; n < count; n++) {
    const { id } = tasks.start(tool, {}, context);
    await poll.execute({ task_id: id }, context);
  }
  return { ms: performance.now() - began, hostCalls: hostCalls - before };
}

async function heap(): Promise<number> {
  for (let round = 0; round < 4; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
  }
  return process.memoryUsage().heapUsed;
}

if (workDone === undefined) {
  await measure();
} else {
  const workPerTask: number[] = [];
  await workDone();
  for (let part = 0; part < 2; part++) {
    await run();
    workPerTask.push((await workDone()) / count);
  }
  console.log(JSON.stringify({ workPerTask }));
}

// Once before, so that code, its feedback and the retained tasks do not count as what a task leaves behind.
async function measure(): Promise<void> {
  const first = await run();
  const before = await heap();
  const second = await run();
  const after = await heap();
  console.log(
    JSON.stringify({
      bytesPerTask: Math.round((after - before) / count),
      hostCallsPerTask: [first.hostCalls / count, second.hostCalls / count],
      microsecondsPerTask: [first, second].map(({ ms }) => Math.round((ms * 1000) / count)),
      events: Object.fromEntries(events),
      timers,
      kept: tasks.list().length,
    }),
  );
}
