// The law that the same input gives the same output.

import { isSameJson } from '../../../conversation/same-json.ts';
import { copyOf } from '../trial.ts';
import type { Law } from './law.ts';

/** The same conversation gives the same result, also as a copy. With `appendsBoundary` only the copy is tried, because the first run has changed the transcript. */
export const deterministic: Law = {
  name: 'deterministic',
  says: 'the same conversation gives the same result',
  async check(trial) {
    for (const { stage, before, after } of await trial.outcomes()) {
      const isOnce = trial.alters.has('appendsBoundary');
      const again = isOnce ? undefined : await trial.run(stage, before);
      if (again !== undefined && !isSameJson(again.after, after)) return `${stage}: a second run gave something else`;
      if (!isSameJson((await trial.run(stage, copyOf(before))).after, after))
        return `${stage}: an equal copy gave something else`;
    }
    return undefined;
  },
};
