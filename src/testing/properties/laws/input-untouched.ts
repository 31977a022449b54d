// The law of what belongs to others.

import { isSameJson } from '../../../conversation/same-json.ts';
import { named, type Law } from './law.ts';

/** Messages and blocks that a transformer is given stay as they are: they stand in the transcript. */
export const inputUntouched: Law = {
  name: 'inputUntouched',
  says: 'messages and blocks that are given are not changed in place',
  async check(trial) {
    const kept = structuredClone(trial.conversation);
    for (const overflow of [false, true]) {
      // What it throws is another law's.
      for (const stage of trial.stages) await trial.run(stage, trial.conversation, { overflow }).catch(() => undefined);
    }
    if (!isSameJson(trial.conversation.system, kept.system)) return 'the system prompt was changed in place';
    for (const [index, message] of trial.conversation.messages.entries()) {
      if (!isSameJson(message, kept.messages[index])) return `${named(message)} was changed in place`;
    }
    return undefined;
  },
};
