// Arbitrary JSON Schemas of the kind tools have, and values near them.

import fc from 'fast-check';
import type { JsonValue } from '../../src/conversation/json.ts';

type Schema = { readonly [key: string]: JsonValue };

const names = fc.constantFrom('a', 'b', 'path', 'x-y');
const scalars: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>(null, true, false, 0, 1, 1.5, '', 'a', 'b'),
  fc.integer({ min: -5, max: 5 }),
);

/** Schemas without references: types, lists of types, enum, const, objects, arrays, choices, conjunctions. */
export function jsonSchemas(): fc.Arbitrary<Schema> {
  const { schema } = fc.letrec<{ schema: Schema; object: Schema }>((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<Schema>({}, ...['string', 'number', 'integer', 'boolean', 'null'].map((type) => ({ type }))),
      fc
        .uniqueArray(fc.constantFrom('string', 'integer', 'null', 'boolean'), { minLength: 1 })
        .map((type) => ({ type })),
      fc.uniqueArray(scalars, { minLength: 1, maxLength: 3 }).map((values) => ({ enum: values })),
      scalars.map((value) => ({ const: value })),
      tie('schema').map((items) => ({ type: 'array', items })),
      fc.array(tie('schema'), { minLength: 1, maxLength: 2 }).map((prefixItems) => ({ type: 'array', prefixItems })),
      fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
      tie('object'),
    ),
    object: objects(tie('schema')),
  }));
  return objects(schema);
}

function objects(field: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> {
  return fc
    .record({
      properties: fc.dictionary(names, field, { maxKeys: 3, noNullPrototype: true }),
      required: fc.uniqueArray(names, { maxLength: 2 }),
      additionalProperties: fc.oneof(fc.constant(false), fc.constant(true), field),
    })
    .map((parts) => ({ type: 'object', ...parts }));
}

/** Values of the shapes such schemas describe; many fit, many do not. */
export function valuesNear(): fc.Arbitrary<{ readonly [key: string]: JsonValue }> {
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      scalars,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(names, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));
  return fc.dictionary(names, value, { maxKeys: 4, noNullPrototype: true });
}
