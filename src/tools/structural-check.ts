// The small check of plain JSON Schema: types, required, enum, const, properties, items, unknown fields, references,
// compositions. Built once per tool by parse-arguments; ranges, lengths, patterns and formats are not looked at.

import { describeValue } from './describe-value.ts';
import {
  describeSchema,
  isRecord,
  referencedSchema,
  schemaEntries,
  schemaList,
  schemaNode,
  type JsonType,
  type SchemaNode,
  typePhrase,
  typesOf,
} from './schema-node.ts';

/** Something wrong at a place. `text` goes on after the field's name: `is required (string) but missing`. */
export interface ArgumentIssue {
  readonly path: readonly PropertyKey[];
  readonly text: string;
  /** Set for a field the schema does not know. */
  readonly isUnknownField?: true;
}

/** Where a check writes what it finds; `path` is the way to the value it looks at. */
export interface IssueReport {
  readonly path: PropertyKey[];
  readonly issues: ArgumentIssue[];
}

/** True when the value fits. Without a report it stops at the first fault and allocates nothing. */
export type StructuralCheck = (value: unknown, report?: IssueReport) => boolean;

const maxIssues = 50;

/** Builds the check of a schema. Unknown keywords are ignored; references outside of the schema allow everything. */
export function structuralCheck(schema: SchemaNode): StructuralCheck {
  return compile(schema, { root: schema, references: new Map() });
}

/** Everything the check finds wrong, at most 50 issues. */
export function structuralIssues(check: StructuralCheck, value: unknown): readonly ArgumentIssue[] {
  const report: IssueReport = { path: [], issues: [] };
  check(value, report);
  return report.issues;
}

interface Scope {
  readonly root: SchemaNode;
  readonly references: Map<string, StructuralCheck>;
}

function compile(node: SchemaNode, scope: Scope): StructuralCheck {
  if (typeof node === 'boolean') return node ? () => true : (_value, report) => fault(report, 'is not allowed');
  const reference = node['$ref'];
  const checks: StructuralCheck[] = [];
  if (typeof reference === 'string') checks.push(compileReference(reference, scope));
  const types = typesOf(node['type']);
  if (Array.isArray(node['enum'])) checks.push(compileEnum(node['enum']));
  if ('const' in node) checks.push(compileEnum([node['const']]));
  if (types !== undefined) checks.push(compileTypes(types));
  const object = compileObject(node, scope);
  if (object !== undefined) checks.push(object);
  const array = compileArray(node, scope);
  if (array !== undefined) checks.push(array);
  for (const part of schemaList(node['allOf']) ?? []) checks.push(compile(part, scope));
  for (const choices of [schemaList(node['anyOf']), schemaList(node['oneOf'])]) {
    if (choices !== undefined && choices.length > 0) checks.push(compileChoice(choices, scope));
  }
  return inOrder(checks);
}

// The first check that fails has the word: later ones could only repeat it.
function inOrder(checks: readonly StructuralCheck[]): StructuralCheck {
  const [first, second] = checks;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  if (checks.length === 2) return (value, report) => first(value, report) && second(value, report);
  return (value, report) => {
    for (const check of checks) if (!check(value, report)) return false;
    return true;
  };
}

function compileReference(reference: string, scope: Scope): StructuralCheck {
  const known = scope.references.get(reference);
  if (known !== undefined) return known;
  let check: StructuralCheck = () => true;
  const late: StructuralCheck = (value, report) => check(value, report); // a schema may refer to itself
  scope.references.set(reference, late);
  const target = referencedSchema(scope.root, reference);
  // A reference that leads only to itself checks nothing.
  if (target !== undefined && !(isRecord(target) && target['$ref'] === reference)) check = compile(target, scope);
  return late;
}

const typeTests: Readonly<Record<JsonType, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  object: isRecord,
  array: Array.isArray,
};

function compileTypes(types: readonly JsonType[]): StructuralCheck {
  const [first, ...rest] = types.map((type) => typeTests[type]);
  if (first === undefined) return () => true;
  const phrase = `must be ${typePhrase(types)}`;
  return (value, report) => {
    if (first(value)) return true;
    for (const test of rest) if (test(value)) return true;
    return report !== undefined && fault(report, `${phrase}, got ${describeValue(value)}`);
  };
}

function compileEnum(values: readonly unknown[]): StructuralCheck {
  const primitives = new Set(values.filter((value) => typeof value !== 'object' || value === null));
  const structures = values.filter((value) => typeof value === 'object' && value !== null);
  return (value, report) => {
    if (primitives.has(value)) return true;
    if (typeof value === 'object' && structures.some((allowed) => isSameJson(allowed, value))) return true;
    if (report === undefined) return false;
    const allowed = describeSchema({ enum: values }, true).replaceAll(' | ', ', ');
    return fault(report, `must be ${values.length > 1 ? 'one of ' : ''}${allowed}, got ${describeValue(value)}`);
  };
}

interface Field {
  readonly name: string;
  readonly isRequired: boolean;
  readonly check: StructuralCheck;
  readonly node: SchemaNode;
}

function compileObject(node: { readonly [keyword: string]: unknown }, scope: Scope): StructuralCheck | undefined {
  const required = new Set(Array.isArray(node['required']) ? node['required'] : []);
  const properties = new Map(schemaEntries(node['properties']));
  for (const name of required) if (typeof name === 'string' && !properties.has(name)) properties.set(name, true);
  const fields: Field[] = [...properties].map(([name, part]) => ({
    name,
    isRequired: required.has(name),
    check: compile(part, scope),
    node: part,
  }));
  const extra = compileExtraFields(node, new Set(properties.keys()), scope);
  if (fields.length === 0 && extra === undefined) return undefined;
  return (value, report) => {
    if (!isRecord(value)) return true;
    let isValid = true;
    for (const field of fields) {
      if (checkField(field, value, scope, report)) continue;
      if (report === undefined) return false;
      isValid = false;
    }
    return (extra === undefined || extra(value, report)) && isValid;
  };
}

function checkField(
  field: Field,
  value: { readonly [key: string]: unknown },
  scope: Scope,
  report: IssueReport | undefined,
): boolean {
  const part = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
  if (part === undefined) {
    if (!field.isRequired) return true;
    if (report === undefined) return false;
    return faultAt(report, field.name, `is required (${describeSchema(field.node, scope.root)}) but missing`);
  }
  return within(report, field.name, field.check, part);
}

function compileExtraFields(
  node: { readonly [keyword: string]: unknown },
  known: ReadonlySet<string>,
  scope: Scope,
): StructuralCheck | undefined {
  const additional = node['additionalProperties'];
  if (additional !== false && !isRecord(additional)) return undefined;
  const patterns = schemaEntries(node['patternProperties']).map(([source]) => new RegExp(source, 'u'));
  const check = additional === false ? undefined : compile(additional, scope);
  return (value, report) => {
    let isValid = true;
    // Only plain records come here. `in` order and inherited names do not matter: arguments are JSON.
    for (const name in value as { readonly [key: string]: unknown }) {
      if (known.has(name) || patterns.some((pattern) => pattern.test(name))) continue;
      if (check !== undefined && within(report, name, check, Reflect.get(value as object, name))) continue;
      if (report === undefined) return false;
      if (check === undefined) faultAt(report, name, 'is not a known field', true);
      isValid = false;
    }
    return isValid;
  };
}

function compileArray(node: { readonly [keyword: string]: unknown }, scope: Scope): StructuralCheck | undefined {
  const prefix = (schemaList(node['prefixItems']) ?? []).map((part) => compile(part, scope));
  const items = node['items'];
  const rest = items === false || isRecord(items) ? compile(schemaNode(items), scope) : undefined;
  if (prefix.length === 0 && rest === undefined) return undefined;
  return (value, report) => {
    if (!Array.isArray(value)) return true;
    let isValid = true;
    for (let index = 0; index < value.length; index++) {
      const check = prefix[index] ?? rest;
      if (check === undefined || within(report, index, check, value[index])) continue;
      if (report === undefined) return false;
      isValid = false;
    }
    return isValid;
  };
}

function compileChoice(choices: readonly SchemaNode[], scope: Scope): StructuralCheck {
  const checks = choices.map((choice) => compile(choice, scope));
  return (value, report) => {
    for (const check of checks) if (check(value)) return true;
    if (report === undefined) return false;
    // A choice that fails deeper than at its type is the one that was meant.
    const depth = report.path.length;
    const meant = checks
      .map((check) => {
        const own: IssueReport = { path: [...report.path], issues: [] };
        check(value, own);
        return own.issues;
      })
      .filter((issues) => issues.length > 0 && issues.every((issue) => issue.path.length > depth));
    if (meant.length === 1 && meant[0] !== undefined) {
      report.issues.push(...meant[0].slice(0, Math.max(0, maxIssues - report.issues.length)));
      return false;
    }
    return fault(report, `must be ${describeSchema({ anyOf: choices }, scope.root)}, got ${describeValue(value)}`);
  };
}

function within(report: IssueReport | undefined, key: PropertyKey, check: StructuralCheck, value: unknown): boolean {
  if (report === undefined) return check(value);
  if (report.issues.length >= maxIssues) return check(value);
  report.path.push(key);
  const isValid = check(value, report);
  report.path.pop();
  return isValid;
}

function fault(report: IssueReport | undefined, text: string): false {
  report?.issues.push({ path: [...report.path], text });
  return false;
}

function faultAt(report: IssueReport, key: PropertyKey, text: string, isUnknownField?: true): false {
  if (report.issues.length >= maxIssues) return false;
  report.issues.push({
    path: [...report.path, key],
    text,
    ...(isUnknownField === undefined ? {} : { isUnknownField }),
  });
  return false;
}

function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => isSameJson(item, right[index]));
  }
  if (!isRecord(left) || !isRecord(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && isSameJson(left[key], right[key]));
}
