// The entry ./machines: the charts, and the library's actors for your own machines. Exposes XState's types.

export { backgroundTaskMachine } from '../machines/background-task.ts';
export { backgroundTasksMachine } from '../machines/background-tasks.ts';
export { operativeMachine } from '../machines/operative.ts';
export { realtimeSessionMachine } from '../machines/realtime-session.ts';
export { toolCallMachine } from '../machines/tool-call.ts';
export { turnMachine } from '../machines/turn.ts';
export type {
  BackgroundTaskMachineContext,
  BackgroundTaskMachineEvent,
  BackgroundTaskScope,
} from '../machines/background-task.ts';
export type {
  BackgroundTasksMachineContext,
  BackgroundTasksMachineEvent,
  BackgroundTasksScope,
  TaskQuestion,
} from '../machines/background-tasks.ts';
export type {
  OperativeMachineContext,
  OperativeMachineEvent,
  OperativeScope,
  Question,
  ReloadFacts,
  CompactFacts,
  Submission,
} from '../machines/operative.ts';
export type {
  DeadlineFacts,
  DeadlineInput,
  DeadlineKind,
  RealtimeScope,
  RealtimeSessionMachineContext,
  RealtimeSessionMachineEvent,
  SessionEnd,
} from '../machines/realtime-session.ts';
export { serviceLogic, type BeginWork, type ServiceActor, type ServiceLogic } from '../machines/service.ts';
export type { ToolCallMachineContext, ToolCallMachineEvent } from '../machines/tool-call.ts';
export type {
  TurnFacts,
  TurnMachineContext,
  TurnMachineEvent,
  TurnMachineInput,
  TurnOutput,
  TurnScope,
} from '../machines/turn.ts';
export { actorOf, type OperativeActorRef, type TurnActorRef } from './actor-of.ts';
export { engineWith, type EngineCharts } from './engine-with.ts';
export { turnOf, type TurnInHand } from './turn-of.ts';
export { turnServices } from '../runtime/charts.ts';
export {
  operativeLogic,
  type OperativeEmitted,
  type OperativeLogicOptions,
  type OperativeLogicEvent,
  type OperativeLogicInput,
} from './operative-logic.ts';
