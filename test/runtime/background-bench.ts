// A registry in virtual time with tools that end when a test says so. Used by the tests of background tasks.

import type {
  BackgroundTask,
  BackgroundTaskEvent,
  BackgroundTaskRegistry,
} from '../../src/contracts/background-task.ts';
import type { ToolContext } from '../../src/contracts/tool.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import { createBackgroundTasks, type BackgroundTasksOptions } from '../../src/runtime/background-tasks.ts';
import { simulatedHost, type SimulatedHost } from '../../src/testing/index.ts';
import { defineBackgroundTool, type BackgroundToolContext } from '../../src/tools/define-background-tool.ts';

/** What a tool of the bench was given, and the ways to end it. */
export interface Work {
  readonly context: BackgroundToolContext;
  resolve(value?: unknown): void;
  reject(error: unknown): void;
}

export interface TaskBench {
  readonly host: SimulatedHost;
  readonly tasks: BackgroundTaskRegistry;
  readonly events: BackgroundTaskEvent[];
  readonly works: Work[];
  /** Starts a task that works until the test ends it, for an owner. */
  start(owner?: string): BackgroundTask;
  /** `started task_1`, `output task_1`, `completed task_1`. */
  log(): string[];
}

export function taskBench(options: BackgroundTasksOptions = {}): TaskBench {
  const host = simulatedHost();
  const tasks = createBackgroundTasks({ host, ...options });
  const events: BackgroundTaskEvent[] = [];
  const works: Work[] = [];
  tasks.subscribe((event) => events.push(event));
  const tool = workTool(works);
  return {
    host,
    tasks,
    events,
    works,
    start: (owner = 'me') => tasks.start(tool, { n: works.length }, contextOf(owner)),
    log: () =>
      events.map(
        ({ type, task }) => `${type === 'task.settled' ? task.status : type.slice('task.'.length)} ${task.id}`,
      ),
  };
}

/** A tool whose every call is in the test's hands. */
export function workTool(works: Work[], name = 'Work') {
  return defineBackgroundTool({
    name,
    description: name,
    parameters: { type: 'object' },
    execute: (_args, context) =>
      new Promise((resolve, reject) => {
        works.push({ context, resolve, reject });
      }),
  });
}

/** A tool that does what it is given. */
export function toolThat(execute: (context: BackgroundToolContext) => unknown) {
  return defineBackgroundTool({
    name: 'Work',
    description: 'Work',
    parameters: { type: 'object' },
    execute: (_args, context) => execute(context),
  });
}

export function contextOf(owner: string): ToolContext {
  const values = new Map<symbol, unknown>();
  return {
    callId: 'c1',
    idempotencyKey: 'm1/c1',
    signal: new AbortController().signal,
    turnContext: undefined,
    session: {
      id: owner,
      get: <T>(key: symbol, create: () => T): T => {
        if (!values.has(key)) values.set(key, create());
        return values.get(key) as T; // what `create` of the same key made
      },
    },
    conversation: createConversation(),
    progress: () => undefined,
  };
}

/** The texts of a result. */
export function resultText({ result }: Pick<BackgroundTask, 'result'>): string {
  return (result?.content ?? []).map((block) => ('text' in block ? block.text : block.type)).join('\n');
}
