// Every export of the library carries a doc comment where it is declared; re-exports need none.

import { defineRule, type ESTree } from '@oxlint/plugins';
import { projectPath } from './project-path.ts';

/** Reports an exported declaration without a doc comment. */
export const documentedExports = defineRule({
  meta: { type: 'suggestion', docs: { description: 'Every export has a doc comment.' } },
  create(context) {
    if (!projectPath(context).startsWith('src/')) return {};
    const { sourceCode } = context;
    const seen = new Set<string>();

    const isDocumented = (statement: ESTree.Node) => {
      const comment = sourceCode
        .getCommentsBefore(statement)
        .findLast((each) => !each.value.includes('oxlint-disable'));
      return comment?.type === 'Block' && /^\*[\s*]*[^\s*]/.test(comment.value);
    };
    const check = (statement: ESTree.Node, names: readonly string[]) => {
      const fresh = names.filter((name) => !seen.has(name)); // overloads are documented once, at the first
      for (const name of names) seen.add(name);
      if (fresh.length === 0 || isDocumented(statement)) return;
      context.report({
        loc: { start: statement.loc.start, end: statement.loc.start }, // not the whole body
        message: `Export '${fresh.join(', ')}' has no doc comment. Say what its type cannot.`,
      });
    };

    return {
      Program(program) {
        const locals = new Map<string, ESTree.Node>();
        for (const statement of program.body) {
          for (const name of namesOf(statement)) if (!locals.has(name)) locals.set(name, statement);
        }
        for (const statement of program.body) {
          if (statement.type !== 'ExportNamedDeclaration' || statement.source !== null) continue;
          if (statement.declaration !== null) check(statement, namesOf(statement.declaration));
          for (const { local } of statement.specifiers) {
            const declared = local.type === 'Identifier' ? locals.get(local.name) : undefined;
            if (declared !== undefined && local.type === 'Identifier') check(declared, [local.name]);
          }
        }
      },
    };
  },
});

function namesOf(statement: ESTree.Node): string[] {
  switch (statement.type) {
    case 'VariableDeclaration':
      return statement.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
    case 'ClassDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return statement.id === null ? [] : [statement.id.name];
    default:
      return [];
  }
}
