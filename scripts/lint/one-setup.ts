// One chart, one file: a machine file calls `setup` once, and builds its machine with it.

import { chartRule } from './chart-rule.ts';

/** Reports a second `setup()` in a file, and a machine that was not built by one. */
export const oneSetup = chartRule('One setup() per machine file.', ({ charts, nodes, report }) => {
  let calls = 0;
  for (const node of nodes) {
    if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier' || node.callee.name !== 'setup') continue;
    calls += 1;
    if (calls > 1) report(node.callee, 'This file has a setup() already. Give each chart its own file.');
  }
  for (const { bySetup, place } of charts) {
    if (!bySetup)
      report(place, 'Build the machine with setup({ … }).createMachine, so that everything in it is typed and named.');
  }
});
