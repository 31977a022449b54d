// Passes pieces of text on at a bounded rate. Used for the progress of commands.

/** Collects text and hands it on. */
export interface PacedWriter {
  readonly push: (text: string) => void;
  /** Stops the timer. True: hands on what is still waiting. */
  readonly end: (flush: boolean) => void;
}

/**
 * Calls `write` at most once in `intervalMs`, with everything since the last time: if that is more than `maxUnits`
 * UTF-16 units, only the end, after a "…".
 */
export function createPacedWriter(write: (text: string) => void, intervalMs: number, maxUnits: number): PacedWriter {
  let waiting = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    timer = undefined;
    if (waiting === '') return;
    const text = waiting.length > maxUnits ? `…${waiting.slice(-maxUnits)}` : waiting;
    waiting = '';
    write(text.toWellFormed());
  };
  return {
    push: (text) => {
      if (text === '') return;
      waiting += text;
      if (waiting.length > 4 * maxUnits) waiting = waiting.slice(-2 * maxUnits);
      timer ??= setTimeout(flush, intervalMs);
    },
    end: (isFlushed) => {
      clearTimeout(timer);
      if (isFlushed) flush();
      waiting = '';
    },
  };
}
