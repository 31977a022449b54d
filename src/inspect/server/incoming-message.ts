// Prepares a message of a program for pages: makes ids unique per program and drops everything but the three kinds.

import type { StoredMessage } from './message-history.ts';

const kinds: ReadonlySet<unknown> = new Set(['@xstate.actor', '@xstate.event', '@xstate.snapshot']);
const idFields = ['sessionId', 'rootId', 'parentId', 'sourceId'] as const;

/**
 * Undefined for anything that is not a message of the protocol. Every program counts its actors from `x:0`, so `source`
 * is put before each id; `id` becomes the place in the server's order.
 */
export function readMessage(
  given: unknown,
  source: string,
  epoch: string,
  sequence: number,
): StoredMessage | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  const message: Record<string, unknown> = { ...given, id: `${epoch}-${sequence}` };
  const { type, sessionId, snapshot } = message;
  if (typeof type !== 'string' || !kinds.has(type) || typeof sessionId !== 'string') return undefined;
  for (const field of idFields) {
    const id = message[field];
    if (typeof id === 'string') message[field] = `${source}.${id}`;
    else delete message[field];
  }
  const status = typeof snapshot === 'object' && snapshot !== null ? Reflect.get(snapshot, 'status') : undefined;
  return {
    sequence,
    sessionId: String(message['sessionId']),
    type,
    text: JSON.stringify(message),
    isEnd: type === '@xstate.snapshot' && status !== undefined && status !== 'active',
  };
}
