// Follows growing JSON text by its brackets alone: parsing it again with every piece would take quadratic time. Used by the call slots.

const quote = 0x22;
const backslash = 0x5c;
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** Tells when a growing list or object ends. */
export class JsonExtent {
  #depth = 0;
  #hasBegun = false;
  #isInString = false;
  #isEscaped = false;

  /** True once every bracket is closed: only then can the text be whole. */
  get isClosed(): boolean {
    return this.#hasBegun && this.#depth <= 0 && !this.#isInString;
  }

  /** Appends a piece. */
  add(piece: string): void {
    for (let at = 0; at < piece.length; at++) {
      const character = piece.charCodeAt(at);
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#isInString) {
        if (character === backslash) this.#isEscaped = true;
        else if (character === quote) this.#isInString = false;
      } else if (character === quote) this.#isInString = true;
      else if (opening.has(character)) {
        this.#depth++;
        this.#hasBegun = true;
      } else if (closing.has(character)) this.#depth--;
    }
  }
}
