// How often what can happen did happen: a property that never meets an outcome says nothing about it.

import assert from 'node:assert/strict';

/** Counts by name. */
export class Tally {
  readonly #counts = new Map<string, number>();

  count(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** Fails when one of the names was never counted; returns one line that tells how often each was. */
  expectEach(names: readonly string[]): string {
    const never = names.filter((name) => !this.#counts.has(name));
    assert.deepEqual(never, [], 'never reached');
    return names.map((name) => `${name} ${this.#counts.get(name)}`).join(', ');
  }
}

/** What a submit can be decided as. */
export const outcomes = ['startedTurn', 'injected', 'queued', 'rejected busy', 'rejected closed'] as const;

/** What can become of a message. */
export const fates = ['answered', 'unanswered', 'queued', 'withdrawn', 'rejected'] as const;

/** Where an operative can be when something is heard of it. */
export const states = [
  'idle',
  'reloading',
  'running',
  'settling',
  'cancelling',
  'preempting',
  'compacting',
  'closing',
  'closed',
] as const;
