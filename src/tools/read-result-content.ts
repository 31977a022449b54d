// Turns blocks of unknown origin into valid result content: known fields only, well-formed texts, nothing silently
// dropped. Called by tool-result and result-content.

import type { DocumentBlock, ResultContent, TextBlock } from '../conversation/block.ts';
import type { JsonValue } from '../conversation/json.ts';
import { isTooDeep } from '../conversation/json-copy.ts';
import { shortText } from './bounded-text.ts';
import { jsonText } from './json-text.ts';

// Longer base64 data of a media block is replaced by a note: no provider accepts it.
const maxMediaCharacters = 64 * 1_048_576;

type Fields = Readonly<Record<string, unknown>>;

/** The valid blocks, in order; an invalid one becomes a text that describes it. Never throws. */
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
    const block = fieldsOf(value);
    const { type, text, title } = block;
    if (type === 'text') return typeof text === 'string' ? readText(block, text) : described(value, 'text is missing');
    if (type !== 'image' && type !== 'document') return described(value, 'not a text, image or document block');
    const source = readSource(block['source']);
    if (typeof source === 'string') return described(value, source);
    if (type === 'document') {
      return { type, source, ...(typeof title === 'string' ? { title: title.toWellFormed() } : {}) };
    }
    return source.type === 'text' ? described(value, sourceRule) : { type, source };
  } catch {
    return { type: 'text', text: '(unreadable block)' };
  }
}

function readText({ refusal, citations, provider, data }: Fields, text: string): TextBlock {
  return {
    type: 'text',
    text: text.toWellFormed(),
    ...(refusal === true ? { refusal } : {}),
    ...(Array.isArray(citations) ? { citations: citations.map(plainJson) } : {}), // a list stays a list
    ...(typeof provider === 'string' ? { provider } : {}),
    ...(data === undefined ? {} : { data: plainJson(data) }),
  };
}

const sourceRule = 'source must be base64 (mediaType, data), url (url) or file (provider, fileId)';

// The source, or what is wrong with it.
function readSource(value: unknown): DocumentBlock['source'] | string {
  const { type, mediaType, data, url, provider, fileId, text } = fieldsOf(value);
  if (type === 'text' && typeof text === 'string') return { type, text: text.toWellFormed() };
  if (type === 'base64' && typeof mediaType === 'string' && typeof data === 'string') {
    if (data.length > maxMediaCharacters) return `source.data has ${data.length} characters, too many to send`;
    return { type, mediaType, data };
  }
  if (type === 'url' && typeof url === 'string') {
    return { type, url, ...(typeof mediaType === 'string' ? { mediaType } : {}) };
  }
  if (type === 'file' && typeof provider === 'string' && typeof fileId === 'string') return { type, provider, fileId };
  return sourceRule;
}

// A parse boundary: every field is checked before use.
function fieldsOf(value: unknown): Fields {
  return (typeof value === 'object' && value !== null ? value : {}) as Fields;
}

function described(value: unknown, fault: string): TextBlock {
  return { type: 'text', text: `(invalid content block: ${fault}; got ${shortText(jsonText(value), 500)})` };
}

// What is nested too deeply for a transcript stays text.
function plainJson(value: unknown): JsonValue {
  const json = jsonText(value);
  const plain = JSON.parse(json) as JsonValue; // JSON.parse returns nothing else
  return isTooDeep(plain) ? json : plain;
}
