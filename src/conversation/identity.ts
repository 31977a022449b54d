// Default ids: 128 random bits in base 36 behind a short prefix. Used by the constructors and the default Host.

/** What ids are made for. */
export type IdKind = 'message' | 'turn' | 'task' | 'call' | 'session';

const prefixes: Readonly<Record<IdKind, string>> = {
  message: 'msg_',
  turn: 'turn_',
  task: 'task_',
  call: 'call_',
  session: 'session_',
};

// One call for random bytes serves 64 ids: a call costs more than the bytes.
const pool = new Uint32Array(256);
let next = pool.length;

/** A fresh id such as `msg_0k2j…`: its prefix and 28 characters of [0-9a-z]. Works on http pages and in workers. */
export function createId(kind: IdKind): string {
  if (next >= pool.length) {
    globalThis.crypto.getRandomValues(pool);
    next = 0;
  }
  let id = prefixes[kind];
  for (const end = next + 4; next < end; next++) id += (pool[next] ?? 0).toString(36).padStart(7, '0');
  return id;
}
