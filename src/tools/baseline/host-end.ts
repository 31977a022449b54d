// Work to do when the host program ends: processes to end, files to remove. One listener however many callers.

const works: (() => void)[] = [];

/** Calls `work` once, synchronously, when the process exits. A throw is swallowed: the others must run too. */
export function whenHostEnds(work: () => void): void {
  if (works.length === 0) process.once('exit', runAll);
  works.push(work);
}

function runAll(): void {
  for (const work of works) {
    try {
      work();
    } catch {
      // the program is ending: nobody could be told
    }
  }
}
