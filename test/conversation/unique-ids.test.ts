import { expect, test } from 'vitest';
import { uniqueIds } from '../../src/conversation/unique-ids.ts';

test('uniqueIds leaves an id that is free', () => {
  expect(uniqueIds(new Set(['a']))('b')).toBe('b');
});

test('uniqueIds counts from 2 and jumps over what is taken', () => {
  const unique = uniqueIds(new Set(['a', 'a_2', 'a_4']));
  expect([unique('a'), unique('a'), unique('a'), unique('a_2')]).toEqual(['a_3', 'a_5', 'a_6', 'a_2_2']);
});

test('uniqueIds gives no id twice', () => {
  const unique = uniqueIds(new Set());
  expect([unique('a'), unique('a'), unique('a_2'), unique('a')]).toEqual(['a', 'a_2', 'a_2_2', 'a_3']);
});
