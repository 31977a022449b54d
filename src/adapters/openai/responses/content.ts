// Blocks → content parts of the Responses API. Called for user messages and tool results.

import type { AudioBlock, Block, DocumentBlock, ImageBlock } from '../../../conversation/block.ts';
import { optional, type JsonObject } from '../json-fields.ts';
import { audioFormatOf, documentText, fileIdOf, fileNameOf, imageUrlOf, inWords, urlOf } from '../media.ts';
import type { Target } from '../target.ts';

/** The parts. Empty texts, and blocks that inputs cannot contain, are left out. */
export function inputParts(blocks: readonly Block[], target: Target): readonly JsonObject[] {
  return blocks.map((block) => inputPart(block, target)).filter((part) => part !== undefined);
}

function inputPart(block: Block, target: Target): JsonObject | undefined {
  switch (block.type) {
    case 'text':
      return block.text === '' ? undefined : text(block.text);
    case 'image':
      return imagePart(block, target);
    case 'document':
      return documentPart(block, target);
    case 'audio':
      return audioPart(block);
    default:
      return undefined;
  }
}

function imagePart(block: ImageBlock, target: Target): JsonObject {
  const url = imageUrlOf(block.source, target);
  const id = fileIdOf(block.source, target);
  if (url === undefined && id === undefined) return text(inWords(block));
  return { type: 'input_image', detail: 'auto', ...optional('image_url', url), ...optional('file_id', id) };
}

function documentPart(block: DocumentBlock, target: Target): JsonObject {
  const { source } = block;
  const plain = documentText(block);
  if (source.type === 'text') return text(plain ?? '');
  if (source.type === 'url') return { type: 'input_file', file_url: source.url };
  const id = fileIdOf(source, target);
  if (id !== undefined) return { type: 'input_file', file_id: id };
  const data = urlOf(source);
  if (data === undefined || source.type !== 'base64') return text(inWords(block));
  return { type: 'input_file', filename: fileNameOf(block.title, source.mediaType), file_data: data };
}

function audioPart(block: AudioBlock): JsonObject {
  const { source } = block;
  const format = source.type === 'base64' ? audioFormatOf(source.mediaType) : undefined;
  if (source.type !== 'base64' || format === undefined) return text(inWords(block));
  return { type: 'input_audio', input_audio: { data: source.data, format } };
}

function text(value: string): JsonObject {
  return { type: 'input_text', text: value };
}
