// Limits how many work at once; the others wait in order. Used for the subagents of one conversation.

/** A bounded number of places. */
export class Places {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves with a function to leave, when a place is free, or when the signal aborts and no place was taken. */
  take(signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve) => {
      const enter = (): void => {
        this.#waiting.delete(enter);
        signal.removeEventListener('abort', giveUp);
        this.#free--;
        resolve(() => this.#leave());
      };
      const giveUp = (): void => {
        this.#waiting.delete(enter);
        resolve(() => undefined);
      };
      if (signal.aborted) return giveUp();
      if (this.#free >= 1) return enter();
      this.#waiting.add(enter);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  #leave(): void {
    this.#free++;
    for (const enter of this.#waiting) return enter();
  }
}
