// The law that the input is not changed in place.

import { isSameJson } from '../../../conversation/same-json.ts';
import { named, type Law } from './law.ts';

/** A transformer does not change the messages and blocks it is given, which belong to the transcript. */
export const inputUntouched: Law = {
  name: 'inputUntouched',
  says: 'given messages and blocks are not changed in place',
  async check(trial) {
    const kept = structuredClone(trial.conversation);
    for (const overflow of [false, true]) {
      // `total` reports what it throws.
      for (const stage of trial.stages) await trial.run(stage, trial.conversation, { overflow }).catch(() => undefined);
    }
    if (!isSameJson(trial.conversation.system, kept.system)) return 'the system prompt was changed in place';
    for (const [index, message] of trial.conversation.messages.entries()) {
      if (!isSameJson(message, kept.messages[index])) return `${named(message)} was changed in place`;
    }
    return undefined;
  },
};
