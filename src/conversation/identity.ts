// Default ids: 120 random bits in base 32 behind a short prefix. Used by the constructors and the default Host.

/** What ids are made for. */
export type IdKind = 'message' | 'turn' | 'task' | 'call' | 'session';

// One call for random bytes serves 128 ids: a call costs more than the bytes.
const pool = new Uint32Array(512);
let next = pool.length;

/** A fresh id such as `msg_0k2j…`: its prefix and 24 characters of [0-9a-v], 120 random bits. Works on http pages and in workers. */
export function createId(kind: IdKind): string {
  if (next >= pool.length) {
    globalThis.crypto.getRandomValues(pool);
    next = 0;
  }
  const prefix = kind === 'message' ? 'msg' : kind;
  const parts = [prefix, '_', sixOf(pool[next++]), sixOf(pool[next++]), sixOf(pool[next++]), sixOf(pool[next++])];
  return parts.join(''); // one flat string: pieces put together by `+` would be kept as a tree six times its size
}

// Six characters for the upper 30 of 32 bits.
function sixOf(bits = 0): string {
  return (bits >>> 2).toString(32).padStart(6, '0');
}
