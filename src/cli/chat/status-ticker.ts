// A status line that is redrawn while long work goes on. Owned by the chat.

const redrawMs = 100;

/** At most one line at a time. */
export class StatusTicker {
  readonly #show: (line: string | undefined) => void;
  #timer: NodeJS.Timeout | undefined;

  /** `show` draws the line; undefined takes it away. */
  constructor(show: (line: string | undefined) => void) {
    this.#show = show;
  }

  /** Shows what `line` returns, now and ten times a second, in place of any other line. */
  start(line: () => string): void {
    clearInterval(this.#timer);
    this.#show(line());
    this.#timer = setInterval(() => this.#show(line()), redrawMs);
  }

  /** Takes the line away. */
  stop(): void {
    clearInterval(this.#timer);
    this.#show(undefined);
  }

  /** Redraws no more; the line stays. */
  freeze(): void {
    clearInterval(this.#timer);
  }
}
