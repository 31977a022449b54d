import { describe, expect, test } from 'vitest';
import { strictSchema } from '../../../src/adapters/anthropic/strict-schema.ts';
import type { JsonValue } from '../../../src/conversation/json.ts';

const object = (properties: JsonValue, more: object = {}): JsonValue =>
  ({ type: 'object', properties, ...more }) as JsonValue;

describe('schemas that can be enforced', () => {
  test('objects are closed at every depth', () => {
    expect(
      strictSchema(
        object({ a: object({ b: { type: 'string' } }), c: { type: 'array', items: object({}) } }, { required: ['a'] }),
      ),
    ).toEqual(
      object(
        {
          a: object({ b: { type: 'string' } }, { additionalProperties: false }),
          c: { type: 'array', items: object({}, { additionalProperties: false }) },
        },
        { additionalProperties: false, required: ['a'] },
      ),
    );
  });

  test('narrowing keywords move into the description, those it can enforce stay', () => {
    const schema = object({
      n: { type: 'integer', minimum: 1, description: 'How many.' },
      when: { type: 'string', format: 'date-time' },
      list: { type: 'array', items: { type: 'string', pattern: '^a' }, minItems: 1, maxItems: 3 },
    });
    expect(strictSchema(schema)).toEqual(
      object(
        {
          n: { type: 'integer', description: 'How many. (minimum: 1)' },
          when: { type: 'string', format: 'date-time' },
          list: {
            type: 'array',
            items: { type: 'string', description: '(pattern: "^a")' },
            minItems: 1,
            description: '(maxItems: 3)',
          },
        },
        { additionalProperties: false },
      ),
    );
  });

  test('oneOf becomes anyOf; literals and references stay', () => {
    const schema = {
      ...(object({ a: { oneOf: [{ type: 'string' }, { enum: ['x', null] }] }, b: { $ref: '#/$defs/B' } }) as object),
      $defs: { B: { const: 3 } },
    } as JsonValue;
    expect(strictSchema(schema)).toMatchObject({
      $defs: { B: { const: 3 } },
      properties: { a: { anyOf: [{ type: 'string' }, { enum: ['x', null] }] }, b: { $ref: '#/$defs/B' } },
    });
  });

  test('a tool without parameters', () => {
    expect(strictSchema({ type: 'object' })).toEqual({ type: 'object', properties: {}, additionalProperties: false });
  });
});

test.each<[string, JsonValue]>([
  ['an open map', object({ m: { type: 'object', additionalProperties: { type: 'string' } } })],
  ['any object at all', object({ m: { type: 'object' } })],
  ['an untyped value', object({ m: {} })],
  ['a list of anything', object({ m: { type: 'array' } })],
  ['a tuple', object({ m: { type: 'array', prefixItems: [{ type: 'string' }] } })],
  ['a condition', object({}, { if: {}, else: {} })],
  ['pattern properties', object({}, { patternProperties: { '^a': { type: 'string' } } })],
  ['literals that are objects', object({ m: { enum: [{ a: 1 }] } })],
  ['a reference to the root', object({ m: { $ref: '#' } })],
  [
    'a definition that reaches itself',
    {
      ...(object({ m: { $ref: '#/$defs/A' } }) as object),
      $defs: { A: object({ next: { $ref: '#/$defs/A' } }) },
    } as JsonValue,
  ],
  ['a reference to elsewhere', object({ m: { $ref: 'https://x.test/schema' } })],
  ['no schema', true],
])('%s cannot be enforced', (_, schema) => {
  expect(strictSchema(schema)).toBeUndefined();
});
