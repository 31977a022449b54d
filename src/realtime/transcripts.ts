// What was said so far, by item: speech is written down in pieces, out of order, and sometimes corrected at the end.
// Called by the session for each piece.

/** What of a whole text was not told yet; empty where the pieces told another text, which the whole then replaces. */
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

  /** The part of an item's text that was heard when `playedMs` of `receivedMs` were; undefined when it has none. */
  heard(itemId: string, contentIndex: number, playedMs: number, receivedMs: number): string | undefined {
    const text = this.#texts.get(keyOf(itemId, contentIndex));
    if (text === undefined) return undefined;
    const share = receivedMs > 0 ? Math.min(1, playedMs / receivedMs) : 0;
    return text.slice(0, Math.floor(text.length * share)).toWellFormed();
  }

  /** Notes what an item stands behind. */
  place(itemId: string, previousItemId: string | undefined): void {
    if (previousItemId !== undefined) keep(this.#previous, itemId, previousItemId);
  }

  previousOf(itemId: string): string | undefined {
    return this.#previous.get(itemId);
  }
}

// The latest stay: a session may be long, and its transcripts are told once.
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
