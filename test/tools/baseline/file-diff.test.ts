import { applyPatch } from 'diff';
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { fileDiff } from '../../../src/tools/baseline/file-diff.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);
const text = fc
  .array(fc.constantFrom('a', 'b', 'ab', '\n', '\n', '\n\n'), { maxLength: 40 })
  .map((parts) => parts.join(''));

it('law: the difference, applied to the old text, gives the new one, and its counts are its lines', () => {
  fc.assert(
    fc.property(text, text, text, (same, before, after) => {
      const [old, next] = [same + before + same, same + after + same];
      const diff = fileDiff(old, next, Infinity);
      expect(applyPatch(old, `--- a\n+++ a\n${diff.text}\n`)).toBe(next);
      const lines = diff.text.split('\n');
      expect(diff.added).toBe(lines.filter((line) => line.startsWith('+')).length);
      expect(diff.removed).toBe(lines.filter((line) => line.startsWith('-')).length);
    }),
    { numRuns: 500 * runs },
  );
});

it('shows a change far down in a long text with its line number and three lines around it', () => {
  const lines = Array.from({ length: 10_000 }, (_, index) => `line ${index + 1}\n`);
  const diff = fileDiff(lines.join(''), lines.with(7999, 'changed\n').join(''), 100);
  expect(diff.text.split('\n')).toEqual([
    '@@ -7997,7 +7997,7 @@',
    ' line 7997',
    ' line 7998',
    ' line 7999',
    '-line 8000',
    '+changed',
    ' line 8001',
    ' line 8002',
    ' line 8003',
  ]);
});

it('counts thousands of changed lines exactly', () => {
  const lines = (word: string): string =>
    Array.from({ length: 20_000 }, (_, index) => (index % 2 === 0 ? `${word} ${index}\n` : `same ${index}\n`)).join('');
  expect(fileDiff(lines('old'), lines('new'), 60)).toMatchObject({ added: 10_000, removed: 10_000 });
});

it('cuts after the given number of lines and says how many there are', () => {
  const diff = fileDiff('', 'x\n'.repeat(100), 10);
  expect(diff.text.split('\n').at(-1)).toBe('[… 91 more lines]');
  expect(diff.added).toBe(100);
});
