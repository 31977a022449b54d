// An invoked service always reports back: without an id its events have no stable name, without onError it kills the chart.

import { objectsOf } from './chart-reader.ts';
import { chartRule } from './chart-rule.ts';

const required = ['src', 'id', 'onDone', 'onError'];

/** Reports an invoke that lacks its id, onDone or onError. */
export const completeInvokes = chartRule('Every invoke has id, onDone and onError.', ({ charts, program, report }) => {
  for (const state of charts.flatMap((chart) => chart.states)) {
    const invoke = state.properties?.get('invoke');
    if (invoke === undefined) continue;
    for (const { node, properties } of objectsOf(invoke, program)) {
      const missing = properties === undefined ? required : required.filter((name) => !properties.has(name));
      if (missing.length > 0) report(node, `Invoke in state '${state.name}' lacks ${missing.join(', ')}.`);
    }
  }
});
