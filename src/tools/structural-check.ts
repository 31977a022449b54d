// The small check of plain JSON Schema: types, required, enum, const, properties, items, unknown fields, references,
// compositions. Called by parse-arguments; ranges, lengths, patterns and formats are not looked at.

import { isSameJson } from '../conversation/same-json.ts';
import { describeValue } from './describe-value.ts';
import {
  allowedValues,
  describeSchema,
  isRecord,
  type JsonType,
  ownValue,
  schemaList,
  schemaNode,
  type SchemaNode,
  type SchemaRecord,
  targetOf,
  typePhrase,
  typesOf,
} from './schema-node.ts';

/** Something wrong at a place. `text` goes on after the field's name: `is required (string) but missing`. */
export interface ArgumentIssue {
  readonly path: readonly PropertyKey[];
  readonly text: string;
  /** True for a field the schema does not know. */
  readonly isUnknownField: boolean;
}

/** True when the value fits. With a list it is told everything that is wrong, at most 50 issues. */
export type StructuralCheck = (value: unknown, issues?: ArgumentIssue[]) => boolean;

const maxIssues = 50;

/** The check of a schema. Unknown keywords are ignored; references outside of the schema allow everything. */
export function structuralCheck(schema: SchemaNode): StructuralCheck {
  return (value, issues) => fits(value, schema, { root: schema, path: [], issues });
}

/** Everything the check finds wrong, at most 50 issues. */
export function structuralIssues(check: StructuralCheck, value: unknown): readonly ArgumentIssue[] {
  const issues: ArgumentIssue[] = [];
  check(value, issues);
  return issues;
}

/** `path` is the way to the value that is looked at. Without `issues` nobody wants to know what is wrong. */
interface Look {
  readonly root: SchemaNode;
  readonly path: PropertyKey[];
  readonly issues: ArgumentIssue[] | undefined;
}

// The first keyword that fails has the word: later ones could only repeat it.
function fits(value: unknown, node: SchemaNode, look: Look): boolean {
  if (typeof node === 'boolean') return node || fault(look, () => 'is not allowed');
  const target = targetOf(node, look.root);
  const allowed = allowedValues(node);
  const types = typesOf(node['type']);
  return (
    (target === undefined || fits(value, target, look)) &&
    (allowed === undefined || isAllowed(value, allowed, look)) &&
    (types === undefined ||
      types.some((type) => typeTests[type](value)) ||
      fault(look, () => `must be ${typePhrase(types)}, got ${describeValue(value)}`)) &&
    (!isRecord(value) || fieldsFit(value, node, look)) &&
    (!Array.isArray(value) || itemsFit(value, node, look)) &&
    schemaList(node['allOf']).every((part) => fits(value, part, look)) &&
    choiceFits(value, schemaList(node['anyOf']), look) &&
    choiceFits(value, schemaList(node['oneOf']), look)
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

function isAllowed(value: unknown, allowed: readonly unknown[], look: Look): boolean {
  if (allowed.includes(value) || allowed.some((one) => isSameJson(one, value))) return true;
  return fault(look, () => {
    const list = describeSchema({ enum: allowed }, true).replaceAll(' | ', ', ');
    return `must be ${allowed.length > 1 ? 'one of ' : ''}${list}, got ${describeValue(value)}`;
  });
}

function fieldsFit(record: SchemaRecord, node: SchemaRecord, look: Look): boolean {
  const properties = isRecord(node['properties']) ? node['properties'] : {};
  const required: readonly unknown[] = Array.isArray(node['required']) ? node['required'] : [];
  const known = new Set<unknown>([...Object.keys(properties), ...required]);
  let isValid = true;
  const lookAt = (name: string, check: () => boolean) => {
    isValid = within(look, name, check) && isValid;
  };
  for (const name of known) {
    if (typeof name !== 'string') continue;
    const part = schemaNode(ownValue(properties, name));
    const field = ownValue(record, name);
    if (field !== undefined) lookAt(name, () => fits(field, part, look));
    else if (required.includes(name)) {
      lookAt(name, () => fault(look, () => `is required (${describeSchema(part, look.root)}) but missing`));
    }
  }
  const additional = node['additionalProperties'];
  if (additional !== false && !isRecord(additional)) return isValid;
  const patterns = Object.keys(node['patternProperties'] ?? {}).map((source) => new RegExp(source, 'u'));
  for (const [name, field] of Object.entries(record)) {
    if (known.has(name) || patterns.some((pattern) => pattern.test(name))) continue;
    lookAt(name, () =>
      additional === false ? fault(look, () => 'is not a known field', true) : fits(field, additional, look),
    );
  }
  return isValid;
}

function itemsFit(list: readonly unknown[], node: SchemaRecord, look: Look): boolean {
  const prefix = schemaList(node['prefixItems']);
  const rest = schemaNode(node['items']);
  let isValid = true;
  for (const [index, item] of list.entries()) {
    isValid = within(look, index, () => fits(item, prefix[index] ?? rest, look)) && isValid;
  }
  return isValid;
}

function choiceFits(value: unknown, choices: readonly SchemaNode[], look: Look): boolean {
  if (choices.length === 0 || choices.some((choice) => fits(value, choice, { ...look, issues: undefined })))
    return true;
  // A choice that fails deeper than at its type is the one that was meant.
  const [meant, ...others] = choices
    .map((choice) => {
      const issues: ArgumentIssue[] = [];
      if (look.issues !== undefined) fits(value, choice, { ...look, issues });
      return issues;
    })
    .filter((issues) => issues.length > 0 && issues.every((issue) => issue.path.length > look.path.length));
  if (meant === undefined || others.length > 0) {
    return fault(look, () => `must be ${describeSchema({ anyOf: choices }, look.root)}, got ${describeValue(value)}`);
  }
  look.issues?.push(...meant.slice(0, maxIssues - look.issues.length));
  return false;
}

function within(look: Look, key: PropertyKey, check: () => boolean): boolean {
  look.path.push(key);
  const isValid = check();
  look.path.pop();
  return isValid;
}

function fault({ issues, path }: Look, text: () => string, isUnknownField = false): false {
  if (issues !== undefined && issues.length < maxIssues) issues.push({ path: [...path], text: text(), isUnknownField });
  return false;
}
