// The state tools keep for one conversation.

import type { Host } from '../contracts/host.ts';
import type { ToolSession } from '../contracts/tool.ts';

/** A new, empty session. */
export function createSession(host: Host): ToolSession {
  let values: Map<symbol, unknown> | undefined;
  return {
    id: host.createId('session'),
    get<T>(key: symbol, create: () => T): T {
      values ??= new Map();
      if (!values.has(key)) values.set(key, create());
      return values.get(key) as T; // what `create` of the same key made
    },
  };
}
