// Splits a stream of bytes at a mark that may arrive in pieces. Used to know when a shell's own output is complete.

/** Feed it chunks. */
export interface MarkedStream {
  /** Calls `onBytes` for what stands before the mark. */
  readonly push: (chunk: Buffer) => void;
  /** Passes on what was held back because it might have begun a mark. */
  readonly end: () => void;
  readonly isMarked: () => boolean;
  /** The first bytes after the mark. */
  readonly behind: () => Buffer;
}

const maxBehind = 16_384;

/** Bytes go to `onBytes` as they come; only a possible beginning of the mark waits for the next chunk. */
export function createMarkedStream(mark: string, onBytes: (bytes: Buffer) => void): MarkedStream {
  const sought = Buffer.from(mark);
  let held = Buffer.alloc(0);
  let isMarked = false;
  let behind = Buffer.alloc(0);
  const keepBehind = (bytes: Buffer): void => {
    if (behind.length < maxBehind) behind = Buffer.concat([behind, bytes]).subarray(0, maxBehind);
  };
  return {
    push: (chunk) => {
      if (isMarked) return keepBehind(chunk);
      const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const at = bytes.indexOf(sought);
      if (at >= 0) {
        isMarked = true;
        held = Buffer.alloc(0);
        if (at > 0) onBytes(bytes.subarray(0, at));
        return keepBehind(bytes.subarray(at + sought.length));
      }
      const free = bytes.length - beginningAtEnd(bytes, sought);
      held = Buffer.from(bytes.subarray(free));
      if (free > 0) onBytes(bytes.subarray(0, free));
    },
    end: () => {
      if (held.length > 0) onBytes(held);
      held = Buffer.alloc(0);
    },
    isMarked: () => isMarked,
    behind: () => behind,
  };
}

// How many of the last bytes are a beginning of the mark.
function beginningAtEnd(bytes: Buffer, mark: Buffer): number {
  const first = mark[0] ?? 0;
  const from = Math.max(0, bytes.length - mark.length + 1);
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (bytes.subarray(at).equals(mark.subarray(0, bytes.length - at))) return bytes.length - at;
  }
  return 0;
}
