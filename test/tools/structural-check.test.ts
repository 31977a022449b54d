// The small check of plain JSON Schema.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonSchema } from '../../src/codec/json-schema.ts';
import { describePath } from '../../src/tools/describe-value.ts';
import type { SchemaNode } from '../../src/tools/schema-node.ts';
import { fitsSchema, structuralIssues } from '../../src/tools/structural-check.ts';
import { jsonSchemas, valuesNear } from './json-schemas.ts';

const runs = 500 * Number(process.env['TURNCHART_RUNS'] ?? 1);

/** What the check finds, one line each. */
function faultsOf(schema: SchemaNode, value: unknown): string[] {
  return structuralIssues(value, schema).map((issue) => `${describePath(issue.path)} ${issue.text}`);
}

describe('the structural check', () => {
  test.each<[string, SchemaNode, unknown]>([
    ['anything for an empty schema', {}, [1, 'a']],
    ['anything for true', true, 1],
    ['an integer written with a fraction of zero', { type: 'integer' }, 3.0],
    ['one of several types', { type: ['string', 'null'] }, null],
    ['an enum value of any type', { enum: [1, 'a', { x: [1] }] }, { x: [1] }],
    ['a const object whatever its key order', { const: { a: 1, b: 2 } }, { b: 2, a: 1 }],
    ['a field that is absent or undefined', { properties: { a: { type: 'string' } } }, { a: undefined }],
    ['values the keywords are not about', { properties: { a: {} }, required: ['a'], items: { type: 'null' } }, 'text'],
    ['a field matched by a pattern', { patternProperties: { '^x-': {} }, additionalProperties: false }, { 'x-a': 1 }],
    [
      'any further field, where a pattern of another dialect may mean it',
      { patternProperties: { '^x\\-': {} }, additionalProperties: false },
      { b: 1 },
    ],
    ['a tuple', { prefixItems: [{ type: 'string' }], items: { type: 'number' } }, ['a', 1, 2]],
    ['one choice', { anyOf: [{ type: 'string' }, { type: 'null' }] }, null],
    ['one of oneOf', { oneOf: [{ type: 'string' }, { type: 'null' }] }, 'a'],
    ['a reference to the outside', { $ref: 'https://example.org/schema' }, 5],
    ['a reference that leads to itself', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } }, 5],
    ['keywords it does not know', { type: 'string', minLength: 5, pattern: '^z', format: 'email' }, 'a'],
  ])('accepts %s', (_what, schema, value) => {
    expect(faultsOf(schema, value)).toEqual([]);
    expect(fitsSchema(value, schema)).toBe(true);
  });

  const tree: SchemaNode = {
    type: 'object',
    properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
    required: ['name'],
  };
  const shape: SchemaNode = {
    oneOf: [
      { type: 'object', properties: { kind: { const: 'circle' }, radius: { type: 'number' } }, required: ['kind'] },
      { type: 'string' },
    ],
  };

  test.each<[string, SchemaNode, unknown, string[]]>([
    ['anything for false', false, 1, [' is not allowed']],
    ['a wrong type', { type: 'array' }, {}, [' must be any[], got object without fields']],
    ['a number that is no integer', { type: 'integer' }, 1.5, [' must be integer, got number 1.5']],
    ['infinity', { type: 'number' }, Number.POSITIVE_INFINITY, [' must be number, got number Infinity']],
    ['none of several types', { type: ['string', 'null'] }, 1, [' must be string | null, got number 1']],
    ['another value', { const: 'a' }, 'b', [' must be "a", got string "b"']],
    ['a missing field', { required: ['a'] }, {}, ['a is required (any) but missing']],
    ['an inherited field', { required: ['toString'] }, {}, ['toString is required (any) but missing']],
    [
      'a field of a nested item',
      tree,
      { name: 'a', children: [{ name: 'b', children: [{}] }] },
      ['children[0].children[0].name is required (string) but missing'],
    ],
    ['an item past a closed tuple', { prefixItems: [{}], items: false }, [1, 2], ['[1] is not allowed']],
    [
      'a wrong additional field',
      { additionalProperties: { type: 'number' } },
      { a: 'x' },
      ['a must be number, got string "x"'],
    ],
    [
      'the meant one of two choices',
      shape,
      { kind: 'circle', radius: 'big' },
      ['radius must be number, got string "big"'],
    ],
    ['no choice at all', shape, 5, [' must be { kind: "circle", radius?: number } | string, got number 5']],
    [
      'all parts of allOf',
      { allOf: [{ required: ['a'] }, { required: ['b'] }] },
      { a: 1 },
      ['b is required (any) but missing'],
    ],
  ])('refuses %s', (_what, schema, value, faults) => {
    expect(faultsOf(schema, value)).toEqual(faults);
    expect(fitsSchema(value, schema)).toBe(false);
  });

  test('stops reporting at fifty faults', () => {
    const value = Array.from({ length: 1000 }, () => 'x');
    expect(faultsOf({ type: 'array', items: { type: 'number' } }, value).length).toBe(50);
  });

  test('finds faults exactly when it refuses', () => {
    fc.assert(
      fc.property(jsonSchemas(), valuesNear(), (schema, value) => {
        expect(structuralIssues(value, schema).length > 0).toBe(!fitsSchema(value, schema));
      }),
      { numRuns: runs },
    );
  });

  test('agrees with the full check about what both look at', () => {
    fc.assert(
      fc.property(jsonSchemas(), valuesNear(), (schema, value) => {
        const full = jsonSchema(schema)['~standard'].validate(value);
        expect(fitsSchema(value, schema)).toBe(full.issues === undefined);
      }),
      { numRuns: runs },
    );
  });
});
