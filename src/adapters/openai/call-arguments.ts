// Converts tool arguments between the wire's text and our values. Used by the encoders and decoders of both APIs.

import type { ToolCallBlock } from '../../conversation/block.ts';
import type { JsonValue } from '../../conversation/json.ts';
import { wellFormed } from '../well-formed.ts';
import { objectOf, textAt, type JsonObject } from './json-fields.ts';

/** A call's arguments. `original` is their text if `JSON.stringify(args)` would give another one. */
export interface ReadArguments {
  readonly args?: JsonValue;
  readonly rawArgs?: string;
  readonly original?: string;
}

/** Reads arguments in every form that servers send: JSON text, no text at all (= `{}`), or the object itself. */
export function readArguments(sent: JsonValue | undefined): ReadArguments {
  if (sent === undefined || sent === null) return { args: {} };
  if (typeof sent !== 'string') return { args: sent };
  if (sent.trim() === '') return { args: {} };
  try {
    const args = JSON.parse(sent) as JsonValue; // JSON.parse gives nothing else
    return JSON.stringify(args) === sent ? { args } : { args, original: sent };
  } catch {
    return { rawArgs: sent };
  }
}

/** The argument text of a call as the server sent it, or else as we write it. Undefined if it is not JSON. */
export function argumentText(call: ToolCallBlock, data: JsonObject | undefined): string | undefined {
  const original = textAt(data, 'arguments');
  if (original !== undefined) return original;
  return call.args === undefined ? undefined : JSON.stringify(wellFormed(call.args));
}

/** The free text of a custom tool's call. */
export function freeText(call: ToolCallBlock): string {
  if (typeof call.args === 'string') return call.args;
  return call.rawArgs ?? JSON.stringify(call.args ?? '');
}

/** The block's `data` if it came from `provider`. */
export function ownData(
  block: { readonly provider?: string; readonly data?: JsonValue },
  provider: string,
): JsonObject | undefined {
  return block.provider === provider ? objectOf(block.data) : undefined;
}
