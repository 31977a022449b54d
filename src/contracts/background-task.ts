// The seam to work that outlives its call.

import type { Tool, ToolContext, ToolResult } from './tool.ts';

/** A tool whose work can outlive its call: with a registry on the engine, `run_in_background: true` returns a task id at once. */
export interface BackgroundTool<in TurnContext = unknown> extends Tool<TurnContext> {
  readonly isBackground: true;
}

/** Where a task is in its life. */
export type TaskStatus = 'running' | 'stopping' | 'completed' | 'failed' | 'stopped';

/** A snapshot of one task. Times are milliseconds since the epoch. */
export interface BackgroundTask {
  readonly id: string;
  /** `session.id` of the conversation that started it. */
  readonly owner: string;
  readonly toolName: string;
  readonly status: TaskStatus;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly output: string;
  readonly outputFile?: string;
  readonly result?: ToolResult;
}

/** Something that happened to a task. */
export interface BackgroundTaskEvent {
  readonly type: 'task.started' | 'task.output' | 'task.settled';
  readonly task: BackgroundTask;
}

/** Where background work lives. */
export interface BackgroundTaskRegistry {
  start(tool: BackgroundTool, args: unknown, context: ToolContext): BackgroundTask;
  get(id: string): BackgroundTask | undefined;
  list(owner?: string): readonly BackgroundTask[];
  stop(id: string): Promise<BackgroundTask>;
  settled(id: string, options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<BackgroundTask>;
  subscribe(listener: (event: BackgroundTaskEvent) => void): () => void;
  close(): Promise<void>;
}
