// The constructors of tool results, and the check for one. Called by tools and by result-content.

import type { ResultContent } from '../conversation/block.ts';
import type { ToolResult as ToolResultContract } from '../contracts/tool.ts';
import { jsonText } from './json-text.ts';
import { readResultContent } from './read-result-content.ts';

// Registered: two copies of the library in one program recognise each other's results, and no JSON can forge it.
const marker = Symbol.for('turnchart.toolResult');

/** A result made by `ToolResult.text`, `.json`, `.error` or `.blocks`. */
export type ToolResult = ToolResultContract;

/** Makes the exact result of a call. Anything else that a tool returns becomes a text (strings) or JSON. */
export const ToolResult = {
  /** One text block. */
  text: (text: string): ToolResult => toolResult([{ type: 'text', text: String(text) }], false),
  /** One text block with the value as JSON. What JSON cannot express is described in its place. */
  json: (value: unknown): ToolResult => toolResult([{ type: 'text', text: jsonText(value) }], false),
  /** A result that says the call failed; its status is `failed`. */
  error: (message: string): ToolResult => toolResult([{ type: 'text', text: String(message) }], true),
  /** Text, image and document blocks. Any other block becomes a text that describes it. */
  blocks: (content: readonly ResultContent[]): ToolResult => toolResult(readResultContent(content), false),
};

/** True for results made by `ToolResult`, also by another installed copy of the library. Never throws. */
export function isToolResult(value: unknown): value is ToolResult {
  try {
    return typeof value === 'object' && value !== null && marker in value && value[marker] === true;
  } catch {
    return false; // a hostile proxy is not a result
  }
}

/** The result with these blocks, which are valid. */
export function toolResult(content: readonly ResultContent[], isError: boolean): ToolResult {
  // The brand of the contract exists only in types; the marker is its run-time form.
  return { [marker]: true, content, isError } as unknown as ToolResult;
}
