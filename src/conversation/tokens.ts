// Estimates how many tokens messages cost, without a tokenizer. Called where messages are measured, and for the system
// prompt and the tools.

import type { Block, MediaSource } from './block.ts';
import type { Message } from './message.ts';
import { oncePer } from './once-per.ts';

/** Tokens that a provider adds for each message, call, result and foreign block. */
const frame = 4;

const bytesPerToken = 4;
/** Encrypted thinking is longer than the text it hides. */
const encryptedBytesPerToken = 6;

/** What media cost by their size in bytes; `unknown` if only the provider knows the size. */
const mediaCosts = {
  image: { bytesPerToken: 64, least: 85, most: 1600, unknown: 1600 },
  document: { bytesPerToken: 25, least: 1500, most: 200_000, unknown: 3000 },
  audio: { bytesPerToken: 4000, least: 10, most: 100_000, unknown: 1000 },
} as const;

/** For each conversation the provider's count divided by our estimate. */
const ratios = new WeakMap<object, number>();

/** Learns from the provider, which counted `counted` tokens where `estimated` were estimated. */
export function calibrate(conversation: object, counted: number, estimated: number): void {
  // In eighths, rounded up: a ratio that changed with every call would move the place where a history is cut.
  if (counted > 0 && estimated > 0) {
    ratios.set(conversation, Math.min(2, Math.max(0.5, Math.ceil((8 * counted) / estimated) / 8)));
  }
}

/** The factor for estimates of this conversation: between 0.5 and 2, and 1 before the first call. */
export function calibrationOf(conversation: object): number {
  return ratios.get(conversation) ?? 1;
}

/** About how many tokens a system prompt or a list of tools costs, counted once per object. */
export const overheadTokens: (part: object) => number = /* @__PURE__ */ oncePer(jsonTokens);

/**
 * About how many tokens a message costs: one per four UTF-8 bytes of text and JSON; media by their size in bytes. The
 * same content always gives the same number, above 0. Never throws; what is unreadable costs only its frame.
 */
export function countTokens(message: Pick<Message, 'content'>): number {
  let tokens = frame;
  try {
    for (const block of message.content) tokens += readableTokens(block);
  } catch {
    // Not a list of blocks: only the frame counts.
  }
  return tokens;
}

function readableTokens(block: Block): number {
  try {
    return blockTokens(block);
  } catch {
    return frame; // a block without the fields of its type
  }
}

function blockTokens(block: Block): number {
  switch (block.type) {
    case 'text':
      return textTokens(block.text) + jsonTokens(block.citations) + jsonTokens(block.data);
    case 'thinking': {
      const hidden = block.encrypted ?? (block.text === '' ? block.signature : undefined);
      return textTokens(block.text) + textTokens(hidden, encryptedBytesPerToken) + jsonTokens(block.data);
    }
    case 'image':
      return sourceTokens(block.source, 'image');
    case 'document':
      return textTokens(block.title) + sourceTokens(block.source, 'document');
    case 'audio':
      return Math.max(textTokens(block.transcript), sourceTokens(block.source, 'audio'));
    case 'toolCall':
      return (
        frame + textTokens(block.name) + textTokens(block.rawArgs) + jsonTokens(block.args) + jsonTokens(block.data)
      );
    case 'toolResult':
      return block.content.reduce((sum, content) => sum + readableTokens(content), frame);
    case 'boundary':
      return textTokens(block.summary);
    case 'provider':
      return frame + jsonTokens(block.data);
    default:
      return frame + jsonTokens(block); // a block unknown to this version
  }
}

function sourceTokens(
  source: MediaSource | { readonly type: 'text'; readonly text: string },
  kind: keyof typeof mediaCosts,
): number {
  if (source.type === 'text') return textTokens(source.text);
  const cost = mediaCosts[kind];
  if (source.type !== 'base64') return cost.unknown;
  const bytes = source.data.length * 0.75;
  if (source.mediaType.startsWith('text/')) return Math.ceil(bytes / bytesPerToken);
  return Math.min(cost.most, Math.max(cost.least, Math.ceil(bytes / cost.bytesPerToken)));
}

function textTokens(text: string | undefined, perToken = bytesPerToken): number {
  return typeof text === 'string' ? Math.ceil(utf8Length(text) / perToken) : 0;
}

const beyondAscii = /[\u0080-\uffff]/;

/** Bytes of a text as UTF-8; a lone surrogate counts as the three bytes of its replacement character. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  if (!beyondAscii.test(text)) return bytes;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) bytes += unit > 0x7ff ? 2 : 1;
    if (unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) index++; // a pair has four
  }
  return bytes;
}

function jsonTokens(value: unknown): number {
  if (value === undefined) return 0;
  try {
    return textTokens(JSON.stringify(value));
  } catch {
    return Math.ceil(walkLength(value) / bytesPerToken);
  }
}

/** About the JSON length of what `JSON.stringify` refuses: too deep, cyclic, BigInt. Each object counts once. */
function walkLength(root: unknown): number {
  let length = 0;
  const seen = new Set<object>();
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) {
      length += 1 + (typeof value === 'string' ? utf8Length(value) + 2 : String(value).length);
    } else if (!seen.has(value)) {
      seen.add(value);
      length += 2;
      for (const [key, child] of Object.entries(value)) {
        length += Array.isArray(value) ? 0 : key.length + 3;
        waiting.push(child);
      }
    }
  }
  return length;
}
