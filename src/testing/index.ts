// The entry `./testing`: a kit for tests of programs, tools and models built on turnchart.

export { checkModel } from './check-model.ts';
export type { CheckModelOptions, MakeModel } from './check-model.ts';
export { checkTool } from './check-tool.ts';
export type { CheckToolOptions } from './check-tool.ts';
export { machinePaths } from './machine-paths.ts';
export type { MachinePath, MachinePathCases, MachinePaths, PathCase, PathStep } from './machine-paths.ts';
export { recordTurn } from './record-turn.ts';
export type { RecordedCall, RecordedTurn, TurnRecording } from './record-turn.ts';
export { replayTurn } from './replay-turn.ts';
export type { ReplayedTurn } from './replay-turn.ts';
export { scriptedModel } from './scripted-model.ts';
export type { ScriptedModel, ScriptedModelOptions } from './scripted-model.ts';
export { scriptedTransport } from './scripted-transport.ts';
export type { ScriptedAnswer, ScriptedTransport } from './scripted-transport.ts';
export type { ScriptedCall, ScriptedCallContext, ScriptedStep, ScriptedStepSource } from './scripted-step.ts';
export { simulatedHost } from './simulated-host.ts';
export type { SimulatedHost, SimulatedHostOptions } from './simulated-host.ts';
export { verifyEvents } from './verify-events.ts';
export type { VerifyEventsOptions } from './verify-events.ts';
export { verifyTranscript } from './verify-transcript.ts';
export type { VerifyTranscriptOptions } from './verify-transcript.ts';
