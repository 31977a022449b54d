// The small check of plain JSON Schema: types, required, enum, const, properties, items, unknown fields, references,
// compositions. Ranges, lengths, patterns and formats are not checked. Called by parse-arguments.

import { isSameJson } from '../conversation/same-json.ts';
import { describeSchema } from './describe-schema.ts';
import { describeValue } from './describe-value.ts';
import { isRecord, ownValue, targetOf, type SchemaNode, type SchemaRecord } from './schema-node.ts';
import { rulesOf, type JsonType, type Rules } from './schema-rules.ts';

/** A fault at a path. `text` follows the field's name: `is required (string) but missing`. */
export interface ArgumentIssue {
  readonly path: readonly PropertyKey[];
  readonly text: string;
  /** True for a field the schema does not know. */
  readonly isUnknownField: boolean;
}

/** Whether a value fits a schema. Unknown keywords are ignored; references outside the schema allow everything. */
export function fitsSchema(value: unknown, schema: SchemaNode): boolean {
  return fits(value, schema, { root: schema, path: [], issues: undefined, most: 0 });
}

/** Everything that is wrong with a value, by default at most 50 issues. */
export function structuralIssues(value: unknown, schema: SchemaNode, most = 50): readonly ArgumentIssue[] {
  const issues: ArgumentIssue[] = [];
  fits(value, schema, { root: schema, path: [], issues, most });
  return issues;
}

/** `path` leads to the current value. Without `issues`, faults are not collected. */
interface Look {
  readonly root: SchemaNode;
  readonly path: PropertyKey[];
  readonly issues: ArgumentIssue[] | undefined;
  readonly most: number;
}

// Only the first keyword that fails is reported: later ones could only repeat it.
function fits(value: unknown, node: SchemaNode, look: Look): boolean {
  if (typeof node === 'boolean') return node || fault(look, () => 'is not allowed');
  const target = targetOf(node, look.root);
  const rules = rulesOf(node);
  const { allowed, types } = rules;
  return (
    (target === undefined || fits(value, target, look)) &&
    (allowed === undefined || isAllowed(value, allowed) || misfit(value, node, look)) &&
    (types === undefined || types.some((type) => typeTests[type](value)) || misfit(value, node, look)) &&
    (!isRecord(value) || fieldsFit(value, rules, look)) &&
    (!Array.isArray(value) || itemsFit(value, rules, look)) &&
    rules.all.every((part) => fits(value, part, look)) &&
    rules.choices.every((choices) => choiceFits(value, choices, look))
  );
}

const typeTests: Readonly<Record<JsonType, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: Number.isFinite,
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  object: isRecord,
  array: Array.isArray,
};

function isAllowed(value: unknown, allowed: readonly unknown[]): boolean {
  return allowed.includes(value) || allowed.some((one) => isSameJson(one, value));
}

function fieldsFit(record: SchemaRecord, { fields, known, additional, patterns }: Rules, look: Look): boolean {
  let isValid = true;
  for (const { name, part, isRequired } of fields) {
    const field = ownValue(record, name);
    if (field !== undefined) isValid = fitsAt(look, name, field, part) && isValid;
    else if (isRequired) {
      isValid = faultAt(look, name, () => `is required (${describeSchema(part, look.root)}) but missing`);
    }
  }
  if (additional === true) return isValid;
  for (const name of Object.keys(record)) {
    if (known.has(name) || patterns.some((pattern) => pattern.test(name))) continue;
    if (additional === false) isValid = faultAt(look, name, () => 'is not a known field', true);
    else isValid = fitsAt(look, name, record[name], additional) && isValid;
  }
  return isValid;
}

function itemsFit(list: readonly unknown[], { prefix, items }: Rules, look: Look): boolean {
  let isValid = true;
  for (const [index, item] of list.entries()) {
    isValid = fitsAt(look, index, item, prefix[index] ?? items) && isValid;
  }
  return isValid;
}

function choiceFits(value: unknown, choices: readonly SchemaNode[], look: Look): boolean {
  if (choices.some((choice) => fits(value, choice, { ...look, issues: undefined }))) return true;
  // The choice that was meant is the one that fails deeper than at its type.
  const [meant, ...others] = choices
    .map((choice) => {
      const issues: ArgumentIssue[] = [];
      if (look.issues !== undefined) fits(value, choice, { ...look, issues });
      return issues;
    })
    .filter((issues) => issues.length > 0 && issues.every((issue) => issue.path.length > look.path.length));
  if (meant === undefined || others.length > 0) {
    return misfit(value, { anyOf: choices }, look);
  }
  look.issues?.push(...meant.slice(0, look.most - look.issues.length));
  return false;
}

function fitsAt(look: Look, key: PropertyKey, value: unknown, node: SchemaNode): boolean {
  look.path.push(key);
  const isValid = fits(value, node, look);
  look.path.pop();
  return isValid;
}

function faultAt(look: Look, key: PropertyKey, text: () => string, isUnknownField?: true): false {
  return fault({ ...look, path: [...look.path, key] }, text, isUnknownField);
}

function misfit(value: unknown, node: SchemaNode, look: Look): false {
  return fault(look, () => `must be ${describeSchema(node, look.root)}, got ${describeValue(value)}`);
}

function fault({ issues, path, most }: Look, text: () => string, isUnknownField = false): false {
  if (issues !== undefined && issues.length < most) issues.push({ path: [...path], text: text(), isUnknownField });
  return false;
}
