// Where background work lives: the registry that apps make and give to their engines.

import { createActor } from 'xstate';
import {
  taskNotices,
  taskSupport,
  type BackgroundTask,
  type BackgroundTaskEvent,
  type BackgroundTaskRegistry,
  type BackgroundTool,
  type TaskSupport,
  type TellNotice,
} from '../contracts/background-task.ts';
import { insideOf } from '../contracts/call-inside.ts';
import { TurnchartError } from '../contracts/errors.ts';
import { defaultHost, hostWith, type Host } from '../contracts/host.ts';
import type { Inspect } from '../contracts/inspect.ts';
import type { ToolContext } from '../contracts/tool.ts';
import type { JsonValue } from '../conversation/json.ts';
import {
  backgroundTasksChart,
  type BackgroundTasksMachineContext,
  type BackgroundTasksMachineEvent,
  type BackgroundTasksScope,
  type TaskQuestion,
} from '../machines/background-tasks.ts';
import { chartLogic } from '../machines/chart-logic.ts';
import { longestDelayMs } from '../services/settings.ts';
import { watchBelow } from '../services/watch.ts';
import { noticeText } from '../tools/tasks/task-notice.ts';
import { supportFor } from '../tools/tasks/task-support.ts';
import { checkOptions } from '../contracts/option-table.ts';
import { BackgroundRun } from './background-run.ts';
import { countFrom, engineOptions } from './check-options.ts';
import { quietly } from './quietly.ts';
import { watchOf, type Watch } from './watch.ts';

/** How much a registry keeps, and for how long it waits. */
export interface BackgroundTasksOptions {
  /** How many settled tasks can still be read; beyond that the oldest are forgotten. Default 100. */
  readonly maxRetained?: number;
  /** UTF-8 bytes kept of what one task writes: the beginning and the end. Default 1,048,576. */
  readonly maxOutputBytes?: number;
  /** Milliseconds a task has to end after it was told to stop; then it counts as stopped. Default 2,000. */
  readonly stopGraceMs?: number;
  /** Time and identity. Default: those of the engine whose call starts the task. */
  readonly host?: Partial<Host>;
  /** Called with what a listener throws. Default: ignored. */
  readonly onListenerError?: (error: unknown) => void;
  /**
   * Receives XState's inspection events of the registry and its tasks. Default: tasks are shown where their call is.
   */
  readonly inspect?: Inspect;
}

/**
 * Makes a registry. Give it to one engine or to several: a task belongs to the conversation that started it, and no
 * other conversation can see it. Tasks outlive turns and operatives; `close` ends them. Throws `options.invalid`.
 */
export function createBackgroundTasks(options: BackgroundTasksOptions = {}): BackgroundTaskRegistry {
  const tasks = new Registry(options);
  const registry: BackgroundTaskRegistry = {
    start: (tool, args, context) => tasks.start(tool, args, context),
    get: (id) => tasks.find(id)?.snapshot(),
    list: (owner) => tasks.list(owner),
    stop: async (id) => {
      const run = tasks.known(id);
      run.stop();
      return run.whenSettled({});
    },
    settled: async (id, wait = {}) => tasks.known(id).whenSettled(wait),
    subscribe: (listener) => tasks.subscribe(listener),
    close: () => tasks.close(),
    read: (id, from = 0) => tasks.find(id)?.output.read(from),
  };
  const support = supportFor(registry);
  // Not enumerable and made for the object it is read from: so a wrapper that starts tasks in its own way is not
  // bypassed.
  return Object.defineProperty(registry, taskSupport, {
    get(this: BackgroundTaskRegistry): TaskSupport {
      return this === registry ? support : supportFor(this);
    },
  });
}

const { toolTimeoutMs: milliseconds, host, onListenerError, inspect } = engineOptions;
const registryOptions = {
  maxRetained: countFrom(0),
  maxOutputBytes: countFrom(0),
  stopGraceMs: milliseconds,
  host,
  onListenerError,
  inspect,
} satisfies Record<keyof BackgroundTasksOptions, unknown>;

/** A question with the way to answer it. */
interface OpenQuestion extends TaskQuestion {
  answer(isGranted: boolean): void;
}

const registryLogic = chartLogic<BackgroundTasksMachineEvent, BackgroundTasksMachineContext, undefined>(
  backgroundTasksChart,
);

class Registry implements BackgroundTasksScope {
  readonly #maxRetained: number;
  readonly #maxOutputBytes: number;
  readonly #graceMs: number;
  readonly #host: Host | undefined;
  readonly #onListenerError: (error: unknown) => void;
  readonly #watch;
  readonly #actor;
  /** Live and retained tasks, in order of start. */
  readonly #tasks = new Map<string, BackgroundRun>();
  readonly #live = new Set<BackgroundRun>();
  /** Settled tasks in the order in which they will be forgotten. */
  readonly #retained = new Set<string>();
  readonly #closers: OpenQuestion[] = [];
  #listeners: readonly ((event: BackgroundTaskEvent) => void)[] = [];
  #events: BackgroundTaskEvent[] = [];
  #isTelling = false;

  constructor(options: BackgroundTasksOptions) {
    checkOptions('createBackgroundTasks', options, registryOptions);
    this.#maxRetained = options.maxRetained ?? 100;
    this.#maxOutputBytes = options.maxOutputBytes ?? 1_048_576;
    this.#graceMs = Math.min(options.stopGraceMs ?? 2_000, longestDelayMs);
    this.#host = options.host === undefined ? undefined : hostWith(options.host);
    this.#onListenerError = quietly(options.onListenerError);
    this.#watch = watchOf({ inspect: options.inspect }, this.#onListenerError);
    this.#actor = createActor(registryLogic, { id: 'backgroundTasks', input: { scope: this }, ...this.#watch });
    this.#actor.subscribe({ error: () => undefined });
    this.#actor.start();
  }

  start(tool: BackgroundTool, args: unknown, context: ToolContext): BackgroundTask {
    let isGranted = false;
    this.#actor.send({
      type: 'task.start',
      question: { kind: 'start', answer: (is) => (isGranted = is) } as OpenQuestion,
    });
    if (!isGranted) {
      throw new TurnchartError(
        'task.closed',
        `The registry of background tasks is closed, so ${tool.name} cannot start.`,
      );
    }
    const host = this.#host ?? insideOf(context)?.host ?? defaultHost;
    const run = new BackgroundRun({
      id: this.#freshId(host),
      tool,
      args,
      context,
      host,
      maxOutputBytes: this.#maxOutputBytes,
      graceMs: this.#graceMs,
      watch: this.#watch ?? watchOfCall(context),
      onOutput: () => this.#tell('task.output', run),
      onSettled: () => this.#settle(run, tell),
    });
    const tell = context.session.get<TellNotice | undefined>(taskNotices, () => undefined);
    this.#tasks.set(run.id, run);
    this.#live.add(run);
    this.#tell('task.started', run);
    run.run();
    return run.snapshot();
  }

  find(id: string): BackgroundRun | undefined {
    return this.#tasks.get(id);
  }

  list(owner: string | undefined): readonly BackgroundTask[] {
    const all = [...this.#tasks.values()];
    return all.filter((run) => owner === undefined || run.owner === owner).map((run) => run.snapshot());
  }

  /** Throws `task.unknown`. */
  known(id: string): BackgroundRun {
    const run = this.find(id);
    if (run !== undefined) return run;
    throw new TurnchartError('task.unknown', `There is no background task "${id}", or it is no longer kept.`);
  }

  subscribe(listener: (event: BackgroundTaskEvent) => void): () => void {
    const own = quietly(listener, this.#onListenerError);
    this.#listeners = [...this.#listeners, own];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== own);
    };
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      const question: OpenQuestion = { kind: 'close', answer: () => resolve() };
      this.#actor.send({ type: 'tasks.close', live: this.#live.size, question });
    });
  }

  accept(question: TaskQuestion): void {
    (question as OpenQuestion).answer(true);
  }

  refuse(question: TaskQuestion): void {
    (question as OpenQuestion).answer(false);
  }

  stopAll(): void {
    for (const run of [...this.#live]) run.stop();
  }

  awaitClosed(question: TaskQuestion): void {
    this.#closers.push(question as OpenQuestion);
  }

  answerClosed(): void {
    for (const question of this.#closers.splice(0)) question.answer(true);
  }

  /** What inspectors see of it. */
  toJSON(): JsonValue {
    return { live: this.#live.size, retained: this.#retained.size };
  }

  // Engines that share the registry may have hosts that count, and give the same ids.
  #freshId(host: Host): string {
    const given = host.createId('task');
    let id = given;
    for (let n = 2; this.#tasks.has(id); n++) id = `${given}-${n}`;
    return id;
  }

  #settle(run: BackgroundRun, tell: TellNotice | undefined): void {
    this.#live.delete(run);
    this.#retained.add(run.id);
    this.#tell('task.settled', run);
    if (tell !== undefined) quietly(() => tell(noticeText(run.snapshot()), run.id), this.#onListenerError)(undefined);
    for (const oldest of this.#retained) {
      if (this.#retained.size <= this.#maxRetained) break;
      this.#retained.delete(oldest);
      this.#tasks.delete(oldest);
    }
    this.#actor.send({ type: 'task.ended', live: this.#live.size });
  }

  // Events that listeners cause wait until the one they hear is delivered, so that all listeners hear the same order.
  #tell(type: BackgroundTaskEvent['type'], run: BackgroundRun): void {
    if (this.#listeners.length === 0) return;
    this.#events.push({ type, task: run.snapshot() });
    if (this.#isTelling) return;
    this.#isTelling = true;
    for (const event of this.#events) for (const listener of this.#listeners) listener(event);
    this.#events = [];
    this.#isTelling = false;
  }
}

// A separate root actor, seen by whoever sees the call that started it.
function watchOfCall(context: ToolContext): Watch | undefined {
  const parent = watchBelow(context)?.parent;
  if (parent === undefined) return undefined;
  // How XState itself informs inspectors; not in its declarations.
  const system = parent.system as unknown as { readonly _sendInspectionEvent?: (event: unknown) => void };
  return { inspect: (event) => system._sendInspectionEvent?.(event) };
}
