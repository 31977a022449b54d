// A tool's result as the one string a voice model takes: every block, nothing dropped. Called by the session.

import type { ResultContent, ToolResultBlock } from '../conversation/block.ts';
import type { ToolResult } from '../contracts/tool.ts';
import { toToolResult } from '../tools/result-content.ts';
import { readResultContent } from '../tools/read-result-content.ts';

/** Accepts anything `toolResult.send` takes: text unchanged, other blocks as JSON, one block per line. Never throws. */
export function resultText(result: string | ToolResult | ToolResultBlock | readonly ResultContent[]): string {
  if (typeof result === 'string') return result;
  return contentOf(result)
    .map((block) => (block.type === 'text' ? block.text : JSON.stringify(block)))
    .join('\n');
}

function contentOf(result: ToolResult | ToolResultBlock | readonly ResultContent[]): readonly ResultContent[] {
  if (Array.isArray(result)) return readResultContent(result);
  if ('type' in result && result.type === 'toolResult') return readResultContent(result.content);
  return toToolResult(result).content;
}
