// What a tool is told when a bench calls it without a turn. Used by the benches of files, search and shells.

import type { ToolContext } from '../src/index.ts';

const values = new Map<symbol, unknown>();

/** One conversation, empty. */
export const context: ToolContext = {
  callId: 'call_1',
  idempotencyKey: 'msg_1/call_1',
  signal: new AbortController().signal,
  turnContext: undefined,
  session: {
    id: 'session_1',
    get<T>(key: symbol, create: () => T): T {
      if (!values.has(key)) values.set(key, create());
      return values.get(key) as T; // one key belongs to one creator
    },
  },
  conversation: { system: [], messages: [] },
  progress: () => {},
};
