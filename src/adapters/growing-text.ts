// Text that arrives in many small pieces. Used by the decoders for the text of a block so far.

// Appending to a string instead keeps a node alive for every piece, which the garbage collector copies again and again:
// that was a tenth of the cost of an event (bench/adapters.ts).
const piecesJoinedAtOnce = 512;

/** Collects pieces; joins them a batch at a time. */
export class GrowingText {
  #joined = '';
  readonly #pieces: string[] = [];
  #waiting = 0;

  /** Appends a piece. */
  add(piece: string): void {
    if (piece === '') return;
    this.#pieces[this.#waiting++] = piece;
    if (this.#waiting === piecesJoinedAtOnce) this.#join();
  }

  get isEmpty(): boolean {
    return this.#joined === '' && this.#waiting === 0;
  }

  /** Everything added so far. */
  get whole(): string {
    if (this.#waiting > 0) this.#join();
    return this.#joined;
  }

  #join(): void {
    this.#pieces.length = this.#waiting;
    this.#joined += this.#pieces.join('');
    this.#waiting = 0;
  }
}
