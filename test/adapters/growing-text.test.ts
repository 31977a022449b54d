import { expect, test } from 'vitest';
import { GrowingText } from '../../src/adapters/growing-text.ts';

test.each([0, 1, 511, 512, 513, 1024, 5000])('%i pieces come back in order, also when asked in between', (count) => {
  const pieces = Array.from({ length: count }, (_, index) => `${index},`);
  const text = new GrowingText();
  const asked = new GrowingText();
  for (const [index, piece] of pieces.entries()) {
    text.add(piece);
    asked.add(piece);
    if (index % 7 === 0) expect(asked.whole).toBe(pieces.slice(0, index + 1).join(''));
  }
  expect(text.whole).toBe(pieces.join(''));
  expect(text.whole).toBe(asked.whole);
});

test('is empty until a piece says something', () => {
  const text = new GrowingText();
  text.add('');
  expect(text.isEmpty).toBe(true);
  text.add('a');
  expect(text.isEmpty).toBe(false);
  expect(text.whole).toBe('a');
  expect(text.isEmpty).toBe(false);
});
