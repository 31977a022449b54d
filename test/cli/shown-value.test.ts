import { describe, expect, test } from 'vitest';
import { shownURL, shownValue } from '../../src/cli/shown-value.ts';

describe('a value in a message', () => {
  test('is quoted', () => {
    expect(shownValue('gpt-5')).toBe('"gpt-5"');
  });

  test.each(['sk-ant-api03-abc', `AIza${'x'.repeat(37)}`])('that may be a key is only measured: %s', (key) => {
    expect(shownValue(key)).toBe(`a text of ${key.length} characters`);
  });

  test.each([
    ['https://me:secret-one@host/v1', '"https://host/v1"'],
    ['https://host/v1?key=secret-one#gpt-5', '"https://host/v1"'],
    ['http://me:se cret@ho st/', '"http://…@ho st/"'],
  ])('shows nothing secret of the address %s', (address, shown) => {
    expect(shownValue(address)).toBe(shown);
  });
});

test('an address is shown without password, query and fragment', () => {
  expect(shownURL('https://me:secret@host:8080/v1/?key=secret#part')).toBe('https://host:8080/v1');
});
