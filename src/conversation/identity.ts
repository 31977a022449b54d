// Default ids: a short prefix and 120 random bits in base 32. Used by the constructors and the default Host.

/** What ids are made for. */
export type IdKind = 'message' | 'turn' | 'task' | 'call' | 'session';

// One call for random bytes serves 128 ids: a call costs more than the bytes.
const pool = new Uint32Array(512);
let next = pool.length;

/** A fresh id such as `msg_0k2j…`: a prefix and 24 characters of [0-9a-v]. Works on http pages and in workers. */
export function createId(kind: IdKind): string {
  if (next >= pool.length) {
    globalThis.crypto.getRandomValues(pool);
    next = 0;
  }
  const prefix = kind === 'message' ? 'msg' : kind;
  const parts = [prefix, '_', sixOf(pool[next++]), sixOf(pool[next++]), sixOf(pool[next++]), sixOf(pool[next++])];
  return parts.join(''); // one flat string: `+` would keep a tree of pieces, six times as large
}

// Six characters for the upper 30 of 32 bits.
function sixOf(bits = 0): string {
  return (bits >>> 2).toString(32).padStart(6, '0');
}
