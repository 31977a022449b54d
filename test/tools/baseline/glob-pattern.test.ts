// Globs beside the library most programs read them with, on every pattern that means the same to both.

import fc from 'fast-check';
import picomatch from 'picomatch';
import { describe, expect, it } from 'vitest';

import { braceAlternatives } from '../../../src/tools/baseline/brace-alternatives.ts';
import { globPattern, wayMatcher } from '../../../src/tools/baseline/glob-pattern.ts';
import { ignoreMatcher } from '../../../src/tools/baseline/ignore-matcher.ts';
import { namePattern } from '../../../src/tools/baseline/name-pattern.ts';

const runs = (count: number) => ({ numRuns: count * Number(process.env['TURNCHART_RUNS'] ?? 1) });

const piece = fc.constantFrom('a', 'b', '.', '-', '*', '?', '[ab]', '[a-c]', '{a,b}', '{a,*b}', '{.a,b?}', '\\*', '漢');
const part = fc.oneof(
  { weight: 4, arbitrary: fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join('')) },
  { weight: 1, arbitrary: fc.constant('**') },
);
const pattern = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const name = fc
  .array(fc.constantFrom('a', 'b', 'c', '.', '-', '*', '漢'), { minLength: 1, maxLength: 4 })
  .map((characters) => characters.join(''))
  .filter((text) => text !== '.' && text !== '..');
const way = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));

// They read these otherwise: dots beside wildcards, and ** at the end, which takes a file for a folder in some patterns.
const isPlain = (text: string): boolean =>
  !/\/\*\*$|\*\*\*|[^/]\*\*|\*\*[^/]|(?:^|\/)(?:\{[^}]*\}|\*|\?|\[[^\]]*\])*[{[]|(?:^|[/{,])\.{1,2}(?:$|[/},*?])|\*\?|\?\*|\/\.\*|\*\.|\.\.|\{[^}]*\}\{/.test(
    text,
  );

it('law: a way matches where picomatch says so', () => {
  fc.assert(
    fc.property(pattern.filter(isPlain), fc.array(way, { minLength: 1, maxLength: 20 }), (text, ways) => {
      const theirs = picomatch(text.includes('/') ? text : `**/${text}`, { nonegate: true, noextglob: true });
      const ours = wayMatcher(text);
      for (const each of ways) expect([each, ours?.(each)]).toEqual([each, theirs(each)]);
    }),
    runs(300),
  );
});

it('law: a folder above a match is entered', () => {
  fc.assert(
    fc.property(pattern, fc.array(way, { minLength: 1, maxLength: 20 }), (text, ways) => {
      const { base, matches, enters } = globPattern(text) ?? { base: '', matches: () => false, enters: () => true };
      for (const each of ways.filter((found) => base === '' && matches(found))) {
        const names = each.split('/');
        for (let depth = 1; depth < names.length; depth++) expect(enters(names.slice(0, depth).join('/'))).toBe(true);
      }
    }),
    runs(300),
  );
});

// By trying everything: what the quick way must agree with.
function slowMatch(text: string, whole: string): boolean {
  if (text === '') return whole === '';
  const [first, ...rest] = text;
  const [character, ...others] = whole;
  if (first === '!') return character !== undefined && character !== 'a' && slowMatch(rest.join(''), others.join(''));
  if (first === '*') return slowMatch(rest.join(''), whole) || (whole !== '' && slowMatch(text, others.join('')));
  return character !== undefined && (first === '?' || first === character) && slowMatch(rest.join(''), others.join(''));
}

it('law: a name matches where trying every way finds one', () => {
  const text = fc.array(fc.constantFrom('a', 'b', '🏷', '*', '?', '!'), { maxLength: 8 }).map((all) => all.join(''));
  const whole = fc.array(fc.constantFrom('a', 'b', '🏷'), { maxLength: 8 }).map((all) => all.join(''));
  fc.assert(
    fc.property(text, whole, (each, found) => {
      expect(namePattern(each.replaceAll('!', '[!a]')).matches(found)).toBe(slowMatch(each, found));
    }),
    runs(1_000),
  );
});

describe('folders', () => {
  it.each([
    ['src/*/x.ts', 'a', true],
    ['src/*/x.ts', 'a/b', false],
    ['*/x/*.ts', 'a/x', true],
    ['*/x/*.ts', 'a/y', false],
    ['**/x/*.ts', 'a/y/.z', false],
    ['{.a,b}/**', '.a', true],
    ['{.a,b}/**', '.c', false],
  ])('of %s: %s is entered: %s', (text, folder, isEntered) => {
    expect(globPattern(text)?.enters(folder)).toBe(isEntered);
  });
});

it.each([
  ['a', ['a']],
  ['{a,b}', ['a', 'b']],
  ['x{a,b{c,d}}y', ['xay', 'xbcy', 'xbdy']],
  ['{a}', ['{a}']],
  ['{}', ['{}']],
  ['{a,b', ['{a,b']],
  ['a,b}', ['a,b}']],
  ['{{a,b}', ['{a', '{b']],
  ['\\{a,b}', ['\\{a,b}']],
  ['{,x}', ['', 'x']],
  ['{1..3}', ['1', '2', '3']],
  ['{3..1}', ['3', '2', '1']],
  ['{08..10}', ['08', '09', '10']],
  ['{a..c}', ['a', 'b', 'c']],
  ['{a..3}', ['{a..3}']],
])('%s stands for %j', (text, alternatives) => {
  expect(braceAlternatives(text)).toEqual(alternatives);
});

it.each([
  '{'.repeat(2_000),
  '{a,'.repeat(700),
  '{a'.repeat(500) + '}'.repeat(500),
  '{a,'.repeat(500) + '}'.repeat(500),
])('braces many deep are taken apart in time (%#)', (text) => {
  expect(braceAlternatives(text)).not.toEqual([]);
});

describe('an ignore file', () => {
  it('of many names is looked up, and the last rule for a name counts', () => {
    const names = Array.from({ length: 50_000 }, (_, index) => `name${index}`);
    const matcher = ignoreMatcher([...names, '!name7', 'sub/', 'x*', '!x1', 'x1', '!sub', 'sub/'].join('\n'), true);
    const verdicts = [['name8', false], ['name7', false], ['sub', false], ['sub', true], ['x2', false], ['x1', false], ['y', false]] as const; // prettier-ignore
    expect(verdicts.map(([name, isFolder]) => matcher?.(name, isFolder, () => name))).toEqual([
      true,
      false,
      false,
      true,
      true,
      true,
      undefined,
    ]);
  });

  it('with a line longer than any path says nothing by it', () => {
    const matcher = ignoreMatcher(`${'a'.repeat(3_000_000)}\n${'*a/'.repeat(1_000_000)}\nb`, true);
    expect([matcher?.('a', false, () => 'a'), matcher?.('b', false, () => 'b')]).toEqual([undefined, true]);
  });
});

it('a pattern as long as a message is taken apart', () => {
  expect(namePattern('a'.repeat(500_000)).matches('a'.repeat(500_000))).toBe(true);
});

it('case is folded in ignore files where it does not count', () => {
  const matcher = ignoreMatcher('*.LOG\n/Dist\n', false);
  expect(matcher?.('a.log', false, () => 'a.log')).toBe(true);
  expect(matcher?.('DIST', true, () => 'DIST')).toBe(true);
  expect(ignoreMatcher('*.LOG\n', true)?.('a.log', false, () => 'a.log')).toBeUndefined();
});
