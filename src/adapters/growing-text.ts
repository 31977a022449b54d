// Text that arrives in very many small pieces. Used by the decoders for what a block has said so far.

// Joined this often: adding to a string instead keeps a node alive for every piece, which the collector copies again and
// again; that was a tenth of what an event costs (bench/adapters.ts).
const piecesJoinedAtOnce = 512;

/** Collects pieces; joins them a batch at a time. */
export class GrowingText {
  #joined = '';
  readonly #pieces: string[] = [];
  #waiting = 0;

  /** Adds a piece behind the others. */
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
