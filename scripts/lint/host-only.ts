// Keeps time, chance and identity behind `Host`: nothing else in src/ may read a clock, start a timer or roll dice.

import { defineRule, type ESTree } from '@oxlint/plugins';
import { projectPath } from './project-path.ts';

const allowed = ['src/contracts/host.ts', 'src/conversation/identity.ts', 'src/tools/', 'src/adapters/', 'src/cli/'];

const clocks = new Set([
  'clearInterval',
  'clearTimeout',
  'crypto',
  'performance',
  'requestAnimationFrame',
  'requestIdleCallback',
  'setImmediate',
  'setInterval',
  'setTimeout',
]);

const members = new Map([
  ['Date', new Set(['now'])],
  ['Math', new Set(['random'])],
  ['AbortSignal', new Set(['timeout'])],
]);

const globals = new Set(['globalThis', 'self', 'window', 'global']);

/** Reports a direct read of time, chance or identity in the library's source. */
export const hostOnly = defineRule({
  meta: { type: 'problem', docs: { description: 'Time, chance and identity come from Host.' } },
  create(context) {
    const path = projectPath(context);
    if (!path.startsWith('src/') || allowed.some((place) => path === place || path.startsWith(place))) return {};
    const report = (node: ESTree.Node, name: string) =>
      context.report({
        node,
        message: `${name} reads time, chance or identity. Take it from Host (src/contracts/host.ts).`,
      });
    return {
      Program() {
        for (const { references } of context.sourceCode.scopeManager.scopes) {
          for (const { identifier, resolved } of references) {
            if (resolved !== null && resolved.defs.length > 0) continue;
            const found = globalOf(identifier);
            const fault = found === undefined ? undefined : faultOf(found.node, found.name);
            if (fault !== undefined) report(identifier, fault);
          }
        }
      },
    };
  },
});

// The global that a free name reaches: itself, or what it reads from the global object, such as globalThis.setTimeout.
function globalOf(identifier: ESTree.Node): { readonly node: ESTree.Node; readonly name: string } | undefined {
  if (identifier.type !== 'Identifier' || identifier.parent.type === 'TSTypeQuery') return undefined;
  if (!globals.has(identifier.name)) return { node: identifier, name: identifier.name };
  const { parent } = identifier;
  if (parent.type !== 'MemberExpression' || parent.object !== identifier) return undefined;
  const name = propertyOf(parent);
  return name === undefined ? undefined : { node: parent, name };
}

// `node` stands for the global called `name`, however it was reached.
function faultOf(node: ESTree.Node, name: string): string | undefined {
  if (clocks.has(name)) return name;
  const { parent } = node;
  if (parent?.type === 'MemberExpression' && parent.object === node) {
    const member = propertyOf(parent);
    return member !== undefined && members.get(name)?.has(member) === true ? `${name}.${member}` : undefined;
  }
  if (name !== 'Date') return undefined;
  if (parent?.type === 'NewExpression' && parent.callee === node && parent.arguments.length === 0) return 'new Date()';
  return parent?.type === 'CallExpression' && parent.callee === node ? 'Date()' : undefined;
}

function propertyOf(node: ESTree.MemberExpression): string | undefined {
  const { property } = node;
  if (!node.computed) return property.type === 'Identifier' ? property.name : undefined;
  return property.type === 'Literal' && typeof property.value === 'string' ? property.value : undefined;
}
