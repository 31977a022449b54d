// What the model reads of whatever a tool returned: the one place where results become blocks. Called by the dispatch service.

import type { ResultContent } from '../conversation/block.ts';
import { boundedText, utf8Length } from './bounded-text.ts';
import { isErrorObject } from './error-message.ts';
import { errorResultText } from './error-text.ts';
import { jsonText } from './json-text.ts';
import { describedObject, isOrdinaryObject } from './plain-copy.ts';
import { readResultContent } from './read-result-content.ts';
import { isToolResult, ToolResult } from './tool-result.ts';

/** Most bytes (UTF-8) that the texts of one result have together. Longer texts keep beginning and end around a notice. */
export const maxResultBytes = 1_048_576;

const noOutput = '(no output)';

/** The blocks of a result, at least one, and whether they tell of a failure. */
export interface ResultBlocks {
  readonly content: ResultContent[];
  readonly isError: boolean;
}

/**
 * Blocks for any value a tool can return (already awaited). Strings are one text; undefined, an empty string and an
 * empty `ToolResult` are "(no output)"; a returned Error is a failure with its message; binary data is described, not
 * dumped; everything else is exactly one text with its JSON. All texts are well-formed and at most `maxResultBytes`
 * together. Never throws.
 */
export function toResultBlocks(value: unknown): ResultBlocks {
  try {
    if (isToolResult(value))
      return { content: bounded(readResultContent(value.content)), isError: value.isError === true };
    if (typeof value === 'object' && value !== null && isOrdinaryObject(value)) return oneText(jsonText(value));
    if (isErrorObject(value)) return { content: [text(errorResultText(value))], isError: true };
    return oneText(textOf(value));
  } catch {
    return { content: [text('(unreadable result)')], isError: false };
  }
}

/** The same in one piece. `isFailure`: a failure, whatever the value says of itself. */
export function toToolResult(value: unknown, isFailure = false): ToolResult {
  const { content, isError } = toResultBlocks(value);
  return { ...ToolResult.blocks(content), isError: isError || isFailure };
}

function oneText(value: string): ResultBlocks {
  return { content: [text(boundedText(value, maxResultBytes))], isError: false };
}

function textOf(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value === '' ? noOutput : value;
    case 'undefined':
      return noOutput;
    case 'number': // also NaN and Infinity, for which JSON has only null
    case 'bigint':
    case 'symbol':
      return String(value);
    case 'function':
      return value.name === '' ? '(function)' : `(function ${value.name})`;
    default:
      return (typeof value === 'object' && value !== null ? describedObject(value) : undefined) ?? jsonText(value);
  }
}

function text(value: string): ResultContent {
  return { type: 'text', text: value };
}

function bounded(content: readonly ResultContent[]): ResultContent[] {
  const kept: ResultContent[] = [];
  let left = maxResultBytes;
  let omitted = 0;
  const cut = (whole: string): string => {
    const part = boundedText(whole, left);
    left -= utf8Length(part);
    return part;
  };
  for (const block of content) {
    if (block.type === 'text' && block.text === '') continue; // providers refuse empty texts
    if (left < 256) omitted++;
    else if (block.type === 'text') kept.push({ ...block, text: cut(block.text) });
    else if (block.type === 'document' && block.source.type === 'text') {
      kept.push({ ...block, source: { type: 'text', text: cut(block.source.text) } });
    } else {
      left -= 64; // so that endless lists of small blocks end as well
      kept.push(block);
    }
  }
  if (omitted > 0) kept.push(text(`(${omitted} more blocks left out: the result is too large)`));
  return kept.length === 0 ? [text(noOutput)] : kept;
}
