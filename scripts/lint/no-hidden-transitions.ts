// Charts move on events only: `after` runs on XState's own clock and is lost on restore, `always` passes unseen states.

import { chartRule } from './chart-rule.ts';

const reasons = {
  after: 'Invoke a delay on the host’s clock instead: `after` cannot be simulated and is lost on restore.',
  always: 'Branch on the event that leads here instead: a transient state is never seen.',
};

/** Reports `after` and `always` in a state. */
export const noHiddenTransitions = chartRule('No after and no always.', ({ charts, report }) => {
  for (const { name, properties } of charts.flatMap((chart) => chart.states)) {
    for (const key of ['after', 'always'] as const) {
      const value = properties?.get(key);
      if (value !== undefined) report(value, `State '${name}' has '${key}'. ${reasons[key]}`);
    }
  }
});
