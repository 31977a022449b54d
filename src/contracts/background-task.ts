// The seam to work that outlives its call.

import type { ToolDefinition } from './model.ts';
import type { Tool, ToolContext, ToolResult } from './tool.ts';

/** A tool whose work can outlive its call: with a registry on the engine, `run_in_background: true` returns a task id at once. */
export interface BackgroundTool<in TurnContext = unknown> extends Tool<TurnContext> {
  readonly isBackground: true;
}

/** Whether a tool's work can outlive its call. */
export function isBackground(tool: Tool): tool is BackgroundTool {
  return (tool as Partial<BackgroundTool>).isBackground === true;
}

/** Where a task is in its life. `stopped` = it ended after it was told to stop, whatever it gave back then. */
export type TaskStatus = 'running' | 'stopping' | 'completed' | 'failed' | 'stopped';

/** A snapshot of one task. Times are milliseconds since the epoch. */
export interface BackgroundTask {
  readonly id: string;
  /** `session.id` of the conversation that started it. */
  readonly owner: string;
  readonly toolName: string;
  /** What was asked for, in short: the beginning of the arguments as JSON. */
  readonly label?: string;
  readonly status: TaskStatus;
  readonly startedAt: number;
  readonly endedAt?: number;
  /** The beginning and the end of what it wrote, around a notice where that is more than `maxOutputBytes`. */
  readonly output: string;
  /** Where the tool keeps everything it wrote. */
  readonly outputFile?: string;
  readonly result?: ToolResult;
}

/** Something that happened to a task. */
export interface BackgroundTaskEvent {
  readonly type: 'task.started' | 'task.output' | 'task.settled';
  readonly task: BackgroundTask;
}

/** A part of a task's output. */
export interface TaskOutputPart {
  readonly text: string;
  /** Where the next part begins, in UTF-16 units of everything ever written. */
  readonly next: number;
}

/** Where background work lives. */
export interface BackgroundTaskRegistry {
  /** Runs the tool as a task, in this call. Throws `task.closed` once the registry is closed. */
  start(tool: BackgroundTool, args: unknown, context: ToolContext): BackgroundTask;
  /** Undefined for an id that is unknown or no longer kept. */
  get(id: string): BackgroundTask | undefined;
  /** Of one owner, or all; in order of start. */
  list(owner?: string): readonly BackgroundTask[];
  /** Tells a task to stop and resolves when it has settled; one that settled before stays as it is. Rejects with `task.unknown`. */
  stop(id: string): Promise<BackgroundTask>;
  /**
   * Resolves when the task has settled, or after `timeoutMs` with the task as it is then. Rejects with `task.unknown`, or
   * with the signal's reason.
   */
  settled(id: string, options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<BackgroundTask>;
  /** Hears of every task from now on, in order; returns the way to stop that. */
  subscribe(listener: (event: BackgroundTaskEvent) => void): () => void;
  /** Stops every task, takes no new ones, and resolves when all have settled. */
  close(): Promise<void>;
  /** The output from a position on, shortened in the middle like `output`. */
  read?(id: string, from?: number): TaskOutputPart | undefined;
}

/** A call that went into the background. */
export interface BegunTask {
  readonly taskId: string;
  /** What the model reads in place of the tool's own result. */
  readonly handle: string;
  /** For a call that was over before its handle could be given. */
  stop(): void;
}

/** A call that may go into the background. */
export interface BackgroundCall {
  readonly tool: Tool;
  /** The arguments as the model sent them, and as the tool parsed them. */
  readonly raw: unknown;
  readonly args: unknown;
  readonly context: ToolContext;
  /** The engine's own way to execute a tool, where it has one. */
  readonly execute: ((tool: Tool, args: unknown, context: ToolContext) => unknown) | undefined;
}

/** What a registry brings to an engine, so that an engine without one has none of its code. */
export interface TaskSupport {
  /** TaskOutput and TaskStop. */
  readonly tools: readonly Tool[];
  /** The definition of a background tool as models see it. */
  publish(definition: ToolDefinition): ToolDefinition;
  /** Starts a task where the model asked for one; undefined where the call runs as any other. */
  begin(call: BackgroundCall): BegunTask | undefined;
  /** Tells every live task of an owner to stop and names them. */
  endAll(owner: string): readonly string[];
}

/** The property under which a registry, or its TaskOutput tool, stores its `TaskSupport`. */
export const taskSupport: unique symbol = Symbol.for('turnchart.taskSupport');

/** The session key of the function that announces settled tasks to the conversation. */
export const taskNotices: unique symbol = Symbol.for('turnchart.taskNotices');

/** Tells the conversation. */
export type TellNotice = (text: string, taskId: string) => void;
