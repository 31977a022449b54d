// A conversation → the messages of a Chat Completions request. Called by encode.ts.

import type { Block, ToolResultBlock } from '../../../conversation/block.ts';
import type { JsonValue } from '../../../conversation/json.ts';
import type { ModelRequest } from '../../../contracts/model.ts';
import { sentCallId } from '../call-ids.ts';
import { objectOf, textAt, type JsonObject } from '../json-fields.ts';
import { audioFormatOf, documentText, fileIdOf, fileNameOf, imageUrlOf, inWords, systemText } from '../media.ts';
import type { Target } from '../target.ts';
import { encodeAnswer } from './encode-answer.ts';

/**
 * The messages, in order. Adjacent user messages become one: the templates of many local models refuse two. Compaction
 * boundaries and messages that become empty are left out.
 */
export function encodeMessages(request: ModelRequest, target: Target): readonly JsonObject[] {
  const messages: JsonObject[] = [];
  const system = systemText(request.system);
  if (system !== '') messages.push({ role: 'system', content: system });
  let user: JsonObject[] = [];
  const flush = (): void => {
    if (user.length > 0) messages.push({ role: 'user', content: contentOf(user) });
    user = [];
  };
  for (const message of request.messages) {
    switch (message.role) {
      case 'user':
        user.push(...userParts(message.content, target));
        break;
      case 'tool':
        flush();
        for (const block of message.content) if (block.type === 'toolResult') messages.push(resultOf(block, target));
        user.push(...userParts(message.content, target));
        break;
      case 'assistant': {
        flush();
        const answer = encodeAnswer(message, target);
        if (answer !== undefined) messages.push(answer);
        break;
      }
    }
  }
  flush();
  return messages;
}

/** Text alone is sent as a string, which every server accepts. */
function contentOf(parts: readonly JsonObject[]): JsonValue {
  const texts = parts.map((part) => textAt(part, 'text'));
  return texts.every((text) => text !== undefined) ? texts.join('\n\n') : parts;
}

function userParts(blocks: readonly Block[], target: Target): readonly JsonObject[] {
  return blocks.map((block) => userPart(block, target)).filter((part) => part !== undefined);
}

function userPart(block: Block, target: Target): JsonObject | undefined {
  switch (block.type) {
    case 'text':
      return block.text === '' ? undefined : text(block.text);
    case 'image': {
      const url = imageUrlOf(block.source, target);
      return url === undefined ? text(inWords(block)) : { type: 'image_url', image_url: { url } };
    }
    case 'document': {
      const { source } = block;
      if (source.type === 'text') return text(documentText(block) ?? '');
      const id = fileIdOf(source, target);
      if (id !== undefined) return { type: 'file', file: { file_id: id } };
      if (source.type !== 'base64') return text(inWords(block));
      const filename = fileNameOf(block.title, source.mediaType);
      return { type: 'file', file: { filename, file_data: `data:${source.mediaType};base64,${source.data}` } };
    }
    case 'audio': {
      const { source } = block;
      const format = source.type === 'base64' ? audioFormatOf(source.mediaType) : undefined;
      if (source.type !== 'base64' || format === undefined) return text(inWords(block));
      return { type: 'input_audio', input_audio: { data: source.data, format } };
    }
    case 'provider':
      return block.provider === target.provider ? objectOf(block.data) : undefined;
    default:
      return undefined;
  }
}

/** The API accepts only text in results: media become a text. */
function resultOf(result: ToolResultBlock, target: Target): JsonObject {
  const said = result.content.map((block) => {
    if (block.type === 'text') return block.text;
    return (block.type === 'document' ? documentText(block) : undefined) ?? inWords(block);
  });
  const content = said.join('\n');
  return {
    role: 'tool',
    tool_call_id: sentCallId(result.callId, target.callIds),
    content: content === '' && result.status !== 'completed' ? `(${result.status})` : content,
  };
}

function text(value: string): JsonObject {
  return { type: 'text', text: value };
}
