// Adds up the tokens of a session, by kind. Called by the session for each report.

import type { RealtimeUsage } from '../contracts/realtime.ts';
import { addUsage } from '../conversation/usage.ts';

const kinds = [
  'inputAudioTokens',
  'inputTextTokens',
  'inputImageTokens',
  'outputAudioTokens',
  'outputTextTokens',
] as const satisfies readonly (keyof RealtimeUsage)[];

/** Field by field; a field is present if either side has it. */
export function addRealtimeUsage(left: RealtimeUsage, right: RealtimeUsage): RealtimeUsage {
  const split: Partial<Record<(typeof kinds)[number], number>> = {};
  for (const kind of kinds) {
    if (left[kind] !== undefined || right[kind] !== undefined) split[kind] = (left[kind] ?? 0) + (right[kind] ?? 0);
  }
  return { ...addUsage(left, right), ...split };
}
