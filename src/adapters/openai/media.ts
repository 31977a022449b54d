// Converts pictures, documents and sound to OpenAI's fields, or to a text where an API has no field. Called by both
// encoders.

import type { AudioBlock, Block, DocumentBlock, ImageBlock, MediaSource } from '../../conversation/block.ts';
import type { Target } from './target.ts';

type Sourced = ImageBlock | DocumentBlock | AudioBlock;

/** The URL of media: its own, or a data URL. Undefined for uploaded files. */
export function urlOf(source: MediaSource): string | undefined {
  if (source.type === 'url') return source.url;
  return source.type === 'base64' ? `data:${spelled(source.mediaType)};base64,${source.data}` : undefined;
}

const imageTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** The URL of a picture. Undefined for uploaded files, and for types that make OpenAI refuse the whole request. */
export function imageUrlOf(source: MediaSource, target: Target): string | undefined {
  const isRefused = target.isOpenAI && source.type === 'base64' && !imageTypes.includes(spelled(source.mediaType));
  return isRefused ? undefined : urlOf(source);
}

function spelled(mediaType: string): string {
  const name = mediaType.trim().toLowerCase();
  return name === 'image/jpg' ? 'image/jpeg' : name;
}

/** The id of a file uploaded to this server; `openai` stands for both APIs of OpenAI itself. */
export function fileIdOf(source: MediaSource, target: Target): string | undefined {
  if (source.type !== 'file') return undefined;
  const isOurs = source.provider === target.provider || (target.isOpenAI && source.provider === 'openai');
  return isOurs ? source.fileId : undefined;
}

const extensions: ReadonlyMap<string, string> = new Map([
  ['application/pdf', 'pdf'],
  ['text/plain', 'txt'],
  ['text/markdown', 'md'],
  ['text/html', 'html'],
  ['text/csv', 'csv'],
  ['application/json', 'json'],
]);

/** A document's name, with the extension from which the server learns its type. */
export function fileNameOf(title: string | undefined, mediaType: string): string {
  const name = title ?? 'document';
  const extension = extensions.get(mediaType.split(';')[0] ?? '');
  return extension === undefined || /\.\w{1,5}$/.test(name) ? name : `${name}.${extension}`;
}

/** `mp3` or `wav`, the two formats that the APIs accept. */
export function audioFormatOf(mediaType: string): 'mp3' | 'wav' | undefined {
  if (/^audio\/(mpeg|mp3)\b/.test(mediaType)) return 'mp3';
  return /^audio\/(x-|vnd\.)?wave?\b/.test(mediaType) ? 'wav' : undefined;
}

/** A text in place of media that the API has no field for. */
export function inWords(block: Sourced): string {
  if (block.type === 'audio' && block.transcript !== undefined) return block.transcript;
  const title = block.type === 'document' && block.title !== undefined ? ` "${block.title}"` : '';
  const { source } = block;
  if (source.type === 'url') return `[${block.type}${title}: ${source.url}]`;
  const kind = source.type === 'base64' ? ` of type ${source.mediaType}` : '';
  return `[${block.type}${title}${kind}, which cannot be shown here]`;
}

/** The title and text of a plain text document. */
export function documentText(block: DocumentBlock): string | undefined {
  if (block.source.type !== 'text') return undefined;
  return block.title === undefined ? block.source.text : `${block.title}\n\n${block.source.text}`;
}

/** The text of system blocks, one paragraph per block; other kinds of blocks are left out. */
export function systemText(blocks: readonly Block[]): string {
  return blocks.flatMap((block) => (block.type === 'text' && block.text !== '' ? [block.text] : [])).join('\n\n');
}
