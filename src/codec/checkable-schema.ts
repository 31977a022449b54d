// Which JSON Schemas zod can check in full, and the form in which it does. Called by json-schema.
// zod's own converter skips some keywords and combinations silently; here each of them is an error with its name.

type Schema = { readonly [keyword: string]: unknown };

const unsupported = [
  'if',
  'then',
  'else',
  'unevaluatedItems',
  'unevaluatedProperties',
  'dependentSchemas',
  'dependentRequired',
  'dependencies',
  '$dynamicRef',
  '$recursiveRef',
  'additionalItems',
];
const typed = [
  'properties',
  'required',
  'additionalProperties',
  'patternProperties',
  'propertyNames',
  'minProperties',
  'maxProperties',
  'items',
  'prefixItems',
  'minItems',
  'maxItems',
  'uniqueItems',
  'contains',
  'minContains',
  'maxContains',
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
];
const compositions = ['anyOf', 'oneOf', 'allOf'];
const inheritedNames = new Set(Object.getOwnPropertyNames(Object.prototype));

/**
 * An equivalent schema that uses only what zod's converter checks in full. Throws an error that names the first keyword
 * for which that is impossible, and its place.
 */
export function checkableSchema(schema: Schema): Schema {
  const { definitions, $defs, ...root } = schema;
  const all = { ...(isSchema(definitions) ? definitions : {}), ...(isSchema($defs) ? $defs : {}) };
  const { $schema: _dialect, ...rest } = checkable(root, '#') as Schema; // an object stays one
  return { ...rest, $defs: mapFields(all, '#/$defs') };
}

function checkable(node: unknown, path: string): unknown {
  if (typeof node === 'boolean') return node;
  if (!isSchema(node)) throw uncheckable(lastOf(path), path, `must be a schema, got ${JSON.stringify(node)}`);
  const keywords = Object.keys(node);
  for (const keyword of unsupported) {
    if (keyword in node) throw uncheckable(keyword, path, 'is not supported');
  }
  if ('not' in node && !(isSchema(node['not']) && Object.keys(node['not']).length === 0)) {
    throw uncheckable('not', path, 'is not supported');
  }
  const constraints = keywords.filter((keyword) => typed.includes(keyword) || compositions.includes(keyword));
  if ('$ref' in node) return reference(node, [...constraints, ...keywords.filter(isOwnConstraint)], path);
  const values = 'const' in node ? [node['const']] : node['enum'];
  if (values !== undefined) return enumeration(node, values, constraints, path);
  const untyped = constraints.find((keyword) => typed.includes(keyword));
  if (untyped !== undefined && !('type' in node)) {
    throw uncheckable(untyped, path, 'stands without "type"; add the type');
  }
  refuseMixedAdditional(node, path);
  return withParts(node, path);
}

function isOwnConstraint(keyword: string): boolean {
  return keyword === 'type' || keyword === 'enum' || keyword === 'const' || keyword === 'not';
}

function reference(node: Schema, constraints: readonly string[], path: string): Schema {
  const target = node['$ref'];
  const match = typeof target === 'string' ? /^#(?:\/(?:\$defs|definitions)\/([^/]+))?$/.exec(target) : null;
  if (match === null) {
    throw uncheckable('$ref', path, `must be "#" or "#/$defs/name", got ${JSON.stringify(target)}`);
  }
  const [beside] = constraints;
  if (beside !== undefined) throw uncheckable(beside, path, 'stands beside "$ref"; put both into "allOf"');
  return { ...node, $ref: match[1] === undefined ? '#' : `#/$defs/${match[1]}` };
}

function enumeration(node: Schema, values: unknown, constraints: readonly string[], path: string): Schema {
  const keyword = 'const' in node ? 'const' : 'enum';
  const [beside] = constraints;
  if (beside !== undefined) throw uncheckable(beside, path, `stands beside "${keyword}"; leave one out`);
  if (!Array.isArray(values) || values.some((value) => typeof value === 'object' && value !== null)) {
    throw uncheckable(keyword, path, 'supports only strings, numbers, booleans and null');
  }
  const { const: _const, type, ...rest } = node;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  return {
    ...rest,
    enum: type === undefined ? values : values.filter((value) => types.some((name) => isOfType(value, name))),
  };
}

function isOfType(value: unknown, type: unknown): boolean {
  if (value === null) return type === 'null';
  return typeof value === type || (type === 'integer' && Number.isInteger(value));
}

// zod lets the parts of a composition know each other's fields, JSON Schema does not.
function refuseMixedAdditional(node: Schema, path: string): void {
  const composition = compositions.find((keyword) => keyword in node);
  if (composition !== undefined && isClosed(node)) {
    throw uncheckable('additionalProperties', path, `stands beside "${composition}"`);
  }
  const parts = node['allOf'];
  if (Array.isArray(parts) && parts.length > 1 && parts.some((part) => isSchema(part) && isClosed(part))) {
    throw uncheckable('additionalProperties', `${path}/allOf`, 'inside of "allOf" is not supported');
  }
  if (isSchema(node['additionalProperties']) && 'patternProperties' in node) {
    throw uncheckable('additionalProperties', path, 'as a schema beside "patternProperties" is not supported');
  }
}

function isClosed(node: Schema): boolean {
  return 'additionalProperties' in node && node['additionalProperties'] !== true;
}

function withParts(node: Schema, path: string): Schema {
  const result: Record<string, unknown> = { ...node };
  for (const keyword of ['items', 'contains', 'propertyNames', 'additionalProperties']) {
    const part = node[keyword];
    if (part === undefined) continue;
    if (Array.isArray(part)) throw uncheckable(keyword, path, 'as a list is not supported; use "prefixItems"');
    result[keyword] = checkable(part, `${path}/${keyword}`);
  }
  for (const keyword of ['prefixItems', ...compositions]) {
    const parts = node[keyword];
    if (parts === undefined) continue;
    if (!Array.isArray(parts)) throw uncheckable(keyword, path, 'must be a list of schemas');
    result[keyword] = parts.map((part, index) => checkable(part, `${path}/${keyword}/${index}`));
  }
  for (const keyword of ['properties', 'patternProperties']) {
    if (keyword in node) result[keyword] = mapFields(node[keyword], `${path}/${keyword}`);
  }
  const required = node['required'];
  if (Array.isArray(required)) {
    // zod's converter looks only at required fields that have a schema.
    const missing = required.map((name) => [String(name), {}] as const);
    result['properties'] = {
      ...Object.fromEntries(missing),
      ...(isSchema(result['properties']) ? result['properties'] : {}),
    };
  }
  // zod takes only absolute URLs; `format` is an annotation in JSON Schema.
  if (node['format'] === 'uri-reference') delete result['format'];
  return result;
}

function mapFields(fields: unknown, path: string): Schema {
  if (!isSchema(fields)) throw uncheckable(lastOf(path), path, 'must be an object of schemas');
  const entries = Object.entries(fields).map(([name, part]) => {
    if (inheritedNames.has(name)) throw uncheckable(name, path, 'is a field name that cannot be checked safely');
    return [name, checkable(part, `${path}/${name}`)] as const;
  });
  return Object.fromEntries(entries);
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function uncheckable(keyword: string, path: string, reason: string): Error {
  return new Error(`"${keyword}" at ${path} ${reason}`);
}
