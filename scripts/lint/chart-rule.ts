// The common frame of the chart rules: it applies to src/machines and hands each rule the charts of the file.

import { defineRule, type ESTree, type Rule } from '@oxlint/plugins';
import { nodesOf, readCharts, type Chart } from './chart-reader.ts';
import { projectPath } from './project-path.ts';

/** What a chart rule is given. */
export interface ChartFile {
  readonly program: ESTree.Program;
  readonly charts: readonly Chart[];
  /** Every node of the file, parents first. */
  readonly nodes: Iterable<ESTree.Node>;
  report(node: ESTree.Node, message: string): void;
}

/** A rule over the statecharts of one file. */
export function chartRule(description: string, check: (file: ChartFile) => void): Rule {
  return defineRule({
    meta: { type: 'problem', docs: { description } },
    create(context) {
      if (!projectPath(context).startsWith('src/machines/')) return {};
      return {
        Program(program) {
          const { sourceCode } = context;
          check({
            program,
            charts: readCharts(program, sourceCode),
            nodes: nodesOf(program, sourceCode),
            report: (node, message) => context.report({ node, message }),
          });
        },
      };
    },
  });
}
