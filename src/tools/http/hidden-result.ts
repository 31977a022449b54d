// Results and failures of an HTTP tool without the secrets of its headers, which servers tend to echo. Secrets are
// removed before anything is cut: half a secret would not be found. Called by define-http-tool.

import type { DocumentBlock, ResultContent } from '../../conversation/block.ts';
import { isErrorObject } from '../error-message.ts';
import { errorResultText } from '../error-text.ts';
import { jsonText } from '../json-text.ts';
import { isOrdinaryObject } from '../plain-copy.ts';
import { readResultContent } from '../read-result-content.ts';
import { toToolResult } from '../result-content.ts';
import { isToolResult, ToolResult } from '../tool-result.ts';
import type { Hide } from './read-body.ts';

/** The result of whatever a formatter returned. `isFailure`: a failure, unless it is already a `ToolResult`. */
export function hiddenResult(value: unknown, isFailure: boolean, hide: Hide): ToolResult {
  if (isToolResult(value)) return withoutSecrets(value, hide);
  if (typeof value === 'string') return toToolResult(hide(value, false), isFailure);
  if (typeof value !== 'object' || value === null) return toToolResult(value, isFailure);
  if (Array.isArray(value) || isOrdinaryObject(value)) return toToolResult(hide(jsonText(value), false), isFailure);
  if (isErrorObject(value)) return ToolResult.error(hiddenError(value, hide));
  return withoutSecrets(toToolResult(value, isFailure), hide);
}

/** The text the model reads for anything that was thrown. */
export function hiddenError(thrown: unknown, hide: Hide): string {
  const message: unknown = typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, 'message') : thrown;
  const said = typeof message === 'string' && message !== '' ? hide(message, false) : thrown;
  return hide(errorResultText(said), false);
}

function withoutSecrets(result: ToolResult, hide: Hide): ToolResult {
  const content = readResultContent(result.content).map((block): ResultContent => {
    switch (block.type) {
      case 'text':
        return { ...block, text: hide(block.text, false) };
      case 'image':
        return { ...block, source: ofSource(block.source, hide) };
      case 'document':
        return {
          ...block,
          source: ofSource(block.source, hide),
          ...(block.title === undefined ? {} : { title: hide(block.title, false) }),
        };
    }
  });
  return { ...result, content };
}

function ofSource<Source extends DocumentBlock['source']>(source: Source, hide: Hide): Source {
  if (source.type === 'url') return { ...source, url: hide(source.url, false) };
  return source.type === 'text' ? { ...source, text: hide(source.text, false) } : source;
}
