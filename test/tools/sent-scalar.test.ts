import { expect, test } from 'vitest';
import { argumentsMeant, scalarMeant } from '../../src/tools/sent-scalar.ts';

test.each([
  ['boolean', 'true', true],
  ['boolean', 'False', false],
  ['boolean', ' true\n', true],
  ['boolean', 'yes', 'yes'],
  ['boolean', 1, 1],
  ['integer', '5000', 5000],
  ['number', '-3', -3],
  ['number', ' 12 ', 12],
  ['number', '1234567890123456', '1234567890123456'],
  ['number', '', ''],
  ['number', '0x10', '0x10'],
  ['string', 'true', 'true'],
  ['string', '5', '5'],
  [undefined, 'true', 'true'],
  [['boolean', 'null'], 'true', 'true'],
])('where a %j is wanted, %j means %j', (type, sent, meant) => {
  expect(scalarMeant(type, sent)).toBe(meant);
});

const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, wait: { type: 'boolean' }, limit: { type: 'number' } },
  required: ['name'],
};

test('arguments sent as JSON text are decoded, null is left out where the field may be absent', () => {
  expect(argumentsMeant('{"name":"1","wait":"true","limit":null}', schema)).toEqual({ name: '1', wait: true });
  expect(argumentsMeant({ name: null, other: '1' }, schema)).toEqual({ name: null, other: '1' });
});

test('what is not a record of arguments, or cannot be read, is passed on as it is', () => {
  const hostile = {
    get name(): string {
      throw new Error('no');
    },
  };
  for (const sent of ['{"name":', [1], 7, hostile]) expect(argumentsMeant(sent, schema)).toBe(sent);
});

test('a field named __proto__ stays a field', () => {
  const meant = argumentsMeant('{"__proto__":{"wait":true},"name":"a"}', schema);
  expect(Object.keys(Object(meant))).toEqual(['__proto__', 'name']);
  expect(Reflect.get(Object(meant), 'wait')).toBeUndefined();
});
