// A JSON Schema in one line, for messages to the model. Called by the argument checks.

import { shortText } from './bounded-text.ts';
import { targetOf, type SchemaNode } from './schema-node.ts';
import { rulesOf, type JsonType, type Rules } from './schema-rules.ts';

/** One line in the style of TypeScript: `{ file_path: string, limit?: integer }`. At most 600 characters. */
export function describeSchema(node: SchemaNode, root: SchemaNode): string {
  return shortText(describe(node, root, 3), 600);
}

function describe(node: SchemaNode, root: SchemaNode, depth: number): string {
  if (typeof node === 'boolean') return node ? 'any' : 'nothing';
  if ('$ref' in node) return describe((depth > 0 ? targetOf(node, root) : undefined) ?? true, root, depth - 1);
  const rules = rulesOf(node);
  const { allowed, types } = rules;
  if (allowed !== undefined) return oneOf(allowed.map((value) => JSON.stringify(value) ?? 'any'));
  const [choices] = rules.choices;
  if (choices !== undefined) return oneOf(choices.map((choice) => describe(choice, root, depth - 1)));
  return types === undefined ? 'any' : oneOf(types.map((type) => describeType(type, rules, root, depth)));
}

function describeType(type: JsonType, { items, fields }: Rules, root: SchemaNode, depth: number): string {
  if (type === 'array') {
    const item = depth > 0 ? describe(items, root, depth - 1) : 'any';
    return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
  }
  if (type !== 'object' || depth <= 0) return type;
  const shown = fields.map(
    ({ name, part, isRequired }) => `${name}${isRequired ? '' : '?'}: ${describe(part, root, depth - 1)}`,
  );
  return shown.length === 0 ? '{}' : `{ ${shown.join(', ')} }`;
}

function oneOf(parts: readonly string[]): string {
  const distinct = [...new Set(parts)];
  return `${distinct.slice(0, 12).join(' | ')}${distinct.length > 12 ? ' | …' : ''}`;
}
