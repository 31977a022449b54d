import { describe, expect, test } from 'vitest';
import { fitted, widthOf } from '../../../src/cli/terminal/width.ts';

describe('widthOf', () => {
  test.for([
    ['a', 1],
    ['é', 1],
    ['\u0301', 0],
    ['\u200d', 0],
    ['\ufe0f', 0],
    ['京', 2],
    ['한', 2],
    ['🌍', 2],
    ['·', 1],
    ['⠋', 1],
  ] as const)('%s takes %i', ([character, width]) => {
    expect(widthOf(character)).toBe(width);
  });
});

describe('fitted', () => {
  test.for([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['京京', 4, '京京'],
    ['京京', 3, '京…'],
    ['京京', 2, '…'],
    ['abc', 1, '…'],
    ['', 0, ''],
    ['e\u0301e\u0301', 2, 'e\u0301e\u0301'],
    ['abc', Number.POSITIVE_INFINITY, 'abc'],
  ] as const)('%s in %d columns is %s', ([text, columns, expected]) => {
    expect(fitted(text, columns)).toBe(expected);
  });
});
