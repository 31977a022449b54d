// Time, chance and identity. Nothing else reads the clock, so that tests can control it.

import { TurnchartError } from './errors.ts';
import { createId, type IdKind } from '../conversation/identity.ts';

/** Time, chance and identity. Replace any part through `EngineOptions.host`. */
export interface Host {
  /** Milliseconds since the epoch. */
  now(): number;
  setTimeout(fn: () => void, ms: number): unknown;
  clearTimeout(id: unknown): void;
  /** In [0, 1). */
  random(): number;
  /** Must be unique, also across restarts and stored conversations: a counter that restarts at 1 is not enough. */
  createId(kind: IdKind): string;
}

/** The real clock, timers and randomness of the platform. */
export const defaultHost: Host = {
  now: () => Date.now(),
  setTimeout: (fn, ms) => globalThis.setTimeout(fn, ms),
  clearTimeout: (id) => globalThis.clearTimeout(id as number),
  random: () => Math.random(),
  createId,
};

/**
 * The default host with the given parts replaced. Parts are called as methods of the given object. What is no id throws
 * `options.invalid`: nothing could be told apart by it. An error thrown by `clearTimeout` is ignored: a timer of the
 * library that is no longer wanted does nothing when it fires.
 */
export function hostWith(parts: Partial<Host> | undefined): Host {
  if (parts === undefined) return defaultHost;
  return {
    now: () => (parts.now ? parts.now() : defaultHost.now()),
    setTimeout: (fn, ms) => (parts.setTimeout ? parts.setTimeout(fn, ms) : defaultHost.setTimeout(fn, ms)),
    clearTimeout: (id) => {
      try {
        if (parts.clearTimeout) parts.clearTimeout(id);
        else defaultHost.clearTimeout(id);
      } catch {
        // The timer fires and does nothing.
      }
    },
    random: () => (parts.random ? parts.random() : defaultHost.random()),
    createId: (kind) => {
      if (parts.createId === undefined) return defaultHost.createId(kind);
      const id: unknown = parts.createId(kind);
      if (typeof id === 'string' && id !== '') return id;
      const got = id === '' ? 'an empty string' : `a value of type ${typeof id}`;
      throw new TurnchartError(
        'options.invalid',
        `The host's createId must return a non-empty string, and gave ${got}.`,
      );
    },
  };
}
