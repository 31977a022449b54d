// Turns a source of batches into an async iterable of their items, at the cost of one settled promise per item.
// Used by the SSE reader and by both provider models.

/** Where batches come from. `next` is never called again before its promise settled, nor after undefined or a throw. */
export interface BatchSource<Item> {
  /** The next items, in order; undefined at the end. A batch may be empty. */
  next(): Promise<readonly Item[] | undefined>;
  /** Called once when the reader is done: at the end, after a throw, or when it leaves early. Never throws. */
  close(): void;
}

/** The items of all batches, one by one. Single use. Calls of `next()` that overlap are answered in order. */
export function iterateBatches<Item>(source: BatchSource<Item>): AsyncIterableIterator<Item> {
  let batch: readonly Item[] = [];
  let position = 0;
  let closed = false;
  let pending: Promise<unknown> | undefined;

  const finish = (): void => {
    if (closed) return;
    closed = true;
    batch = [];
    position = 0;
    source.close();
  };

  const pull = async (): Promise<IteratorResult<Item>> => {
    try {
      while (!closed) {
        const following = await source.next();
        if (closed) break;
        if (following === undefined) {
          finish();
          break;
        }
        if (following.length === 0) continue;
        batch = following;
        position = 1;
        return { value: following[0] as Item, done: false }; // length was checked
      }
      return { value: undefined, done: true };
    } catch (error) {
      finish();
      throw error;
    } finally {
      pending = undefined;
    }
  };

  const next = (): Promise<IteratorResult<Item>> => {
    if (pending !== undefined) return pending.then(next, next);
    // position < length: an item, also where Item includes undefined
    if (position < batch.length) return Promise.resolve({ value: batch[position++] as Item, done: false });
    if (closed) return Promise.resolve({ value: undefined, done: true });
    const result = pull();
    pending = result;
    return result;
  };

  return {
    next,
    return: () => {
      finish();
      return Promise.resolve({ value: undefined, done: true });
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
