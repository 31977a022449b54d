// What the model reads of anything a tool returned: the only place where results become blocks. Called by the dispatch
// service and by tools that pass on the results of others.

import type { ResultContent } from '../conversation/block.ts';
import { boundedText, utf8Length } from './bounded-text.ts';
import { isErrorObject } from './error-message.ts';
import { errorResultText } from './error-text.ts';
import { jsonText } from './json-text.ts';
import { describedObject, isOrdinaryObject } from './plain-copy.ts';
import { readResultContent } from './read-result-content.ts';
import { isToolResult, ToolResult, toolResult } from './tool-result.ts';

/** Most bytes (UTF-8) of all texts of one result. Longer texts keep beginning and end around a notice. */
export const maxResultBytes = 1_048_576;

const noOutput = '(no output)';

/**
 * The result for anything a tool can return (already awaited), with at least one block. Strings are one text;
 * undefined, an empty string and an empty `ToolResult` are "(no output)"; a returned Error is a failure with its
 * message; binary data is described, not dumped; everything else is exactly one text with its JSON. All texts are
 * well-formed and have at most `maxResultBytes` together. `isFailure`: the result is a failure, whatever the value is.
 * Never throws.
 */
export function toToolResult(value: unknown, isFailure = false): ToolResult {
  try {
    if (isToolResult(value)) {
      return toolResult(bounded(readResultContent(value.content)), isFailure || value.isError === true);
    }
    if (isErrorObject(value)) return ToolResult.error(errorResultText(value));
    return toolResult([text(boundedText(textOf(value), maxResultBytes))], isFailure);
  } catch {
    return toolResult([text('(unreadable result)')], isFailure);
  }
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
    case 'object':
      return value === null || isOrdinaryObject(value) ? jsonText(value) : (describedObject(value) ?? jsonText(value));
    default:
      return jsonText(value);
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
