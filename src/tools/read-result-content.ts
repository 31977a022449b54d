// Turns blocks of unknown origin into valid result content: known fields only, well-formed texts, nothing dropped silently.
// Called by tool-result and result-content.

import type { MediaSource, ResultContent, TextBlock } from '../conversation/block.ts';
import type { JsonValue } from '../conversation/json.ts';
import { shortText } from './bounded-text.ts';
import { jsonText } from './json-text.ts';

// Base64 data of a media block longer than this is replaced by a note: no provider takes it.
const maxMediaCharacters = 64 * 1_048_576;

type Fields = Readonly<Record<string, unknown>>;

/** The valid blocks as they are, in order; an invalid one becomes a text that describes it. Never throws. */
export function readResultContent(content: unknown): ResultContent[] {
  try {
    if (!Array.isArray(content)) return [described(content, 'content is not a list of blocks')];
    return content.map(readBlock);
  } catch {
    return [{ type: 'text', text: '(unreadable content)' }];
  }
}

function readBlock(value: unknown): ResultContent {
  try {
    // A parse boundary: every field is checked before use.
    const block = (typeof value === 'object' && value !== null ? value : {}) as Fields;
    switch (block['type']) {
      case 'text':
        return typeof block['text'] === 'string' ? readText(block, block['text']) : described(value, 'text is missing');
      case 'image': {
        const source = readSource(block['source']);
        return typeof source === 'string' ? described(value, source) : { type: 'image', source };
      }
      case 'document':
        return readDocument(value, block);
      default:
        return described(value, 'not a text, image or document block');
    }
  } catch {
    return { type: 'text', text: '(unreadable block)' };
  }
}

function readText(block: Fields, text: string): TextBlock {
  const { refusal, citations, provider, data } = block;
  if (refusal === undefined && citations === undefined && provider === undefined && data === undefined) {
    return { type: 'text', text: text.toWellFormed() };
  }
  return {
    type: 'text',
    text: text.toWellFormed(),
    ...(refusal === true ? { refusal } : {}),
    ...(Array.isArray(citations) ? { citations: plainJson(citations) as readonly JsonValue[] } : {}), // a list stays a list
    ...(typeof provider === 'string' ? { provider } : {}),
    ...(data === undefined ? {} : { data: plainJson(data) }),
  };
}

function readDocument(value: unknown, block: Fields): ResultContent {
  const title = typeof block['title'] === 'string' ? { title: block['title'].toWellFormed() } : {};
  const given = block['source'];
  if (typeof given === 'object' && given !== null && Reflect.get(given, 'type') === 'text') {
    const text: unknown = Reflect.get(given, 'text');
    if (typeof text !== 'string') return described(value, 'source.text is missing');
    return { type: 'document', source: { type: 'text', text: text.toWellFormed() }, ...title };
  }
  const source = readSource(given);
  return typeof source === 'string' ? described(value, source) : { type: 'document', source, ...title };
}

// The source, or what is wrong with it.
function readSource(value: unknown): MediaSource | string {
  if (typeof value !== 'object' || value === null) return 'source is missing';
  const { type, mediaType, data, url, provider, fileId } = value as Fields; // a parse boundary: checked below
  switch (type) {
    case 'base64':
      if (typeof mediaType !== 'string' || typeof data !== 'string') return 'source needs mediaType and data';
      if (data.length > maxMediaCharacters) return `source.data has ${data.length} characters, too many to send`;
      return { type, mediaType, data };
    case 'url':
      if (typeof url !== 'string') return 'source.url is missing';
      return { type, url, ...(typeof mediaType === 'string' ? { mediaType } : {}) };
    case 'file':
      if (typeof provider !== 'string' || typeof fileId !== 'string') return 'source needs provider and fileId';
      return { type, provider, fileId };
    default:
      return 'source.type is not base64, url or file';
  }
}

function described(value: unknown, fault: string): TextBlock {
  return { type: 'text', text: `(invalid content block: ${fault}; got ${shortText(jsonText(value), 500)})` };
}

function plainJson(value: unknown): JsonValue {
  return JSON.parse(jsonText(value)) as JsonValue; // JSON.parse yields nothing else
}
