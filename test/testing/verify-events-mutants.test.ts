// Every good log with one event dropped, doubled or swapped with the next: each must be refused or be listed as harmless.

import { describe, expect, test } from 'vitest';
import { verifyEvents } from '../../src/testing/index.ts';
import { goodLogs, type Log } from './event-logs.ts';

/**
 * Events that may be missing, somewhere: what is optional by nature; the first append, whose index nobody knows before;
 * anything of an attempt that failed or was cancelled, because such an attempt may stop anywhere.
 */
const mayBeMissing = [
  'message.appended',
  'message.end',
  'message.injected',
  'message.queued',
  'message.start',
  'message.withdrawn',
  'operative.closed',
  'raw',
  'stream.retrying',
  'text.delta',
  'text.end',
  'thinking.delta',
  'toolCall.awaitingApproval',
  'toolCall.backgrounded',
  'toolCall.progress',
  'toolInput.delta',
  'transcript.replaced',
  'transformer.applied',
  'transformer.failed',
  'turn.reloaded',
  'usage',
];

/** Events that may come twice, somewhere. A delta may where its text is not kept, or its end event carries the block. */
const mayBeDoubled = [
  'message.queued',
  'raw',
  'stream.retrying',
  'text.delta',
  'thinking.delta',
  'toolCall.progress',
  'toolInput.delta',
  'transcript.replaced',
  'transformer.applied',
  'transformer.failed',
  'usage',
];

/**
 * Neighbours without an order between them, somewhere: an append and its announcement; different calls or blocks;
 * announcements of an operative beside its turn; and what is a good log of another story. (`stream.reset` before
 * `stream.retrying`: an overflow, shaped again without a change, whose next attempt failed without a word.)
 */
const mayBeSwapped = [
  'assistant.settled, message.queued',
  'block, text.delta',
  'message.appended, assistant.settled',
  'message.appended, message.injected',
  'message.appended, message.queued',
  'message.appended, toolResults.settled',
  'message.appended, transformer.applied',
  'message.appended, turn.completed',
  'message.end, raw',
  'message.injected, message.appended',
  'message.queued, message.start',
  'message.queued, turn.completed',
  'message.queued, turn.started',
  'message.start, message.appended',
  'message.start, stream.retrying',
  'message.withdrawn, message.appended',
  'message.withdrawn, transcript.replaced',
  'raw, message.appended',
  'raw, message.start',
  'raw, usage',
  'stream.retrying, stream.reset',
  'text.delta, block',
  'text.end, text.start',
  'text.end, toolInput.start',
  'text.end, usage',
  'thinking.end, text.start',
  'toolCall.awaitingApproval, toolCall.started',
  'toolCall.progress, toolCall.settled',
  'toolCall.progress, toolCall.started',
  'toolCall.settled, message.appended',
  'toolCall.settled, toolCall.started',
  'toolInput.end, toolInput.start',
  'toolResults.settled, message.appended',
  'transcript.replaced, transformer.applied',
  'transcript.replaced, turn.started',
  'transformer.applied, transcript.replaced',
  'transformer.applied, transformer.failed',
  'transformer.failed, message.appended',
  'turn.completed, message.withdrawn',
  'turn.started, message.appended',
  'usage, stream.retrying',
];

interface Mutant {
  readonly kind: 'drop' | 'double' | 'swap';
  readonly of: string;
  readonly log: Log;
}

function mutantsOf(log: Log): Mutant[] {
  return log.flatMap((event, index) => {
    const next = log[index + 1];
    const before = log.slice(0, index);
    const after = log.slice(index + 1);
    const mutants: Mutant[] = [
      { kind: 'drop', of: event.type, log: [...before, ...after] },
      { kind: 'double', of: event.type, log: [...before, event, event, ...after] },
    ];
    if (next !== undefined && next.type !== event.type) {
      mutants.push({
        kind: 'swap',
        of: `${event.type}, ${next.type}`,
        log: [...before, next, event, ...log.slice(index + 2)],
      });
    }
    return mutants;
  });
}

function isAccepted(log: Log): boolean {
  try {
    verifyEvents(log);
    return true;
  } catch {
    return false;
  }
}

const mutants = Object.values(goodLogs).flatMap(mutantsOf);
const survivors = mutants.filter(({ log }) => isAccepted(log));
const survivorsOf = (kind: Mutant['kind']) => [
  ...new Set(survivors.filter((mutant) => mutant.kind === kind).map((mutant) => mutant.of)),
];

describe('of the mutants of the good logs', () => {
  test('only the listed drops are accepted', () => {
    expect(survivorsOf('drop').toSorted()).toEqual(mayBeMissing.toSorted());
  });

  test('only the listed doubles are accepted', () => {
    expect(survivorsOf('double').toSorted()).toEqual(mayBeDoubled.toSorted());
  });

  test('only the listed swaps are accepted', () => {
    expect(survivorsOf('swap').toSorted()).toEqual(mayBeSwapped.toSorted());
  });

  test('four of five are refused', () => {
    expect(survivors.length / mutants.length).toBeLessThan(0.2);
  });
});
