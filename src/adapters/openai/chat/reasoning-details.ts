// Joins the streamed pieces of `reasoning_details` (OpenRouter and others) to the list that the server must get back.
// Called by the thinking writer and, for blocks that were split, by the encoder.

import { textAt, type JsonObject } from '../json-fields.ts';

const textFields = ['text', 'summary'] as const;

/** Adds a piece: it continues the last entry of the same kind and index, or begins a new one. */
export function addDetail(entries: JsonObject[], piece: JsonObject): void {
  const last = entries.at(-1);
  if (last === undefined || !continues(last, piece)) {
    entries.push(piece);
    return;
  }
  const joined: Record<string, JsonObject[string]> = { ...last };
  for (const [key, value] of Object.entries(piece)) {
    const isText = textFields.some((field) => field === key);
    if (isText) joined[key] = (textAt(last, key) ?? '') + (typeof value === 'string' ? value : '');
    else if (value !== null && value !== '') joined[key] = value;
  }
  entries[entries.length - 1] = joined;
}

/** The readable text of a piece. */
export function detailText(piece: JsonObject): string {
  return textAt(piece, 'text') ?? textAt(piece, 'summary') ?? '';
}

function continues(last: JsonObject, piece: JsonObject): boolean {
  if (last['type'] !== piece['type'] || last['index'] !== piece['index']) return false;
  if (last['type'] === 'reasoning.encrypted') return false; // ciphertexts are whole
  // A signature closes its text.
  return (textAt(last, 'signature') ?? '') === '' || detailText(piece) === '';
}
