// A finished content block of Anthropic → one of our blocks. Called by the decoder when a block has ended.

import type { ProviderBlock, TextBlock, ThinkingBlock, ToolCallBlock } from '../../conversation/block.ts';
import type { JsonValue } from '../../conversation/json.ts';
import { listOf, recordOf, restOf, textAt, type JsonRecord } from '../json-reading.ts';

/** The `provider` of all blocks that come from Anthropic. */
export const providerName = 'anthropic';

const textKeys: ReadonlySet<string> = new Set(['type', 'text', 'citations']);
const thinkingKeys: ReadonlySet<string> = new Set(['type', 'thinking', 'signature']);
const redactedKeys: ReadonlySet<string> = new Set(['type', 'data']);
const callKeys: ReadonlySet<string> = new Set(['type', 'id', 'name', 'input']);

/** `citations` are those of the deltas; the start may contain some already. */
export function textBlockOf(
  start: JsonRecord,
  text: string,
  citations: readonly JsonValue[],
  refused: boolean,
): TextBlock {
  const all = [...(listOf(start['citations']) ?? []), ...citations];
  const rest = restOf(start, textKeys);
  return {
    type: 'text',
    text,
    ...(refused ? { refusal: true } : {}),
    ...(all.length > 0 ? { citations: all } : {}),
    ...(all.length > 0 || rest !== undefined ? { provider: providerName } : {}),
    ...(rest === undefined ? {} : { data: rest }),
  };
}

/** The signature belongs to exactly this text. */
export function thinkingBlockOf(start: JsonRecord, text: string, signature: string): ThinkingBlock {
  const rest = restOf(start, thinkingKeys);
  return {
    type: 'thinking',
    text,
    provider: providerName,
    ...(signature === '' ? {} : { signature }),
    ...(rest === undefined ? {} : { data: rest }),
  };
}

/** Thinking that only Anthropic can read. */
export function redactedThinkingOf(start: JsonRecord): ThinkingBlock {
  const rest = restOf(start, redactedKeys);
  return {
    type: 'thinking',
    text: '',
    provider: providerName,
    encrypted: textAt(start, 'data') ?? '',
    ...(rest === undefined ? {} : { data: rest }),
  };
}

/** `json` is the input as streamed; if it is empty, the input of the start counts, else `{}`. */
export function toolCallOf(start: JsonRecord, json: string): ToolCallBlock {
  const rest = restOf(start, callKeys);
  const caller = recordOf(rest?.['caller']);
  const isDirect = caller !== undefined && textAt(caller, 'type') === 'direct' && Object.keys(caller).length === 1;
  const data = rest !== undefined && isDirect ? restOf(rest, directCaller) : rest;
  return {
    type: 'toolCall',
    id: textAt(start, 'id') ?? '',
    name: textAt(start, 'name') ?? '',
    ...inputOf(start, json),
    ...(data === undefined ? {} : { provider: providerName, data }),
  };
}

/** A block without a neutral form, with its streamed input put in. */
export function providerBlockOf(start: JsonRecord, json: string): ProviderBlock {
  const input = json.trim() === '' ? undefined : inputOf(start, json);
  return {
    type: 'provider',
    provider: providerName,
    kind: textAt(start, 'type') ?? 'unknown',
    // parsed JSON: no field is undefined
    data: (input === undefined ? start : { ...start, input: input.args ?? input.rawArgs ?? null }) as JsonValue,
  };
}

// The caller of an ordinary call, which carries no information.
const directCaller: ReadonlySet<string> = new Set(['caller']);

function inputOf(start: JsonRecord, json: string): { readonly args?: JsonValue; readonly rawArgs?: string } {
  if (json.trim() === '') return { args: start['input'] ?? {} };
  try {
    // parsed JSON
    return { args: JSON.parse(json) as JsonValue };
  } catch {
    return { rawArgs: json };
  }
}
