// The entry `./testing/properties`: fast-check arbitraries for property tests of transformers, tools, models and hosts.

export { conversations, toolCalls } from './conversations.ts';
export type { ConversationConstraints } from './conversations.ts';
export { schedules } from './schedules.ts';
export type { Schedule, SchedulesConstraints } from './schedules.ts';
export { streamChunks } from './stream-chunks.ts';
export type { StreamChunksConstraints } from './stream-chunks.ts';
