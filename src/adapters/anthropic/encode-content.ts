// Our blocks → Anthropic's content blocks, for each place they may appear in. Called by the message encoder.

import type {
  AudioBlock,
  Block,
  DocumentBlock,
  ImageBlock,
  MediaSource,
  ThinkingBlock,
  TextBlock,
  ToolResultBlock,
} from '../../conversation/block.ts';
import type { JsonValue } from '../../conversation/json.ts';
import { recordOf } from '../json-reading.ts';
import { providerName } from './blocks.ts';

/** A content block in Anthropic's format. */
export type ContentParam = { readonly [key: string]: JsonValue };

const imageTypes: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/** A text; undefined if it is blank, which the API refuses. */
export function textParam(text: string): ContentParam | undefined {
  return text.trim() === '' ? undefined : { type: 'text', text };
}

/** An assistant's text, exactly as sent if it came from Anthropic. */
export function saidParam(block: TextBlock): ContentParam | undefined {
  const text = textParam(block.text);
  if (text === undefined || block.provider !== providerName) return text;
  return {
    ...text,
    ...(block.citations === undefined ? {} : { citations: block.citations }),
    ...recordAsParam(block.data),
  };
}

/** Thinking as Anthropic sent it; undefined for other providers' and for thinking without a signature. */
export function thinkingParam(block: ThinkingBlock): ContentParam | undefined {
  if (block.provider !== providerName) return undefined;
  const rest = recordAsParam(block.data);
  if (block.signature !== undefined) {
    return { type: 'thinking', thinking: block.text, signature: block.signature, ...rest };
  }
  return block.encrypted === undefined ? undefined : { type: 'redacted_thinking', data: block.encrypted, ...rest };
}

/** A provider block as Anthropic sent it; undefined for other providers'. */
export function providerParam(block: Extract<Block, { type: 'provider' }>): ContentParam | undefined {
  return block.provider === providerName ? recordAsParam(block.data) : undefined;
}

/** An image, or a text that names what cannot be shown. */
export function imageParam(block: ImageBlock): ContentParam {
  const source = inlined(block.source);
  if (source.type === 'base64' && !imageTypes.has(source.mediaType)) return described('image', source);
  const encoded = sourceParam(source);
  return encoded === undefined ? described('image', source) : { type: 'image', source: encoded };
}

/** A document, or a text that names what cannot be shown. */
export function documentParam(block: DocumentBlock): ContentParam {
  const source = documentSource(inlined(block.source));
  const title = block.title === undefined || block.title === '' ? {} : { title: block.title };
  if (source !== undefined) return { type: 'document', source, ...title };
  return described(block.title || 'document', block.source.type === 'text' ? undefined : block.source);
}

/** Anthropic does not take audio: the transcript, or a text that names what cannot be played. */
export function audioParam(block: AudioBlock): ContentParam {
  return textParam(block.transcript ?? '') ?? described('audio', block.source);
}

/** A text in place of an image or a document, which assistant messages cannot hold. */
export function describedMedia(block: ImageBlock | DocumentBlock): ContentParam {
  if (block.type === 'document' && block.source.type === 'text')
    return textParam(block.source.text) ?? described('document');
  return described(block.type === 'document' ? (block.title ?? 'document') : 'image', block.source as MediaSource); // text was handled
}

/** A tool result, under the id that its call was sent with. */
export function resultParam(block: ToolResultBlock, callId: string): ContentParam {
  const content: ContentParam[] = [];
  for (const piece of block.content) {
    const encoded =
      piece.type === 'text' ? textParam(piece.text) : piece.type === 'image' ? imageParam(piece) : documentParam(piece);
    if (encoded !== undefined) content.push(encoded);
  }
  const isError = block.status !== 'completed';
  // The API refuses an error without content.
  if (isError && content.length === 0) content.push({ type: 'text', text: `(${block.status})` });
  return {
    type: 'tool_result',
    tool_use_id: callId,
    ...(content.length === 0 ? {} : { content }),
    ...(isError ? { is_error: true } : {}),
  };
}

function documentSource(source: DocumentBlock['source']): ContentParam | undefined {
  if (source.type === 'text') return plainText(source.text);
  if (source.type !== 'base64') return sourceParam(source);
  if (source.mediaType === 'application/pdf') return sourceParam(source);
  const isText = /^text\/|^application\/(?:json|xml)\b/.test(source.mediaType);
  const text = isText ? decodedBase64(source.data) : undefined;
  return text === undefined ? undefined : plainText(text);
}

function plainText(text: string): ContentParam | undefined {
  return text.trim() === '' ? undefined : { type: 'text', media_type: 'text/plain', data: text };
}

function sourceParam(source: MediaSource): ContentParam | undefined {
  switch (source.type) {
    case 'base64':
      return { type: 'base64', media_type: source.mediaType, data: source.data };
    case 'url':
      return { type: 'url', url: source.url };
    case 'file':
      return source.provider === providerName ? { type: 'file', file_id: source.fileId } : undefined;
  }
}

function described(what: string, source?: MediaSource): ContentParam {
  const where =
    source === undefined
      ? ''
      : source.type === 'base64'
        ? ` (${source.mediaType})`
        : source.type === 'url'
          ? ` (${source.url})`
          : ` (a file of ${source.provider})`;
  return { type: 'text', text: `[${what}${where}: cannot be shown here]` };
}

/** The source with the API's spelling of its media type; a data URL, which the API does not fetch, as its base64 text. */
function inlined<Source extends MediaSource | DocumentBlock['source']>(source: Source): Source | MediaSource {
  const [, type, data] = source.type === 'url' ? (/^data:([^;,]+);base64,(.*)$/s.exec(source.url) ?? []) : [];
  if (type !== undefined && data !== undefined) return { type: 'base64', mediaType: spelled(type), data };
  return source.type === 'base64' ? { ...source, mediaType: spelled(source.mediaType) } : source;
}

function spelled(mediaType: string): string {
  const name = mediaType.trim().toLowerCase();
  return name === 'image/jpg' ? 'image/jpeg' : name;
}

/** The text behind base64 of either alphabet; undefined if it is not base64. */
function decodedBase64(data: string): string | undefined {
  try {
    const binary = atob(data.replaceAll('-', '+').replaceAll('_', '/'));
    return new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

/** Provider data is an object of parsed JSON; anything else is ignored. */
export function recordAsParam(data: JsonValue | undefined): ContentParam | undefined {
  return recordOf(data) as ContentParam | undefined; // parsed JSON: no field is undefined
}
