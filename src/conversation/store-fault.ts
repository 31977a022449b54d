// Whether the conversation codec can store a block or message. Called where foreign ones enter a transcript.

import type { Block } from './block.ts';
import { copyJson } from './json-copy.ts';
import { messageFault, quote } from './pairing.ts';
import { isResultStatus } from './result-status.ts';

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isGiven: Check = (value) => value !== undefined;
const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const isList: Check = (value) => Array.isArray(value);
const isBlockOf =
  (...types: readonly string[]): Check =>
  (value) =>
    blockFault(value) === undefined && types.includes((value as Block).type);

// What each type must have. Other fields and free JSON are not checked here.
const checks: { readonly [Type in Block['type']]: Readonly<Record<string, Check>> } = {
  text: { text: isText, refusal: maybe((value) => value === true), citations: maybe(isList), provider: maybe(isText) },
  thinking: { text: isText, provider: maybe(isText), signature: maybe(isText), encrypted: maybe(isText) },
  image: { source: isSource },
  document: { source: (value) => isSource(value) || isTextSource(value), title: maybe(isText) },
  audio: { source: isSource, transcript: maybe(isText) },
  toolCall: { id: isText, name: isText, rawArgs: maybe(isText), provider: maybe(isText) },
  toolResult: {
    callId: isText,
    status: isResultStatus,
    content: (value) => Array.isArray(value) && value.every(isBlockOf('text', 'image', 'document')),
  },
  boundary: { summary: isText, keepFrom: isText },
  provider: { provider: isText, kind: isText, data: isGiven },
};

/**
 * Levels around the data of a text in a result: the text, the result's list, the result, the message's list, the
 * message.
 */
export const levelsAroundData = 5;

/**
 * What is wrong with the fields of a block, or undefined. Does not check that it is JSON. Never throws on plain data.
 */
export function blockFault(block: unknown): string | undefined {
  if (typeof block !== 'object' || block === null) return `it is ${block === null ? 'null' : `a ${typeof block}`}`;
  const fields = block as Fields; // every field is checked before use
  const { type } = fields;
  const known = isText(type) && Object.hasOwn(checks, type as string) ? checks[type as Block['type']] : undefined;
  if (known === undefined) return `its type is unknown: ${isText(type) ? quote(type as string) : kindOf(type)}`;
  for (const [field, check] of Object.entries(known)) {
    if (!check(fields[field])) return `"${field}" of a block of type "${String(type)}" ${cannotBe(fields[field])}`;
  }
  return undefined;
}

/** What keeps a message from being stored with a conversation, or undefined. Never throws. */
export function storeFault(message: unknown): string | undefined {
  try {
    const fault = messageFault(message);
    if (fault !== undefined) return fault;
    const { content, meta } = copyJson(message, levelsAroundData) as {
      readonly content: readonly unknown[];
      readonly meta?: unknown;
    };
    return metaFault(meta) ?? content.map(blockFault).find(isGiven);
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : 'it cannot be read';
  }
}

/** What is wrong with the meta of a message, or undefined. */
export function metaFault(meta: unknown): string | undefined {
  const isFit = meta === undefined || (typeof meta === 'object' && meta !== null && !Array.isArray(meta));
  return isFit ? undefined : 'its meta is not an object';
}

function isSource(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { type, mediaType, data, url, provider, fileId } = value as Fields;
  if (type === 'base64') return isText(mediaType) && isText(data);
  if (type === 'url') return isText(url) && maybe(isText)(mediaType);
  return type === 'file' && isText(provider) && isText(fileId);
}

function isTextSource(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { type, text } = value as Fields;
  return type === 'text' && isText(text);
}

function cannotBe(value: unknown): string {
  return value === undefined ? 'is missing' : `cannot be ${kindOf(value)}`;
}

function kindOf(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'this list' : 'this object';
  return typeof value === 'string' ? quote(value) : String(value);
}
