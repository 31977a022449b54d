import { describe, expect, test } from 'vitest';
import { lineCountsIn, matchesIn, pathsIn, readTextIn } from '../../../src/cli/demo/tool-output.ts';

describe('pathsIn', () => {
  test('reads one path a line, bullets and ./ taken off, doubles once', () => {
    expect(pathsIn('- ./a.ts\nsrc/b.ts\r\na.ts\nMakefile\nmy notes.txt\n').paths).toEqual([
      'a.ts',
      'src/b.ts',
      'Makefile',
      'my notes.txt',
    ]);
  });

  test('reads JSON: strings, objects with a path, a list inside of an object', () => {
    expect(pathsIn('["a.ts", "b.ts"]').paths).toEqual(['a.ts', 'b.ts']);
    expect(pathsIn('[{"path":"a.ts"},{"file":"b.ts"}]').paths).toEqual(['a.ts', 'b.ts']);
    expect(pathsIn('{"files":["a.ts"],"durationMs":3}').paths).toEqual(['a.ts']);
  });

  test.for(['No files found', '(no files match)', '(no output)', '', 'No files matched **/*.py in here.'])(
    'finds no path in "%s"',
    (output) => {
      expect(pathsIn(output)).toEqual({ paths: [], total: 0, isLeast: false });
    },
  );

  test('takes the total from the remark of a cut list', () => {
    expect(pathsIn('a.ts\nb.ts\n(the first 2 of 1,432 files)')).toEqual({
      paths: ['a.ts', 'b.ts'],
      total: 1432,
      isLeast: false,
    });
    expect(pathsIn('a.ts\n(Results are truncated.)')).toEqual({ paths: ['a.ts'], total: 1, isLeast: true });
    expect(pathsIn('a.ts\n(the first 1 of more than 20000 files)')).toEqual({
      paths: ['a.ts'],
      total: 20_000,
      isLeast: true,
    });
  });
});

describe('lineCountsIn', () => {
  test('reads what wc prints, without the total', () => {
    expect([...lineCountsIn('   12 ./src/a.ts\n    3 my notes.txt\n   15 total\n')]).toEqual([
      ['src/a.ts', 12],
      ['my notes.txt', 3],
    ]);
  });

  test('reads what a counting search prints', () => {
    expect([...lineCountsIn('src/a.ts:12\nC:\\b.ts:3\n(2 files)')]).toEqual([
      ['src/a.ts', 12],
      ['C:\\b.ts', 3],
    ]);
  });

  test('reads JSON of both shapes', () => {
    expect([...lineCountsIn('[{"path":"a.ts","lines":4}]')]).toEqual([['a.ts', 4]]);
    expect([...lineCountsIn('{"a.ts":4,"b.ts":5}')]).toEqual([
      ['a.ts', 4],
      ['b.ts', 5],
    ]);
  });
});

describe('matchesIn', () => {
  test('reads path, line and text', () => {
    expect(matchesIn('src/a.ts:3:  let x = 1; // a: b\nb.ts:10: y\n(the first 2 matches; there are more)')).toEqual({
      matches: [
        { path: 'src/a.ts', line: 3, text: 'let x = 1; // a: b' },
        { path: 'b.ts', line: 10, text: 'y' },
      ],
      cut: true,
    });
  });

  test('reads bare paths', () => {
    expect(matchesIn('src/a.ts\nb.ts')).toEqual({ matches: [{ path: 'src/a.ts' }, { path: 'b.ts' }], cut: false });
  });

  test('finds nothing in a sentence that says so', () => {
    expect(matchesIn('No matches found').matches).toEqual([]);
    expect(matchesIn('(no match)').matches).toEqual([]);
  });
});

describe('readTextIn', () => {
  test('takes line numbers off and knows the total from the last one', () => {
    expect(readTextIn('     1\tone\n     2\t\n     3\tthree')).toEqual({ lines: ['one', '', 'three'], total: 3 });
    expect(readTextIn('    1→one\n    2→two')).toEqual({ lines: ['one', 'two'], total: 2 });
  });

  test('takes the total of a part from its remark', () => {
    expect(readTextIn('     1\tone\n(lines 1 to 1 of 5,000)')).toEqual({ lines: ['one'], total: 5000 });
    expect(readTextIn('     1\tone\n(truncated)')).toEqual({ lines: ['one'] });
  });

  test('keeps text without numbers as it is, also in parentheses', () => {
    expect(readTextIn('one\n(two)\n')).toEqual({ lines: ['one', '(two)'], total: 2 });
    expect(readTextIn('[1,\n2]')).toEqual({ lines: ['[1,', '2]'], total: 2 });
  });

  test('sees an empty file', () => {
    expect(readTextIn('')).toEqual({ lines: [], total: 0 });
    expect(readTextIn('(a.txt is empty)')).toEqual({ lines: [], total: 0 });
  });
});
