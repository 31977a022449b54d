// Snippets: what stands in the guides comes from the examples.

import { describe, expect, test } from 'vitest';
import { fillSnippets } from '../../scripts/docs/snippets.ts';

const example = [
  "import { a } from 'turnchart';",
  '// #region outer',
  'function run() {',
  '  // #region inner',
  '  if (a) {',
  '    a();',
  '  }',
  '',
  '  // #endregion inner',
  '}',
  '// #endregion outer',
  '// #region nothing',
  '// #endregion nothing',
  '// #region endless',
  '// #region twice',
  '// #endregion twice',
  '// #region twice',
  '// #endregion twice',
  '',
].join('\n');

const fill = (...lines: readonly string[]) =>
  fillSnippets('README.md', lines.join('\n'), () => Promise.resolve(example));

describe('fillSnippets', () => {
  test('puts a region between the markers, without its indentation and without markers', async () => {
    const text = await fill('before', '<!-- snippet: examples/x.ts#inner -->', 'old', '<!-- /snippet -->', 'after');
    expect(text.split('\n')).toEqual([
      'before',
      '<!-- snippet: examples/x.ts#inner -->',
      '',
      '```ts',
      'if (a) {',
      '  a();',
      '}',
      '```',
      '',
      '<!-- /snippet -->',
      'after',
    ]);
  });

  test('leaves out the markers of regions inside', async () => {
    const text = await fill('<!-- snippet: examples/x.ts#outer -->', '<!-- /snippet -->');
    expect(text).toContain('function run() {\n  if (a) {');
    expect(text).not.toContain('#region');
  });

  test('puts the whole file where no region is named', async () => {
    const text = await fill('<!-- snippet: examples/x.ts -->', '<!-- /snippet -->');
    expect(text).toContain("```ts\nimport { a } from 'turnchart';\nfunction run() {");
  });

  test('imports from the package, as its readers do', async () => {
    const source = "import { a } from '../src/index.ts';\nimport { b } from '../src/testing/index.ts';";
    const text = await fillSnippets('README.md', '<!-- snippet: examples/x.ts -->\n<!-- /snippet -->', () =>
      Promise.resolve(source),
    );
    expect(text).toContain("import { a } from 'turnchart';\nimport { b } from 'turnchart/testing';");
  });

  test('changes nothing the second time', async () => {
    const once = await fill('<!-- snippet: examples/x.ts#inner -->', '<!-- /snippet -->', 'and', '');
    expect(await fill(once)).toBe(once);
  });

  test('fills several snippets, and indents one in a list', async () => {
    const text = await fill(
      '<!-- snippet: examples/x.ts#inner -->',
      '<!-- /snippet -->',
      '  <!-- snippet: examples/x.ts#inner -->',
      '  <!-- /snippet -->',
    );
    expect(text.match(/^```ts$/gm)).toHaveLength(1);
    expect(text.match(/^ {2}```ts\n {2}if \(a\) \{$/gm)).toHaveLength(1);
  });

  test('leaves text without snippets as it is', async () => {
    const text = 'one\n\n```ts\ncode\n```\n';
    expect(await fill(text)).toBe(text);
  });

  test.each([
    ['an unknown region', ['<!-- snippet: examples/x.ts#ghost -->', '<!-- /snippet -->'], 'README.md:1: .*found none'],
    ['an empty region', ['<!-- snippet: examples/x.ts#nothing -->', '<!-- /snippet -->'], 'is empty'],
    ['a region without an end', ['<!-- snippet: examples/x.ts#endless -->', '<!-- /snippet -->'], 'no end of it'],
    ['a region that is there twice', ['<!-- snippet: examples/x.ts#twice -->', '<!-- /snippet -->'], '2 of them'],
    ['a snippet without an end', ['', '<!-- snippet: examples/x.ts -->'], 'README.md:2: .*missing'],
    [
      'a snippet in a snippet',
      ['<!-- snippet: examples/x.ts -->', '<!-- snippet: examples/x.ts -->', '<!-- /snippet -->'],
      'README.md:1: .*missing',
    ],
    ['an end without a beginning', ['text', '<!-- /snippet -->'], 'README.md:2: .*never began'],
    ['a marker with text around it', ['see <!-- snippet: examples/x.ts --> here'], 'alone on its line'],
  ])('refuses %s', async (_name, lines, fault) => {
    await expect(fill(...lines)).rejects.toThrow(new RegExp(fault));
  });
});
