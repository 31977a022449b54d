// What is known about unfinished answers, because later events omit it: the former generation names neither the answer
// of a delta nor the tool of finished arguments. Written and read by the decoder of one link.

/** One answer between its beginning and its end. */
export interface OpenResponse {
  /** Our `response.create` that it answers; undefined if the server started it. */
  requestId: string | undefined;
  /** Names of tools by item. */
  readonly callNames: Map<string, string>;
  readonly toldCalls: Set<string>;
}

// Servers that never send `response.done` must not fill the memory.
const maxOpenResponses = 64;

/** The open answers, oldest first. */
export class OpenResponses {
  readonly #responses = new Map<string, OpenResponse>();
  readonly #responseOfItem = new Map<string, string>();

  get(responseId: string): OpenResponse | undefined {
    return this.#responses.get(responseId);
  }

  /** The answer with that id, created if unknown. */
  open(responseId: string): OpenResponse {
    const known = this.#responses.get(responseId);
    if (known !== undefined) return known;
    const [oldest] = this.#responses.keys();
    if (this.#responses.size >= maxOpenResponses && oldest !== undefined) this.forget(oldest);
    const opened: OpenResponse = { requestId: undefined, callNames: new Map(), toldCalls: new Set() };
    this.#responses.set(responseId, opened);
    return opened;
  }

  /** The item belongs to that answer. */
  place(itemId: string, responseId: string): void {
    this.#responseOfItem.set(itemId, responseId);
  }

  /** The answer the item belongs to, if known. */
  of(itemId: string | undefined): string | undefined {
    return itemId === undefined ? undefined : this.#responseOfItem.get(itemId);
  }

  forget(responseId: string): void {
    this.#responses.delete(responseId);
    for (const [itemId, owner] of this.#responseOfItem) if (owner === responseId) this.#responseOfItem.delete(itemId);
  }
}
