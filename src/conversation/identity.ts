// Default ids: 120 random bits in base 32 behind a short prefix. Used by the constructors and the default Host.

/** What ids are made for. */
export type IdKind = 'message' | 'turn' | 'task' | 'call' | 'session';

const prefixes: Readonly<Record<IdKind, string>> = {
  message: 'msg_',
  turn: 'turn_',
  task: 'task_',
  call: 'call_',
  session: 'session_',
};

const alphabet = '0123456789abcdefghijklmnopqrstuv';

// One call for random bytes serves 128 ids: a call costs more than the bytes.
const pool = new Uint32Array(512);
let next = pool.length;

/** A fresh id such as `msg_0k2j…`: its prefix and 24 characters of [0-9a-v], 120 random bits. Works on http pages and in workers. */
export function createId(kind: IdKind): string {
  if (next >= pool.length) {
    globalThis.crypto.getRandomValues(pool);
    next = 0;
  }
  return prefixes[kind] + sixOf(pool[next++]) + sixOf(pool[next++]) + sixOf(pool[next++]) + sixOf(pool[next++]);
}

function sixOf(bits = 0): string {
  return pick(bits) + pick(bits >>> 5) + pick(bits >>> 10) + pick(bits >>> 15) + pick(bits >>> 20) + pick(bits >>> 25);
}

function pick(bits: number): string {
  return alphabet.charAt(bits & 31);
}
