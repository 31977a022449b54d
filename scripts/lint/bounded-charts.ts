// By default XState does not limit steps without an event: a loop would hang the process.

import { objectsOf } from './chart-reader.ts';
import { chartRule } from './chart-rule.ts';

/** Reports a chart without `options.maxIterations`. */
export const boundedCharts = chartRule('Every chart sets options.maxIterations.', ({ charts, program, report }) => {
  for (const { place, states } of charts) {
    const options = states[0]?.properties?.get('options');
    const bounded = options !== undefined && objectsOf(options, program)[0]?.properties?.has('maxIterations') === true;
    if (!bounded) report(place, 'Set options: { maxIterations: 1000 }: without a limit a loop would hang the process.');
  }
});
