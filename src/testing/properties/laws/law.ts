// The interface of a law, and functions that several laws use.

import type { BoundaryBlock } from '../../../conversation/block.ts';
import type { Message } from '../../../conversation/message.ts';
import type { Trial } from '../trial.ts';

/** A property that holds for every transformer. */
export interface Law {
  readonly name: string;
  /** The law in one sentence. */
  readonly says: string;
  /** What breaks the law, in one sentence; undefined if nothing does. */
  readonly check: (trial: Trial) => Promise<string | undefined>;
}

/** The boundary of a message that is a compaction. */
export function boundaryOf({ role, content }: Message): BoundaryBlock | undefined {
  const [block] = content;
  return role === 'user' && content.length === 1 && block?.type === 'boundary' ? block : undefined;
}

/** The messages without boundaries, which models do not see. */
export function shown(messages: readonly Message[]): readonly Message[] {
  return messages.filter((message) => boundaryOf(message) === undefined);
}

/** The index from which the last compaction keeps messages; 0 without one. */
export function keptFrom(messages: readonly Message[]): number {
  const places = new Map(messages.map(({ id }, index) => [id, index]));
  const starts = messages.map((message) => places.get(boundaryOf(message)?.keepFrom ?? ''));
  return starts.findLast((start) => start !== undefined) ?? 0;
}

/** The message without its thinking, which providers no longer accept after a change. */
export function withoutThoughts(message: Message): Message {
  return { ...message, content: message.content.filter(({ type }) => type !== 'thinking') };
}

/** A message by its id, as an error names it. */
export function named({ id, role }: Message): string {
  return `the ${role} message ${JSON.stringify(id)}`;
}

/** The first breach found in any of the trial's outcomes. */
export async function firstBreach(
  trial: Trial,
  breachOf: (outcome: Awaited<ReturnType<Trial['outcomes']>>[number]) => string | undefined,
): Promise<string | undefined> {
  for (const outcome of await trial.outcomes()) {
    const breach = breachOf(outcome);
    if (breach !== undefined) return `${outcome.stage}: ${breach}`;
  }
  return undefined;
}
