// The seam to work that outlives its call.

import type { ToolDefinition } from './model.ts';
import type { Tool, ToolContext, ToolResult } from './tool.ts';

/**
 * A tool whose work can outlive its call: with a registry on the engine, `run_in_background: true` returns a task id at
 * once.
 */
export interface BackgroundTool<in TurnContext = unknown> extends Tool<TurnContext> {
  readonly isBackground: true;
}

/** Whether a tool's work can outlive its call. */
export function isBackground(tool: Tool): tool is BackgroundTool {
  return (tool as Partial<BackgroundTool>).isBackground === true;
}

/** The state of a task. `stopped`: it ended after it was asked to stop, whatever it returned. */
export type TaskStatus = 'running' | 'stopping' | 'completed' | 'failed' | 'stopped';

/** A snapshot of one task. Times are milliseconds since the epoch. */
export interface BackgroundTask {
  readonly id: string;
  /** `session.id` of the conversation that started it. */
  readonly owner: string;
  readonly toolName: string;
  /** What the task does, in short: the beginning of the arguments as JSON. */
  readonly label?: string;
  readonly status: TaskStatus;
  readonly startedAt: number;
  readonly endedAt?: number;
  /** What it wrote. If that is more than `maxOutputBytes`: its beginning and its end, with a notice in between. */
  readonly output: string;
  /** The file that holds everything it wrote. */
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
  /** The tasks of one owner, or all; in order of start. */
  list(owner?: string): readonly BackgroundTask[];
  /**
   * Asks a task to stop and resolves when it has settled. A task that has already settled stays as it is. Rejects with
   * `task.unknown`.
   */
  stop(id: string): Promise<BackgroundTask>;
  /**
   * Resolves when the task has settled, or after `timeoutMs` with the task as it is then. Rejects with `task.unknown`,
   * or with the signal's reason.
   */
  settled(id: string, options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<BackgroundTask>;
  /** Calls the listener for every event of every task from now on, in order. Returns a function that unsubscribes. */
  subscribe(listener: (event: BackgroundTaskEvent) => void): () => void;
  /** Stops every task, takes no new ones, and resolves when all have settled. */
  close(): Promise<void>;
  /** The output from a position on; if too long, shortened in the middle like `output`. */
  read?(id: string, from?: number): TaskOutputPart | undefined;
}

/** A call that went into the background. */
export interface BegunTask {
  readonly taskId: string;
  /** What the model reads in place of the tool's own result. */
  readonly handle: string;
  /** Stops the task if the call ended before its handle could be returned. */
  stop(): void;
}

/** A call that may go into the background. */
export interface BackgroundCall {
  readonly tool: Tool;
  /** The arguments as the model sent them, and as the tool parsed them. */
  readonly raw: unknown;
  readonly args: unknown;
  readonly context: ToolContext;
  /** The engine's `executeTool` step, if it has one. */
  readonly execute: ((tool: Tool, args: unknown, context: ToolContext) => unknown) | undefined;
}

/** What a registry adds to an engine. An engine without a registry contains none of its code. */
export interface TaskSupport {
  /** TaskOutput and TaskStop. */
  readonly tools: readonly Tool[];
  /** The definition of a background tool as models see it. */
  publish(definition: ToolDefinition): ToolDefinition;
  /** Starts a task if the model asked for one; undefined if the call runs like any other. */
  begin(call: BackgroundCall): BegunTask | undefined;
  /** Asks every running task of an owner to stop and returns their ids. */
  endAll(owner: string): readonly string[];
}

/** The property under which a registry, or its TaskOutput tool, stores its `TaskSupport`. */
export const taskSupport: unique symbol = Symbol.for('turnchart.taskSupport');

/** The session key of the function that announces settled tasks to the conversation. */
export const taskNotices: unique symbol = Symbol.for('turnchart.taskNotices');

/** Announces a settled task to the conversation. */
export type TellNotice = (text: string, taskId: string) => void;
