// The law that a second run changes nothing.

import { isSameJson } from '../../../conversation/same-json.ts';
import { shown, type Law } from './law.ts';

/** A transformer leaves its own output as it is. */
export const idempotent: Law = {
  name: 'idempotent',
  says: 'its own output is left as it is',
  async check(trial) {
    for (const { stage, after } of await trial.outcomes()) {
      const again = await trial.run(stage, after);
      if (isSameJson(shown(again.after.messages), shown(after.messages))) continue;
      return `${stage}: ${after.messages.length} messages became ${again.after.messages.length} the second time`;
    }
    return undefined;
  },
};
