// The entry `./testing/properties`: fast-check arbitraries and laws for property tests of transformers, tools and models.

export { argumentFaults } from './argument-faults.ts';
export { checkTransformer, TransformerLawError } from './check-transformer.ts';
export type { CheckTransformerOptions } from './check-transformer.ts';
export { conversations, toolCalls } from './conversations.ts';
export type { ConversationConstraints } from './conversations.ts';
export type { Law } from './laws/law.ts';
export { laws } from './laws/laws.ts';
export { schedules } from './schedules.ts';
export type { Schedule, SchedulesConstraints } from './schedules.ts';
export { streamChunks } from './stream-chunks.ts';
export type { StreamChunksConstraints } from './stream-chunks.ts';
export { Trial } from './trial.ts';
export type { Circumstances, Occasion, Outcome } from './trial.ts';
