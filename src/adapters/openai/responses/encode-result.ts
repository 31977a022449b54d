// Tool results → output items of the type that fits the call. Called by encode-input.ts.

import type { ToolCallBlock, ToolResultBlock } from '../../../conversation/block.ts';
import type { JsonValue } from '../../../conversation/json.ts';
import { ownData } from '../call-arguments.ts';
import { sentCallId } from '../call-ids.ts';
import { objectOf, textAt, type JsonObject } from '../json-fields.ts';
import { urlOf } from '../media.ts';
import type { Target } from '../target.ts';
import { inputParts } from './content.ts';

/** The item that answers `call`. */
export function encodeResult(result: ToolResultBlock, call: ToolCallBlock | undefined, target: Target): JsonObject {
  const data = call === undefined ? undefined : ownData(call, target.provider);
  const call_id = sentCallId(result.callId, target.callIds);
  const caller: JsonObject = data?.['caller'] === undefined ? {} : { caller: data['caller'] };
  switch (textAt(data, 'type')) {
    case 'custom_tool_call':
      return { type: 'custom_tool_call_output', call_id, ...caller, output: outputOf(result, target) };
    case 'shell_call': {
      const limit = objectOf(call?.args)?.['max_output_length'];
      return {
        type: 'shell_call_output',
        call_id,
        ...caller,
        ...(limit === undefined ? {} : { max_output_length: limit }),
        output: shellOutput(result),
      };
    }
    case 'local_shell_call':
      return { type: 'local_shell_call_output', id: call_id, output: textOf(result) };
    case 'apply_patch_call': {
      const status = result.status === 'completed' ? 'completed' : 'failed';
      return { type: 'apply_patch_call_output', call_id, ...caller, status, output: textOf(result) };
    }
    case 'computer_call':
      return { type: 'computer_call_output', call_id, output: screenshotOf(result) };
    case 'tool_search_call':
      return { type: 'tool_search_output', call_id, execution: 'client', status: 'completed', tools: toolsIn(result) };
    default:
      return { type: 'function_call_output', call_id, ...caller, output: outputOf(result, target) };
  }
}

/** Text alone is sent as a string, which every server accepts; media as a list of parts. */
function outputOf(result: ToolResultBlock, target: Target): JsonValue {
  return result.content.every((block) => block.type === 'text') ? textOf(result) : inputParts(result.content, target);
}

/** The text of a result; its status if it has none and did not complete. */
function textOf(result: ToolResultBlock): string {
  const text = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  return text === '' && result.status !== 'completed' ? `(${result.status})` : text;
}

/** A result that is a JSON list is sent as it is; any other text becomes the output of one command. */
function shellOutput(result: ToolResultBlock): JsonValue {
  const parsed = jsonIn(result);
  if (Array.isArray(parsed)) return parsed;
  const timedOut = result.status === 'timedOut';
  const isGood = result.status === 'completed';
  const outcome = timedOut ? { type: 'timeout' } : { type: 'exit', exit_code: isGood ? 0 : 1 };
  const text = textOf(result);
  return [{ stdout: isGood ? text : '', stderr: isGood ? '' : text, outcome }];
}

function screenshotOf(result: ToolResultBlock): JsonObject {
  const image = result.content.find((block) => block.type === 'image');
  const url = image === undefined ? undefined : urlOf(image.source);
  if (url !== undefined) return { type: 'computer_screenshot', image_url: url };
  return image?.source.type === 'file'
    ? { type: 'computer_screenshot', file_id: image.source.fileId }
    : { type: 'computer_screenshot' };
}

function toolsIn(result: ToolResultBlock): readonly JsonValue[] {
  const parsed = jsonIn(result);
  if (Array.isArray(parsed)) return parsed as readonly JsonValue[]; // `isArray` forgets the element type
  const tools = objectOf(parsed)?.['tools'];
  return Array.isArray(tools) ? (tools as readonly JsonValue[]) : []; // as above
}

function jsonIn(result: ToolResultBlock): JsonValue | undefined {
  try {
    return JSON.parse(textOf(result)) as JsonValue; // JSON.parse gives nothing else
  } catch {
    return undefined;
  }
}
