// XState's default for steps without an event is no limit: a loop would hang the process.

import { objectsOf } from './chart-reader.ts';
import { chartRule } from './chart-rule.ts';

/** Reports a chart without `options.maxIterations`. */
export const boundedCharts = chartRule('Every chart sets options.maxIterations.', ({ charts, program, report }) => {
  for (const { call, states } of charts) {
    const options = states[0]?.properties?.get('options');
    const bounded = options !== undefined && objectsOf(options, program)[0]?.properties?.has('maxIterations') === true;
    if (!bounded)
      report(call, 'Set options: { maxIterations: 1000 }: the default is no limit, and a loop would hang the process.');
  }
});
