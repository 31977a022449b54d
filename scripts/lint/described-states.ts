// Every state says in one line what it means; the chart pages and inspectors show that line.

import type { ESTree } from '@oxlint/plugins';
import { chartRule } from './chart-rule.ts';

/** Reports a state without a one-line description, and one that cannot be read off the source. */
export const describedStates = chartRule('Every state has a one-line description.', ({ charts, report }) => {
  for (const { states } of charts) {
    for (const { name, node, properties } of states) {
      const state = name === '' ? 'The root state' : `State '${name}'`;
      if (properties === undefined) {
        report(node, `${state} is not an object literal. Write it out, or as a constant in this file.`);
      } else if (!isOneLine(properties.get('description'))) {
        report(node, `${state} has no one-line description.`);
      }
    }
  }
});

function isOneLine(node: ESTree.Node | undefined): boolean {
  const text =
    node?.type === 'Literal' ? node.value : node?.type === 'TemplateLiteral' ? node.quasis[0]?.value.cooked : undefined;
  return typeof text === 'string' && text.trim() !== '' && !text.includes('\n');
}
