// The law that compactions are valid.

import { pairingFault } from '../../../conversation/pairing.ts';
import { windowed } from '../../../transformers/window.ts';
import { copyOf, type Circumstances, type Outcome, type Trial } from '../trial.ts';
import { boundaryOf, named, type Law } from './law.ts';

const text = 'Half a summary';

/** Answers without a summary, or with a part of one. */
const unfinished: Readonly<Record<string, Circumstances>> = {
  'is cut by the token limit': { answer: { text, stopReason: 'maxTokens' } },
  'is cut by the context window': { answer: { text, stopReason: 'contextOverflow' } },
  pauses: { answer: { text, stopReason: 'pause' } },
  refuses: { answer: { text, stopReason: 'refusal' } },
  'says nothing': { answer: { text: '', stopReason: 'endTurn' } },
  fails: { modelFails: true },
  'is cancelled': { isCancelled: true },
};

/**
 * An appended boundary has a summary and keeps from a message in the transcript, the view after it is valid, and it is not
 * the result of a model call that failed or was cut off.
 */
export const boundariesStand: Law = {
  name: 'boundariesStand',
  says: 'a boundary has a whole summary and keeps from a message in the transcript',
  async check(trial) {
    for (const outcome of await trial.outcomes()) {
      const fault = boundaryFault(outcome);
      if (fault !== undefined) return `${outcome.stage}: ${fault}`;
    }
    return trial.alters.has('appendsBoundary') ? unfinishedFault(trial) : undefined;
  },
};

function boundaryFault({ before, appended }: Outcome): string | undefined {
  for (const message of appended) {
    const boundary = boundaryOf(message);
    if (boundary === undefined) continue;
    if (boundary.summary.trim() === '') return `${named(message)} has an empty summary`;
    if (!before.messages.some(({ id }) => id === boundary.keepFrom)) {
      return `${named(message)} keeps from ${JSON.stringify(boundary.keepFrom)}, which is not in the transcript`;
    }
    const fault = pairingFault(windowed([...before.messages, message]));
    if (fault !== undefined) return `after ${named(message)} the view is not valid: ${fault}`;
  }
  return undefined;
}

async function unfinishedFault(trial: Trial): Promise<string | undefined> {
  const { length } = trial.conversation.messages;
  const all = Object.entries(unfinished);
  // Trying all of them takes long: a large conversation is tried with one.
  const tried = length <= 6 ? all : all.slice(length % all.length).slice(0, 1);
  for (const { stage, appended: usually } of await trial.outcomes()) {
    if (usually.length === 0) continue;
    for (const [how, circumstances] of tried) {
      const { appended } = await trial
        .run(stage, copyOf(trial.conversation), circumstances)
        .catch(() => ({ appended: [] }));
      if (appended.some(boundaryOf)) return `${stage}: a boundary was appended although the model ${how}`;
    }
  }
  return undefined;
}
