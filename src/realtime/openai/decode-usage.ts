// Token counts of an answer and of a transcription → neutral usage. Pure; called by decode-event.ts.

import { numberAt, recordOf, type JsonRecord } from '../../adapters/json-reading.ts';
import type { RealtimeUsage } from '../../contracts/realtime.ts';
import type { JsonValue } from '../../conversation/json.ts';
import { optional } from './merge.ts';

/**
 * Undefined if the server reported nothing: no object, or an empty one. A transcription billed by the second has no
 * tokens, only `details`.
 */
export function decodeUsage(value: JsonValue | undefined): RealtimeUsage | undefined {
  const usage = recordOf(value);
  if (usage === undefined || Object.keys(usage).length === 0) return undefined;
  const input = detailsOf(usage, 'input');
  const output = detailsOf(usage, 'output');
  return {
    inputTokens: numberAt(usage, 'input_tokens') ?? 0,
    outputTokens: numberAt(usage, 'output_tokens') ?? 0,
    ...optional('cacheReadTokens', numberAt(input, 'cached_tokens')),
    ...optional('reasoningTokens', numberAt(output, 'reasoning_tokens')),
    ...optional('inputAudioTokens', numberAt(input, 'audio_tokens')),
    ...optional('inputTextTokens', numberAt(input, 'text_tokens')),
    ...optional('inputImageTokens', numberAt(input, 'image_tokens')),
    ...optional('outputAudioTokens', numberAt(output, 'audio_tokens')),
    ...optional('outputTextTokens', numberAt(output, 'text_tokens')),
    details: usage as JsonValue, // parsed JSON
  };
}

function detailsOf(usage: JsonRecord, side: 'input' | 'output'): JsonRecord | undefined {
  return recordOf(usage[`${side}_token_details`]);
}
