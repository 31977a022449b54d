import { describe, expect, test } from 'vitest';
import { inputRows } from '../../../src/cli/terminal/input-rows.ts';
import { emptyLine } from '../../../src/cli/terminal/line-editor.ts';

const rows = (marked: string, room: { columns?: number; rows?: number } = {}) => {
  const cursor = marked.indexOf('|');
  return inputRows('> ', { ...emptyLine, text: marked.replace('|', ''), cursor }, { columns: 8, rows: 8, ...room });
};

describe('inputRows', () => {
  test('puts the cursor after the prompt of an empty line', () => {
    expect(rows('|')).toEqual({ rows: ['> '], row: 0, column: 2 });
  });

  test('indents further rows to the text and leaves the last column free', () => {
    expect(rows('abcdefg|')).toEqual({ rows: ['> abcde', '  fg'], row: 1, column: 4 });
    expect(rows('ab\nc|d')).toEqual({ rows: ['> ab', '  cd'], row: 1, column: 3 });
    expect(rows('ab|\ncd')).toEqual({ rows: ['> ab', '  cd'], row: 0, column: 4 });
  });

  test('counts wide characters twice', () => {
    expect(rows('北京|北')).toEqual({ rows: ['> 北京', '  北'], row: 1, column: 2 });
  });

  test('shows the rows around the cursor where there is no room for all', () => {
    expect(rows('a\nb\nc\nd|', { rows: 2 })).toEqual({ rows: ['  c', '  d'], row: 1, column: 3 });
    expect(rows('|a\nb\nc\nd', { rows: 2 })).toEqual({ rows: ['> a', '  b'], row: 0, column: 2 });
  });
});
