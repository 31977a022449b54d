// Raw JSON Schema with a full check.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { jsonSchema } from '../../src/codec/json-schema.ts';
import { isTurnchartError } from '../../src/contracts/errors.ts';
import type { JsonValue } from '../../src/conversation/json.ts';
import { defineTool } from '../../src/tools/define-tool.ts';

type Schema = { readonly [key: string]: JsonValue };

const field = (schema: JsonValue): Schema => ({ type: 'object', properties: { a: schema } });

function accepts(schema: Schema, value: unknown): boolean {
  return jsonSchema(schema)['~standard'].validate(value).issues === undefined;
}

function refusalOf(schema: Schema): string {
  try {
    jsonSchema(schema);
  } catch (thrown) {
    if (isTurnchartError(thrown) && thrown.code === 'tool.invalid') return thrown.message;
    throw thrown;
  }
  return expect.fail('the schema was accepted');
}

describe('jsonSchema', () => {
  test('is a Standard Schema that carries the schema as it was given', () => {
    const schema = field({ type: 'string', format: 'uri-reference' });
    const standard = jsonSchema(schema)['~standard'];
    expect(standard).toMatchObject({ version: 1, vendor: 'turnchart' });
    expect(standard.jsonSchema.input()).toEqual(schema);
    expect(standard.jsonSchema.output()).toEqual(schema);
  });

  test('reports message and path', () => {
    const result = jsonSchema(field({ type: 'array', items: { minLength: 2, type: 'string' } }))['~standard'].validate({
      a: ['ok', 'x'],
    });
    expect(result.issues).toEqual([{ message: expect.stringContaining('>=2'), path: ['a', 1] }]);
  });

  const node = { type: 'object', properties: { value: { type: 'number' }, next: { $ref: '#/$defs/node' } }, required: ['value'] }; // prettier-ignore
  test.each<[string, Schema, unknown, boolean]>([
    ['a minimum', field({ type: 'number', minimum: 3 }), { a: 2 }, false],
    ['a pattern', field({ type: 'string', pattern: '^x' }), { a: 'ax' }, false],
    ['a format', field({ type: 'string', format: 'email' }), { a: 'nobody' }, false],
    ['a relative reference as uri-reference', field({ type: 'string', format: 'uri-reference' }), { a: '/x' }, true],
    ['unique items', field({ type: 'array', uniqueItems: true }), { a: [1, 1] }, false],
    [
      'a recursive $defs reference',
      { ...field({ $ref: '#/$defs/node' }), $defs: { node } },
      { a: { value: 1, next: { value: 'x' } } },
      false,
    ],
    [
      'a definitions reference',
      { ...field({ $ref: '#/definitions/s' }), definitions: { s: { type: 'string' } } },
      { a: 1 },
      false,
    ],
    ['a reference to the root', { ...field({ $ref: '#' }), required: ['a'] }, { a: {} }, false],
    ['a required field without a schema', { type: 'object', required: ['b'] }, {}, false],
    ['null for a required field without a schema', { type: 'object', required: ['b'] }, { b: null }, true],
    ['an enum limited by its type', field({ type: 'string', enum: ['x', 5] }), { a: 5 }, false],
    ['a const', field({ const: 'x' }), { a: 'x' }, true],
    ['oneOf with two matches', field({ oneOf: [{ type: 'number' }, { type: 'integer' }] }), { a: 1 }, false],
    [
      'a part of allOf',
      { type: 'object', allOf: [field({ type: 'string' }), field({ type: 'number' })] },
      { a: 1 },
      false,
    ],
    ['unknown fields in an open object', field({ type: 'string' }), { b: 1 }, true],
    ['unknown fields in a closed object', { ...field(true), additionalProperties: false }, { b: 1 }, false],
    [
      'a closed tuple',
      field({ type: 'array', prefixItems: [{ type: 'string' }], items: false }),
      { a: ['x', 1] },
      false,
    ],
    ['annotations', field({ type: 'string', title: 'A', examples: ['x'], 'x-order': 1 }), { a: 'x' }, true],
    ['not: {}', field({ not: {} }), { a: 1 }, false],
  ])('checks %s', (_what, schema, value, valid) => {
    expect(accepts(schema, value)).toBe(valid);
  });

  test('keeps unknown fields and fills defaults', () => {
    const result = jsonSchema(field({ type: 'string', default: 'x' }))['~standard'].validate({ b: 1 });
    expect(result).toEqual({ value: { a: 'x', b: 1 } });
  });

  test.each<[string, JsonValue, string]>([
    ['not', { type: 'string', not: { const: 'x' } }, '"not" at #/properties/a is not supported'],
    ['if', { if: {}, else: false }, '"if" at #/properties/a is not supported'],
    ['dependentRequired', { type: 'object', dependentRequired: { a: ['b'] } }, '"dependentRequired" at #/properties/a'],
    ['dependencies', { type: 'object', dependencies: { a: ['b'] } }, '"dependencies" at #/properties/a'],
    ['unevaluatedProperties', { type: 'object', unevaluatedProperties: false }, '"unevaluatedProperties"'],
    ['a $ref elsewhere', { $ref: 'https://example.org' }, '"$ref" at #/properties/a must be "#" or "#/$defs/name"'],
    ['a $ref deep inside', { $ref: '#/$defs/x/properties/y' }, '"$ref" at #/properties/a'],
    ['a rule beside $ref', { $ref: '#', minProperties: 1 }, '"minProperties" at #/properties/a stands beside "$ref"'],
    ['a rule without type', { minLength: 2 }, '"minLength" at #/properties/a stands without "type"'],
    ['a rule beside enum', { enum: ['x'], minLength: 2 }, '"minLength" at #/properties/a stands beside "enum"'],
    ['objects in enum', { enum: [{ x: 1 }] }, '"enum" at #/properties/a supports only'],
    ['items as a list', { type: 'array', items: [{}] }, '"items" at #/properties/a as a list'],
    [
      'a closed object with anyOf',
      { type: 'object', additionalProperties: false, anyOf: [{}] },
      '"additionalProperties"',
    ],
    [
      'a closed part of allOf',
      { allOf: [{ type: 'object', additionalProperties: false }, {}] },
      '"additionalProperties"',
    ],
    [
      'patterns with a schema for the rest',
      { type: 'object', patternProperties: {}, additionalProperties: {} },
      '"additionalProperties"',
    ],
    ['an unknown type', { type: 'text' }, 'Unsupported type: text'],
    ['a pattern that is no expression', { type: 'string', pattern: '(' }, 'Invalid regular expression'],
    [
      'a field named like a method of every object',
      { type: 'object', properties: { constructor: {} } },
      '"constructor"',
    ],
    ['something that is no schema', 5, '"a" at #/properties/a must be a schema, got 5'],
  ])('refuses %s by name, unless validate is given', (_what, schema, reason) => {
    const message = refusalOf(field(schema));
    expect(message).toContain(reason);
    expect(message).toContain('give jsonSchema a validate function');
    expect(() => jsonSchema(field(schema), { validate: () => undefined })).not.toThrow();
  });

  test('lets validate decide alone', () => {
    const validate = (value: unknown) => (value === 7 ? undefined : 'must be seven');
    const standard = jsonSchema<number>(field({ type: 'string' }), { validate })['~standard'];
    expect(standard.validate(7)).toEqual({ value: 7 });
    expect(standard.validate({ a: 'x' })).toEqual({ issues: [{ message: 'must be seven' }] });
  });

  test('takes a promise of validate for a mistake, and drops what it rejects with', async () => {
    const validate = async (): Promise<never> => {
      throw new Error('The database is away.');
    };
    const { parse } = defineTool({
      name: 'look',
      description: 'Looks.',
      parameters: jsonSchema(field({ type: 'string' }), { validate: validate as never }),
      execute: () => 'ok',
    });
    expect(parse({ a: 'x' })).toMatchObject({ ok: false, message: expect.stringContaining('returned a promise') });
    await Promise.resolve();
  });

  test('refuses a cyclic schema', () => {
    const schema: Record<string, JsonValue> = { type: 'object' };
    schema['properties'] = { a: schema };
    expect(refusalOf(schema)).toContain('cannot be checked in full');
  });

  test('leaves the global registry of zod alone', () => {
    jsonSchema({ ...field({ type: 'string' }), id: 'turnchart-test-id' });
    expect(z.toJSONSchema(z.globalRegistry).schemas).not.toHaveProperty('turnchart-test-id');
  });

  test('accepts what it accepts as itself, and never throws on other JSON', () => {
    const schema = { ...field({ type: ['string', 'null'] }), required: ['a'] };
    const { validate } = jsonSchema(schema)['~standard'];
    fc.assert(
      fc.property(fc.jsonValue(), fc.option(fc.string()), (value, a) => {
        expect(validate({ a })).toEqual({ value: { a } });
        const result = validate(value);
        if (result.issues === undefined) expect(result.value).toEqual(value);
      }),
      { numRuns: 200 * Number(process.env['TURNCHART_RUNS'] ?? 1) },
    );
  });
});
