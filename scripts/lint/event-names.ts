// Event names are `noun.verb`, as in 'turn.cancel': what a chart takes and what it emits.

import type { ESTree } from '@oxlint/plugins';
import { objectsOf } from './chart-reader.ts';
import { chartRule } from './chart-rule.ts';

const pattern = /^[a-z][a-zA-Z]*(\.[a-z][a-zA-Z]*)+$/;

/** Reports an event whose name is not of the form `noun.verb`, in `on` and in the event types given to `setup`. */
export const eventNames = chartRule('Event names are noun.verb.', ({ charts, program, nodes, report }) => {
  const check = (node: ESTree.Node, name: string) => {
    if (pattern.test(name) || name.startsWith('xstate.')) return;
    report(node, `Event '${name}' is not named like 'noun.verb'.`);
  };
  for (const { node, properties } of charts.flatMap((chart) => chart.states)) {
    const on = properties?.get('on');
    if (on === undefined) continue;
    for (const name of objectsOf(on, program)[0]?.properties?.keys() ?? []) check(on ?? node, name);
  }
  for (const node of nodes) {
    if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier' || node.callee.name !== 'setup') continue;
    const [argument] = node.arguments;
    const types = argument === undefined ? undefined : objectsOf(argument, program)[0]?.properties?.get('types');
    const described = types === undefined ? undefined : objectsOf(types, program)[0]?.properties;
    for (const key of ['events', 'emitted']) {
      const value = described?.get(key);
      if (value?.type !== 'TSAsExpression') continue;
      for (const literal of tagsOf(value.typeAnnotation, program, new Set())) check(literal, literal.value);
    }
  }
});

// The string literals under `type` in a union of object types, following aliases and interfaces of the same file.
function* tagsOf(type: ESTree.Node, program: ESTree.Program, seen: Set<string>): Generator<ESTree.StringLiteral> {
  switch (type.type) {
    case 'TSUnionType':
    case 'TSIntersectionType':
      for (const part of type.types) yield* tagsOf(part, program, seen);
      return;
    case 'TSParenthesizedType':
      yield* tagsOf(type.typeAnnotation, program, seen);
      return;
    case 'TSTypeLiteral':
      yield* tagsIn(type.members);
      return;
    case 'TSTypeReference': {
      if (type.typeName.type !== 'Identifier' || seen.has(type.typeName.name)) return;
      seen.add(type.typeName.name);
      for (const statement of program.body) {
        const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
        if (declaration?.type === 'TSTypeAliasDeclaration' && declaration.id.name === type.typeName.name) {
          yield* tagsOf(declaration.typeAnnotation, program, seen);
        }
        if (declaration?.type === 'TSInterfaceDeclaration' && declaration.id.name === type.typeName.name) {
          yield* tagsIn(declaration.body.body);
        }
      }
      return;
    }
    default:
  }
}

function* tagsIn(members: readonly ESTree.TSSignature[]): Generator<ESTree.StringLiteral> {
  for (const member of members) {
    if (member.type !== 'TSPropertySignature' || member.key.type !== 'Identifier' || member.key.name !== 'type')
      continue;
    yield* literalsOf(member.typeAnnotation?.typeAnnotation);
  }
}

function* literalsOf(type: ESTree.Node | undefined): Generator<ESTree.StringLiteral> {
  if (type?.type === 'TSUnionType') for (const part of type.types) yield* literalsOf(part);
  if (type?.type !== 'TSLiteralType') return;
  const { literal } = type;
  if (literal.type === 'Literal' && typeof literal.value === 'string') yield literal;
}
