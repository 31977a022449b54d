// The entry `./testing`: what tests of programs, tools and models built on turnchart need.

export { scriptedModel } from './scripted-model.ts';
export type { ScriptedModel, ScriptedModelOptions } from './scripted-model.ts';
export type { ScriptedCall, ScriptedCallContext, ScriptedStep, ScriptedStepSource } from './scripted-step.ts';
export { simulatedHost } from './simulated-host.ts';
export type { SimulatedHost, SimulatedHostOptions } from './simulated-host.ts';
