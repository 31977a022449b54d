// Anthropic's token counts and stop reasons → ours. Called by the decoder.

import type { StopReason } from '../../contracts/model.ts';
import type { JsonValue } from '../../conversation/json.ts';
import type { Usage } from '../../conversation/usage.ts';
import { listOf, numberAt, recordOf, type JsonRecord } from '../json-reading.ts';

/** The counts of the answer so far. They are running totals: later fields replace earlier ones, except null. */
export function mergeUsage(before: JsonRecord, after: JsonRecord): JsonRecord {
  const merged: { [key: string]: JsonValue | undefined } = { ...before };
  for (const key of Object.keys(after)) if (after[key] !== null) merged[key] = after[key];
  return merged;
}

/**
 * Cache reads and writes count as input. If the answer took several passes (compaction, an advisor), the top level leaves
 * some out but `iterations` lists them all: then the passes are summed.
 */
export function usageOf(raw: JsonRecord): Usage {
  const passes = (listOf(raw['iterations']) ?? []).map(recordOf).filter((pass) => pass !== undefined);
  const counted = passes.length > 0 ? passes : [raw];
  const total = (key: string): number => counted.reduce((sum, pass) => sum + (numberAt(pass, key) ?? 0), 0);
  const cacheRead = total('cache_read_input_tokens');
  const cacheWrite = total('cache_creation_input_tokens');
  const reasoning = numberAt(recordOf(raw['output_tokens_details']), 'thinking_tokens');
  return {
    inputTokens: total('input_tokens') + cacheRead + cacheWrite,
    outputTokens: total('output_tokens'),
    ...(has(counted, 'cache_read_input_tokens') ? { cacheReadTokens: cacheRead } : {}),
    ...(has(counted, 'cache_creation_input_tokens') ? { cacheWriteTokens: cacheWrite } : {}),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
    details: raw as JsonValue, // parsed JSON: no field is undefined
  };
}

const stopReasons: ReadonlyMap<string, StopReason> = new Map([
  ['end_turn', 'endTurn'],
  ['tool_use', 'toolUse'],
  ['max_tokens', 'maxTokens'],
  ['stop_sequence', 'stopSequence'],
  ['refusal', 'refusal'],
  ['pause_turn', 'pause'],
  ['compaction', 'pause'], // paused after compacting, and continues when called again
  ['model_context_window_exceeded', 'contextOverflow'],
]);

/** `hasCalls` decides if the server gives no reason, or says that the turn ended although it called tools. */
export function stopReasonOf(raw: string | undefined, hasCalls: boolean): StopReason {
  const said = raw === undefined || raw === '' ? 'endTurn' : (stopReasons.get(raw) ?? 'other');
  return said === 'endTurn' && hasCalls ? 'toolUse' : said;
}

function has(passes: readonly JsonRecord[], key: string): boolean {
  return passes.some((pass) => numberAt(pass, key) !== undefined);
}
