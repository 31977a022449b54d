// What the model reads of whatever a tool returned.

import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ResultContent } from '../../src/conversation/block.ts';
import { maxResultBytes, toToolResult } from '../../src/tools/result-content.ts';
import { ToolResult } from '../../src/tools/tool-result.ts';
import { hostileMakers, hostileValueMakers } from './hostile-values.ts';

const runs = 300 * Number(process.env['TURNCHART_RUNS'] ?? 1);

/** The text of a result that must be exactly one text block and no failure. */
function textOf(value: unknown): string {
  const { content, isError } = toToolResult(value);
  expect(isError).toBe(false);
  expect(content).toHaveLength(1);
  return content[0]?.type === 'text' ? content[0].text : expect.fail('no text block');
}

describe('toToolResult', () => {
  test.each<[string, unknown, string]>([
    ['a string', 'hello', 'hello'],
    ['an empty string', '', '(no output)'],
    ['undefined', undefined, '(no output)'],
    ['null', null, 'null'],
    ['a number', 1.5, '1.5'],
    ['NaN', Number.NaN, 'NaN'],
    ['a boolean', false, 'false'],
    ['a bigint', 5n, '5'],
    ['a symbol', Symbol('mark'), 'Symbol(mark)'],
    ['a function', function work() {}, '(function work)'],
    ['a date', new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ['a map', new Map([['a', new Map([[1, 2]])]]), '{"a":[[1,2]]}'],
    ['a set', new Set([1, 'b']), '[1,"b"]'],
    ['a nested bigint', { size: 12n }, '{"size":"12"}'],
    ['a nested error', { failed: new RangeError('far') }, '{"failed":{"name":"RangeError","message":"far"}}'],
    ['a class instance', new (class Point { x = 1 })(), '{"x":1}'], // prettier-ignore
    ['a regular expression', { pattern: /a+/g }, '{"pattern":"/a+/g"}'],
    ['a buffer', Buffer.from('secret'), '(Uint8Array, 6 bytes)'],
    ['a typed array in a field', { body: new Float64Array(4) }, '{"body":"(Float64Array, 32 bytes)"}'],
    ['an array buffer', new ArrayBuffer(8), '(ArrayBuffer, 8 bytes)'],
    ['a blob', new Blob(['abc'], { type: 'text/plain' }), '(Blob of type text/plain, 3 bytes)'],
    ['undefined in fields and lists', { a: undefined, b: [undefined] }, '{"b":[null]}'],
    ['a cycle', (() => { const a: unknown[] = [1]; a.push(a); return a; })(), '[1,"(circular)"]'], // prettier-ignore
    ['a toJSON that throws', { a: { toJSON: () => { throw new Error('no'); } } }, '{"a":"(unreadable: no)"}'], // prettier-ignore
  ])('shows %s', (_what, value, text) => {
    expect(textOf(value)).toBe(text);
  });

  test('shows plain data as JSON.stringify does, in one block', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        if (typeof value === 'string') return;
        expect(textOf(value)).toBe(JSON.stringify(value));
      }),
      { numRuns: runs },
    );
  });

  test('makes a failure of a returned error', () => {
    expect(toToolResult(new Error('disk full'))).toMatchObject({
      content: [{ type: 'text', text: 'disk full' }],
      isError: true,
    });
  });

  test('shows a ToolResult with its blocks in order', () => {
    const blocks: ResultContent[] = [
      { type: 'text', text: 'a picture:' },
      { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } },
      { type: 'document', source: { type: 'text', text: 'body' }, title: 'notes' },
    ];
    expect(toToolResult(ToolResult.blocks(blocks))).toMatchObject({ content: blocks, isError: false });
  });

  test('keeps the failure of ToolResult.error', () => {
    expect(toToolResult(ToolResult.error('no'))).toMatchObject({
      content: [{ type: 'text', text: 'no' }],
      isError: true,
    });
  });

  test('says of a ToolResult without content that there is no output', () => {
    expect(textOf(ToolResult.text(''))).toBe('(no output)');
    expect(textOf(ToolResult.blocks([]))).toBe('(no output)');
  });

  test('replaces lone surrogates in texts', () => {
    expect(textOf('a\ud800')).toBe('a\ufffd');
    expect(textOf(ToolResult.text('a\ud800'))).toBe('a\ufffd');
  });

  test('knows an error of another realm', () => {
    expect(toToolResult(runInNewContext('new RangeError("far")'))).toMatchObject({
      content: [{ type: 'text', text: 'far' }],
      isError: true,
    });
  });

  test('bounds a text of 100 MB and keeps its ends', () => {
    const text = textOf(`begin${'🏷é'.repeat(17_000_000)}end`);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxResultBytes);
    expect(text.startsWith('begin🏷é')).toBe(true);
    expect(text.endsWith('🏷éend')).toBe(true);
    expect(text).toMatch(/\[… \d+ of 102000008 bytes left out …\]/);
    expect(text.toWellFormed()).toBe(text);
  });

  test('bounds a list of two million numbers', () => {
    const text = textOf(Array.from({ length: 2_000_000 }, (_, index) => index));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxResultBytes);
    expect(text.startsWith('[0,1,2,')).toBe(true);
  });

  test('does not dump 100 MB of binary data inside of an object', () => {
    expect(textOf({ body: new Uint8Array(100_000_000) })).toBe('{"body":"(Uint8Array, 100000000 bytes)"}');
  });

  test('bounds the texts of many blocks together', () => {
    const block: ResultContent = { type: 'text', text: 'x'.repeat(400_000) };
    const { content } = toToolResult(ToolResult.blocks([block, block, block, block, block]));
    const bytes = content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
    expect(bytes).toBeLessThanOrEqual(maxResultBytes + 200);
    expect(content.at(-1)).toEqual({ type: 'text', text: '(2 more blocks left out: the result is too large)' });
  });

  test.each(Object.entries(hostileMakers))('survives %s', (_what, make) => {
    expectSane(make());
  });

  test('makes sane blocks of anything, also of hostile values', () => {
    const anything = fc
      .anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withSet: true,
        withTypedArray: true,
        withSparseArray: true,
        withNullPrototype: true,
        withObjectString: true,
        withBoxedValues: true,
      })
      .map((value) => () => value);
    fc.assert(
      fc.property(fc.oneof({ weight: 4, arbitrary: anything }, hostileValueMakers()), (make) => {
        expectSane(make());
      }),
      { numRuns: runs },
    );
  });

  test('makes sane blocks of a ToolResult with any content', () => {
    const field = fc.oneof(fc.constantFrom('text', 'image', 'document', 'base64', 'url'), fc.anything());
    const block = fc.record({ type: field, text: field, source: fc.record({ type: field, data: field, url: field }) });
    const makers = fc.oneof(
      block.map((value) => () => value),
      hostileValueMakers(),
    );
    fc.assert(
      fc.property(fc.array(makers, { maxLength: 4 }), (parts) => {
        const content = parts.map((make) => make());
        expectSane(ToolResult.blocks(content as ResultContent[])); // callers without types
      }),
      { numRuns: runs },
    );
  });
});

function expectSane(value: unknown): void {
  const { content, isError } = toToolResult(value);
  expect(typeof isError).toBe('boolean');
  expect(content.length).toBeGreaterThan(0);
  expect(JSON.parse(JSON.stringify(content))).toEqual(content);
  for (const block of content) {
    expect(['text', 'image', 'document']).toContain(block.type);
    if (block.type !== 'text') continue;
    expect(block.text).not.toBe('');
    expect(block.text.toWellFormed()).toBe(block.text);
    expect(block.text.length).toBeLessThanOrEqual(maxResultBytes);
  }
}
