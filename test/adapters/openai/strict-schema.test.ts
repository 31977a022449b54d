import { describe, expect, test } from 'vitest';
import { allowsStrict } from '../../../src/adapters/openai/strict-schema.ts';
import type { JsonValue } from '../../../src/conversation/json.ts';

const closed = (
  properties: { readonly [name: string]: JsonValue },
  more: { readonly [key: string]: JsonValue } = {},
): JsonValue => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});
const withProperty = (schema: JsonValue): JsonValue => closed({ a: schema });
const deep = (levels: number): JsonValue => (levels === 0 ? { type: 'string' } : closed({ a: deep(levels - 1) }));

describe('schemas OpenAI can enforce as they are', () => {
  test.each([
    ['no parameters', closed({})],
    ['nullable instead of optional', withProperty({ type: ['string', 'null'] })],
    ['enum and const', withProperty({ type: 'string', enum: ['x', 'y'] })],
    [
      'a list of closed objects',
      withProperty({ type: 'array', items: closed({ b: { type: 'number', minimum: 0 } }), maxItems: 3 }),
    ],
    ['anyOf below the root', withProperty({ anyOf: [{ type: 'string' }, closed({})] })],
    [
      'a definition that refers to itself',
      closed(
        { a: { $ref: '#/$defs/n' } },
        { $defs: { n: closed({ next: { anyOf: [{ $ref: '#/$defs/n' }, { type: 'null' }] } }) } },
      ),
    ],
    ['a known format', withProperty({ type: 'string', format: 'date-time', description: 'When.' })],
    ['ten levels', deep(9)],
  ])('%s', (_, schema) => {
    expect(allowsStrict(schema)).toBe(true);
  });
});

describe('schemas it cannot enforce', () => {
  test.each([
    ['an open object', { type: 'object', properties: {} }],
    ['an optional property', closed({ a: { type: 'string' } }, { required: [] })],
    ['an open object inside', withProperty({ type: 'object', properties: {} })],
    ['a map', withProperty({ type: 'object', additionalProperties: { type: 'string' } })],
    ['anyOf at the root', { anyOf: [closed({})] }],
    ['no type', withProperty({ description: 'anything' })],
    ['an unknown keyword', withProperty({ type: 'string', minLength: 1 })],
    ['an unknown format', withProperty({ type: 'string', format: 'uri' })],
    ['a list without items', withProperty({ type: 'array' })],
    ['a reference to elsewhere', withProperty({ $ref: 'https://x/y.json' })],
    ['eleven levels', deep(11)],
    ['no object at all', 'string'],
  ])('%s', (_, schema) => {
    expect(allowsStrict(schema)).toBe(false);
  });
});
