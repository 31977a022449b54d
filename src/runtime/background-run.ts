// One background task: its running tool, its chart, its output. Made by the registry.

import { createActor } from 'xstate';
import type { BackgroundTask, BackgroundTool, TaskStatus } from '../contracts/background-task.ts';
import type { Host } from '../contracts/host.ts';
import type { ToolContext } from '../contracts/tool.ts';
import type { JsonValue } from '../conversation/json.ts';
import {
  backgroundTaskChart,
  type BackgroundTaskMachineContext,
  type BackgroundTaskMachineEvent,
} from '../machines/background-task.ts';
import { chartLogic } from '../machines/chart-logic.ts';
import { longestDelayMs } from '../services/settings.ts';
import { isThenable } from '../contracts/at-once.ts';
import { shortText } from '../tools/bounded-text.ts';
import type { BackgroundToolContext } from '../tools/define-background-tool.ts';
import { errorResultText } from '../tools/error-text.ts';
import { jsonText } from '../tools/json-text.ts';
import { toToolResult } from '../tools/result-content.ts';
import { ToolResult } from '../tools/tool-result.ts';
import { grace, type GraceScope } from './background-grace.ts';
import { BackgroundOutput } from './background-output.ts';
import type { Watch } from './watch.ts';

/** What a task is made with. */
export interface TaskParts {
  readonly id: string;
  readonly tool: BackgroundTool;
  readonly args: unknown;
  readonly context: ToolContext;
  readonly host: Host;
  readonly maxOutputBytes: number;
  readonly graceMs: number;
  readonly watch: Watch | undefined;
  /** Called when it has written something. */
  readonly onOutput: () => void;
  /** Called once when it has settled, after the chart's last step. */
  readonly onSettled: () => void;
}

/** How long a caller waits for the end of a task. */
interface Wait {
  /** Default: forever. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const stopReason = new DOMException('The background task was told to stop.', 'AbortError');

const taskLogic = chartLogic<BackgroundTaskMachineEvent, BackgroundTaskMachineContext, undefined>(backgroundTaskChart, {
  grace,
});

/** A task, live or settled. */
export class BackgroundRun implements GraceScope {
  readonly id: string;
  readonly owner: string;
  readonly toolName: string;
  readonly label: string;
  readonly startedAt: number;
  readonly host: Host;
  readonly output: BackgroundOutput;
  #parts: TaskParts | undefined;
  readonly #waiting = new Set<() => void>();
  readonly #controller = new AbortController();
  readonly #actor;
  #endedAt: number | undefined;
  #outputFile: string | undefined;
  #result: ToolResult | undefined;

  constructor(parts: TaskParts) {
    const { id, tool, args, context, host, watch } = parts;
    this.id = id;
    this.owner = context.session.id;
    this.toolName = tool.name;
    this.label = shortText(jsonText(args), 200);
    this.host = host;
    this.startedAt = host.now();
    this.output = new BackgroundOutput(parts.maxOutputBytes);
    this.#parts = parts;
    this.#actor = createActor(taskLogic, { id, input: { scope: this }, ...watch });
    this.#actor.subscribe({ complete: () => this.#end(), error: () => this.#end() });
    this.#actor.start();
  }

  get status(): TaskStatus {
    return this.#actor.getSnapshot().value as TaskStatus; // the chart's states are the statuses
  }

  get isSettled(): boolean {
    return this.#parts === undefined;
  }

  /** Calls the tool, unless the task was stopped before. */
  run(): void {
    if (this.#parts === undefined) return;
    if (this.#controller.signal.aborted) return this.#settle(ToolResult.error('It was stopped before it began.'));
    const { tool, args, context } = this.#parts;
    let given: unknown;
    let later: Promise<unknown> | undefined;
    try {
      given = tool.execute(args, this.#toolContext(context));
      if (isThenable(given)) later = Promise.resolve(given);
    } catch (thrown) {
      return this.#settle(ToolResult.error(errorResultText(thrown)));
    }
    if (later === undefined) return this.#settle(toToolResult(given));
    later.then(
      (value) => this.#settle(toToolResult(value)),
      (thrown) => this.#settle(ToolResult.error(errorResultText(thrown))),
    );
  }

  stop(): void {
    if (!this.isSettled) this.#actor.send({ type: 'task.stop' });
  }

  /** Resolves with a snapshot when the task ends or the time is over. Rejects with the signal's reason. */
  whenSettled({ timeoutMs = Infinity, signal }: Wait): Promise<BackgroundTask> {
    if (this.isSettled) return Promise.resolve(this.snapshot());
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason);
      const leave = (): void => {
        this.#waiting.delete(done);
        this.host.clearTimeout(timer);
        signal?.removeEventListener('abort', abandon);
      };
      const done = (): void => {
        leave();
        resolve(this.snapshot());
      };
      const abandon = (): void => {
        leave();
        reject(signal?.reason);
      };
      // No timer if none could wait that long.
      const timer = timeoutMs <= longestDelayMs ? this.host.setTimeout(done, Math.max(0, timeoutMs)) : undefined;
      this.#waiting.add(done);
      signal?.addEventListener('abort', abandon, { once: true });
    });
  }

  /** Its state as of now; later changes do not show. */
  snapshot(): BackgroundTask {
    const textOf = this.output.snapshot();
    const task: { -readonly [Key in keyof BackgroundTask]: BackgroundTask[Key] } = {
      id: this.id,
      owner: this.owner,
      toolName: this.toolName,
      label: this.label,
      status: this.status,
      startedAt: this.startedAt,
      // A getter: otherwise each event could copy a megabyte in vain.
      get output() {
        return textOf();
      },
    };
    if (this.#outputFile !== undefined) task.outputFile = this.#outputFile;
    if (this.#endedAt === undefined) return task;
    task.endedAt = this.#endedAt;
    if (this.#result !== undefined) task.result = this.#result;
    return task;
  }

  abort(): void {
    this.#controller.abort(stopReason);
  }

  afterGrace(fn: () => void): () => void {
    if (this.#parts === undefined) return () => undefined;
    const timer = this.host.setTimeout(fn, this.#parts.graceMs);
    return () => this.host.clearTimeout(timer);
  }

  /** What inspectors see of it. */
  toJSON(): JsonValue {
    return { id: this.id, owner: this.owner, toolName: this.toolName };
  }

  // What comes after the end finds the chart in a final state and changes nothing.
  #settle(result: ToolResult): void {
    if (this.isSettled) return;
    this.#result = result;
    this.#actor.send({ type: 'tool.settled', isError: result.isError });
  }

  #end(): void {
    const parts = this.#parts;
    if (parts === undefined) return;
    this.#parts = undefined;
    this.#endedAt = this.#lastMoment();
    this.#result ??= ToolResult.error(
      `${this.toolName} was told to stop and did not end within ${parts.graceMs} ms. It may still be at work.`,
    );
    this.output.end();
    parts.onSettled();
    for (const done of [...this.#waiting]) done();
  }

  // Never before its start, even if the clock was set back; a clock that throws must not keep a task from ending.
  #lastMoment(): number {
    try {
      return Math.max(this.startedAt, this.host.now());
    } catch {
      return this.startedAt;
    }
  }

  // Its own context: the call that started it is over, and so is that call's signal.
  #toolContext(context: ToolContext): BackgroundToolContext {
    return {
      ...context,
      signal: this.#controller.signal,
      taskId: this.id,
      write: (text) => {
        if (this.#parts === undefined) return;
        this.output.write(typeof text === 'string' ? text : jsonText(text)); // String() of a hostile array may never end
        this.#parts.onOutput();
      },
      noteOutputFile: (path) => {
        if (this.#parts !== undefined && typeof path === 'string') this.#outputFile = path;
      },
    };
  }
}
