// An engine's options with every default filled in: what the services of a turn read.

import type { Approve, EngineSteps, RetryOptions } from '../contracts/engine.ts';
import type { TaskSupport } from '../contracts/background-task.ts';
import type { Host } from '../contracts/host.ts';
import type { Model, ModelRequest, ToolChoice, ToolDefinition } from '../contracts/model.ts';
import type { Tool } from '../contracts/tool.ts';
import type { Stage, Transformer } from '../contracts/transformer.ts';
import type { ChartLogic, ChartRun } from '../machines/chart-logic.ts';
import type { ToolCallMachineContext, ToolCallMachineEvent } from '../machines/tool-call.ts';
import type { TurnMachineEvent, TurnMachineInput, TurnOutput } from '../machines/turn.ts';

/** The charts an engine's turns run on. */
export interface TurnCharts {
  readonly turn: ChartLogic<TurnMachineEvent, TurnMachineInput, TurnOutput>;
  /** The same with its services as actors, for an inspector to see. */
  readonly inspectedTurn: ChartLogic<TurnMachineEvent, TurnMachineInput, TurnOutput>;
  /** A tool call as an actor. */
  readonly inspectedToolCall: ChartLogic<ToolCallMachineEvent, ToolCallMachineContext, undefined>;
  /** A tool call without an actor: a turn may have hundreds of them. */
  readonly startToolCall: () => ChartRun<ToolCallMachineEvent>;
}

/** The longest delay that the platform's timers take, in milliseconds; with a longer one they fire at once. */
export const longestDelayMs = 2 ** 31 - 1;

/** Made once per engine and shared by all its turns. Durations are milliseconds. */
export interface TurnSettings {
  /** The model, then its fallbacks in order. */
  readonly models: readonly [Model, ...Model[]];
  readonly tools: ReadonlyMap<string, Tool>;
  readonly definitions: readonly ToolDefinition[];
  /** How calls become background tasks; undefined if they cannot. */
  readonly tasks: TaskSupport | undefined;
  readonly transformers: Readonly<Record<Stage, readonly Transformer[]>>;
  readonly stages: Readonly<Record<Stage, boolean>>;
  /** The transformer that compacts the transcript on request. */
  readonly compactor: Transformer | undefined;
  readonly toolChoice: ToolChoice | undefined;
  /** The parts of every request that never change. */
  readonly request: Pick<ModelRequest, 'maxOutputTokens' | 'output' | 'providerOptions'>;
  readonly maxIterations: number;
  readonly maxParallelTools: number;
  readonly toolTimeoutMs: number | undefined;
  readonly cancelGraceMs: number;
  readonly idleTimeoutMs: number;
  readonly retry: Required<RetryOptions>;
  readonly approve: Approve | undefined;
  readonly steps: EngineSteps;
  readonly host: Host;
  readonly charts: TurnCharts;
  readonly onListenerError: (error: unknown) => void;
}
