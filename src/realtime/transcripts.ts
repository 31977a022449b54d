// What was said so far, by item: transcripts arrive in pieces, out of order, and are sometimes corrected at the end.
// Called by the session for each piece.

/**
 * The part of a complete text that was not emitted yet; empty if the pieces differ from the complete text, which then
 * replaces them.
 */
export interface TextEnd {
  readonly rest: string;
  readonly whole: string;
}

const mostKept = 64;

/** The texts of the latest items. */
export class Transcripts {
  readonly #texts = new Map<string, string>();
  readonly #previous = new Map<string, string>();

  add(itemId: string, contentIndex: number, text: string): void {
    const key = keyOf(itemId, contentIndex);
    keep(this.#texts, key, (this.#texts.get(key) ?? '') + text);
  }

  /** The text is whole. */
  finish(itemId: string, contentIndex: number, whole: string): TextEnd {
    const key = keyOf(itemId, contentIndex);
    const told = this.#texts.get(key) ?? '';
    keep(this.#texts, key, whole);
    return { rest: whole.startsWith(told) ? whole.slice(told.length) : '', whole };
  }

  /**
   * The part of an item's text that was heard if `playedMs` of `receivedMs` were played; undefined if it has no text.
   */
  heard(itemId: string, contentIndex: number, playedMs: number, receivedMs: number): string | undefined {
    const text = this.#texts.get(keyOf(itemId, contentIndex));
    if (text === undefined) return undefined;
    const share = receivedMs > 0 ? Math.min(1, playedMs / receivedMs) : 0;
    return text.slice(0, Math.floor(text.length * share)).toWellFormed();
  }

  /** Notes the item's predecessor. */
  place(itemId: string, previousItemId: string | undefined): void {
    if (previousItemId !== undefined) keep(this.#previous, itemId, previousItemId);
  }

  previousOf(itemId: string): string | undefined {
    return this.#previous.get(itemId);
  }
}

// Only the latest are kept: a session may be long, and transcripts are emitted once.
function keep(map: Map<string, string>, key: string, value: string): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= mostKept) return;
  const oldest = map.keys().next();
  if (oldest.done !== true) map.delete(oldest.value);
}

function keyOf(itemId: string, contentIndex: number): string {
  return `${itemId}/${contentIndex}`;
}
