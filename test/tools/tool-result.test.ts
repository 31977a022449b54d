// The constructors of tool results.

import { describe, expect, test, vi } from 'vitest';
import type { ResultContent } from '../../src/conversation/block.ts';
import { isToolResult, ToolResult } from '../../src/tools/tool-result.ts';

const sourceRule = 'source must be base64 (mediaType, data), url (url) or file (provider, fileId)';

describe('ToolResult', () => {
  test('text is one text block', () => {
    expect(ToolResult.text('hi')).toMatchObject({ content: [{ type: 'text', text: 'hi' }], isError: false });
  });

  test('json is one text block with compact JSON', () => {
    expect(ToolResult.json({ a: [1, 'b'] }).content).toEqual([{ type: 'text', text: '{"a":[1,"b"]}' }]);
  });

  test('json of a string has quotes', () => {
    expect(ToolResult.json('a').content).toEqual([{ type: 'text', text: '"a"' }]);
  });

  test('json of what JSON has no word for is null', () => {
    expect(ToolResult.json(undefined).content).toEqual([{ type: 'text', text: 'null' }]);
  });

  test('error is a failure', () => {
    expect(ToolResult.error('no')).toMatchObject({ content: [{ type: 'text', text: 'no' }], isError: true });
  });

  test('blocks drops unknown fields and keeps known ones', () => {
    const block = { type: 'text', text: 'a', data: { id: 'x' }, provider: 'p', extra: 1 } as const;
    expect(ToolResult.blocks([block]).content).toEqual([{ type: 'text', text: 'a', data: { id: 'x' }, provider: 'p' }]);
  });

  test.each<[string, unknown, string]>([
    ['an unknown type', { type: 'audio' }, 'not a text, image or document block'],
    ['a text without text', { type: 'text' }, 'text is missing'],
    ['an image without source', { type: 'image' }, sourceRule],
    ['a source without data', { type: 'image', source: { type: 'base64' } }, sourceRule],
    ['a source of unknown type', { type: 'image', source: { type: 'x' } }, sourceRule],
    ['an image of text', { type: 'image', source: { type: 'text', text: 'a' } }, sourceRule],
    ['a string', 'hello', 'not a text, image or document block'],
  ])('blocks describes %s instead of dropping it', (_what, block, fault) => {
    const { content } = ToolResult.blocks([block as ResultContent]); // callers without types
    expect(content).toEqual([
      { type: 'text', text: `(invalid content block: ${fault}; got ${JSON.stringify(block)})` },
    ]);
  });

  test('is recognised when another copy of the library made it', async () => {
    vi.resetModules();
    const copy = await import('../../src/tools/tool-result.ts');
    expect(copy.ToolResult).not.toBe(ToolResult);
    expect(isToolResult(copy.ToolResult.text('a'))).toBe(true);
  });

  test('cannot be forged by data', () => {
    expect(isToolResult(JSON.parse(JSON.stringify(ToolResult.text('a'))))).toBe(false);
  });

  test('shows its content in JSON', () => {
    expect(JSON.stringify(ToolResult.text('a'))).toBe('{"content":[{"type":"text","text":"a"}],"isError":false}');
  });
});
