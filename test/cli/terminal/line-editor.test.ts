import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  afterSubmit,
  editedBy,
  emptyLine,
  withInserted,
  type Key,
  type LineEditor,
} from '../../../src/cli/terminal/line-editor.ts';

const runs = { numRuns: 500 * Number(process.env['TURNCHART_RUNS'] ?? 1) };
const names: { readonly [key: string]: Key } = {
  'C-': { ctrl: true },
  'M-': { meta: true },
};

/** The key as the test writes it: `left`, `C-a`, `M-b`. */
function key(name: string): Key {
  const modifier = name.slice(0, 2);
  return modifier in names ? { ...names[modifier], name: name.slice(2) } : { name };
}

const at = (marked: string): LineEditor => {
  const cursor = marked.indexOf('|');
  return { ...withInserted(emptyLine, marked.replace('|', '')), cursor };
};
const marked = ({ text, cursor }: LineEditor) => `${text.slice(0, cursor)}|${text.slice(cursor)}`;
const after = (start: string | LineEditor, ...keys: readonly string[]) =>
  marked(keys.map(key).reduce(editedBy, typeof start === 'string' ? at(start) : start));

describe('editedBy', () => {
  test.for([
    ['a|b', ['left'], '|ab'],
    ['|ab', ['left'], '|ab'],
    ['a|b', ['right'], 'ab|'],
    ['ab|', ['C-f'], 'ab|'],
    ['one two|', ['C-left'], 'one |two'],
    ['one two |', ['M-b', 'M-b'], '|one two '],
    ['|one two', ['M-f'], 'one| two'],
    ['one\nt|wo', ['home'], 'one\n|two'],
    ['o|ne\ntwo', ['C-e'], 'one|\ntwo'],
    ['ab|c', ['backspace'], 'a|c'],
    ['|abc', ['C-h'], '|abc'],
    ['a|bc', ['delete'], 'a|c'],
    ['one two|', ['C-w'], 'one |'],
    ['one| two', ['M-d'], 'one|'],
    ['one tw|o', ['C-u'], '|o'],
    ['o|ne\ntwo', ['C-k'], 'o|\ntwo'],
    ['one two|', ['C-w', 'C-y', 'C-y'], 'one twotwo|'],
    ['ab|', ['M-return', 'enter'], 'ab\n\n|'],
    ['one\ntw|o', ['up'], 'on|e\ntwo'],
    ['o|ne\ntwo', ['down'], 'one\nt|wo'],
    ['a long one|\nb', ['down'], 'a long one\nb|'],
  ] as const)('%j after %j is %j', ([start, keys, end]) => {
    expect(after(start, ...keys)).toBe(end);
  });

  test('goes by what people take for one character', () => {
    expect(after('a👨‍👩‍👧|', 'left')).toBe('a|👨‍👩‍👧');
    expect(after('ae\u0301|', 'backspace')).toBe('a|');
  });

  test('recalls earlier lines and gives the draft back', () => {
    const start = withInserted(
      ['first', 'second'].reduce((line, text) => afterSubmit(withInserted(line, text)), emptyLine),
      'draft',
    );
    expect(after(start, 'up')).toBe('second|');
    expect(after(start, 'up', 'up', 'up')).toBe('first|');
    expect(after(start, 'up', 'up', 'down', 'down', 'down')).toBe('draft|');
  });

  test('remembers no blank line and none twice in a row', () => {
    const lines = ['a', 'a', ' ', 'b'].reduce((line, text) => afterSubmit(withInserted(line, text)), emptyLine);
    expect(lines.history).toEqual(['a', 'b']);
  });

  test('leaves out escape sequences and control characters of what is typed or pasted', () => {
    expect(withInserted(emptyLine, 'a\u001B[31mb\u0007\tc\r\nd').text).toBe('ab    c\nd');
    expect(editedBy(emptyLine, { sequence: '\u001B[15~', name: 'f5' })).toBe(emptyLine);
    expect(editedBy(emptyLine, { sequence: '\u0001', name: 'x', ctrl: true })).toBe(emptyLine);
  });

  test('whatever is pressed, the cursor stays within the text and between characters', () => {
    const presses = fc.constantFrom(
      ...'left right up down home end backspace delete C-left C-right C-w C-u C-k C-y M-d C-p C-n enter C-a C-e'.split(
        ' ',
      ),
    );
    const step = fc.oneof(
      presses.map(key),
      fc.constantFrom('a', ' ', '北', '👨‍👩‍👧', 'e\u0301').map((sequence) => ({ sequence })),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (keys) => {
        const { text, cursor } = keys.reduce(editedBy, emptyLine);
        const boundaries = [...new Intl.Segmenter().segment(text)].map(({ index }) => index);
        expect([...boundaries, text.length]).toContain(cursor);
      }),
      runs,
    );
  });
});
