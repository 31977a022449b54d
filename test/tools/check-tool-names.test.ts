// The names and shapes of tools at set-up.

import { describe, expect, test } from 'vitest';
import { checkToolNames } from '../../src/tools/check-tool-names.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { errorOf } from './error-of.ts';

const named = (name: string) =>
  defineTool({ name, description: '', parameters: { type: 'object' }, execute: () => undefined });
const handMade = (name: string) => ({ ...named('Good'), name, definition: { ...named('Good').definition, name } });

describe('checkToolNames', () => {
  test('accepts distinct names, also ones that differ only in case', () => {
    expect(() => checkToolNames([named('read'), named('Read'), named('a'.repeat(64)), named('A_b-9')])).not.toThrow();
  });

  test('refuses a name given twice and says where', () => {
    const error = errorOf(() => checkToolNames([named('Read'), named('Write'), named('Read')]));
    expect(error.code).toBe('tool.duplicateName');
    expect(error.message).toContain('"Read" (positions 0 and 2)');
  });

  test.each([
    ['', 'got ""'],
    ['my tool', 'got "my tool"'],
    ['a.b', 'got "a.b"'],
    ['naïve', 'got "naïve"'],
    ['tool🏷', 'got "tool🏷"'],
    ['a\n', 'got "a\\n"'],
    ['a'.repeat(65), `got "${'a'.repeat(65)}"`],
    ['a'.repeat(100), `got "${'a'.repeat(79)}…"`],
  ])('refuses the name %j of a hand-made tool', (name, reason) => {
    const error = errorOf(() => checkToolNames([handMade(name)]));
    expect(error.code).toBe('tool.invalidName');
    expect(error.message).toContain(reason);
  });

  test.each<[string, unknown, string]>([
    ['null', null, 'tools[0] is not a tool: expected an object made by defineTool, got null'],
    ['a function', () => 1, 'got a function'],
    ['a tool without parse', { ...named('A'), parse: undefined }, '"A": no parse function'],
    ['a tool without execute', { ...named('A'), execute: 1 }, '"A": no execute function'],
    ['a tool without definition', { ...named('A'), definition: undefined }, '"A": no definition'],
    [
      'a tool that publishes another name',
      { ...named('A'), definition: named('B').definition },
      'definition.name is "B" but the tool\'s name differs',
    ],
  ])('refuses %s', (_what, tool, reason) => {
    const error = errorOf(() => checkToolNames([tool]));
    expect(error.code).toBe('tool.invalid');
    expect(error.message).toContain(reason);
  });
});
