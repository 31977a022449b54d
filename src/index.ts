// The root entry: everything an app needs to run turns, in browsers and workers too. No zod, no node:, no SDK.

export type {
  AudioBlock,
  Block,
  BoundaryBlock,
  DocumentBlock,
  ImageBlock,
  MediaSource,
  ProviderBlock,
  ResultContent,
  TextBlock,
  ThinkingBlock,
  ToolCallBlock,
  ToolResultBlock,
  ToolResultStatus,
} from './conversation/block.ts';
export { createConversation, openCalls, type Conversation } from './conversation/conversation.ts';
export type { IdKind } from './conversation/identity.ts';
export type { JsonValue, Meta } from './conversation/json.ts';
export {
  assistantMessage,
  textOf,
  userMessage,
  type Message,
  type MessageOptions,
  type Role,
} from './conversation/message.ts';
export { repair, type Repair } from './conversation/repair.ts';
export type { Usage } from './conversation/usage.ts';

export type {
  BackgroundTask,
  BackgroundTaskEvent,
  BackgroundTaskRegistry,
  BackgroundTool,
  TaskOutputPart,
  TaskStatus,
} from './contracts/background-task.ts';
export type {
  Approval,
  ApprovalRequest,
  Approve,
  Engine,
  EngineOptions,
  EngineSteps,
  RetryOptions,
  TurnRun,
} from './contracts/engine.ts';
export {
  isModelError,
  isTurnchartError,
  ModelError,
  TurnchartError,
  type ErrorCode,
  type ErrorJson,
  type ModelErrorOptions,
} from './contracts/errors.ts';
export {
  isStreamEvent,
  type EngineEvent,
  type OperativeEvent,
  type TurnReason,
  type TurnResult,
} from './contracts/events.ts';
export type { Host } from './contracts/host.ts';
export type { Inspect, InspectFunction, InspectObserver, ShowTranscript } from './contracts/inspect.ts';
export type {
  Completion,
  Model,
  ModelCallOptions,
  ModelRequest,
  StopReason,
  StreamEvent,
  ToolChoice,
  ToolDefinition,
} from './contracts/model.ts';
export type {
  Delivery,
  Operative,
  OperativeCommand,
  OperativeOptions,
  OperativeState,
  ResumeResult,
  SubmitOutcome,
  SubmitPolicy,
  SubmitResult,
} from './contracts/operative.ts';
export type { Tool, ToolContext, ToolSession } from './contracts/tool.ts';
export type {
  Alteration,
  MaybePromise,
  Rewrite,
  Stage,
  Transformer,
  TransformerContext,
  View,
} from './contracts/transformer.ts';

export { createBackgroundTasks, type BackgroundTasksOptions } from './runtime/background-tasks.ts';
export { EngineBuilder } from './runtime/builders.ts';
export { complete } from './runtime/complete.ts';
export { createEngine } from './runtime/engine.ts';
export { createOperative, OperativeBuilder } from './runtime/operative.ts';
export type { RunOptions } from './runtime/running-turn.ts';

export { agentTool } from './tools/agent/agent-tool.ts';
export type { AgentToolOptions, SubagentOperativeOptions, SubagentType } from './tools/agent/subagent-type.ts';
export {
  defineBackgroundTool,
  type BackgroundToolContext,
  type BackgroundToolSpecification,
} from './tools/define-background-tool.ts';
export { defineTool, type ToolSettings, type ToolSpecification } from './tools/define-tool.ts';
export type { ArgumentsOf, PlainJsonSchema, StandardJsonSchema, ToolParameters } from './tools/standard-schema.ts';
export { taskOutputTool } from './tools/tasks/task-output.ts';
export { taskStopTool } from './tools/tasks/task-stop.ts';
export { ToolResult } from './tools/tool-result.ts';

export {
  autoCompact,
  budgetToolResults,
  defaultTransformers,
  snipHistory,
  windowHistory,
  type AutoCompactOptions,
  type BudgetToolResultsOptions,
  type DefaultTransformersOptions,
  type SnipHistoryOptions,
} from './transformers/index.ts';
