// From what a model sent to checked arguments, or to a message it can act on.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { jsonObjects, jsonValues } from '../../src/testing/properties/json-values.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { fitsSchema } from '../../src/tools/structural-check.ts';
import { hostileMakers, hostileValueMakers } from './hostile-values.ts';

const runs = 300 * Number(process.env['TURNCHART_RUNS'] ?? 1);
const base = { name: 'Edit', description: 'Edits.', execute: () => undefined };
const plain = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    mode: { enum: ['fast', 'slow'] },
    limit: { type: ['integer', 'null'] },
    edits: {
      type: 'array',
      items: {
        type: 'object',
        properties: { old: { type: 'string' }, new: { type: 'string' } },
        required: ['old', 'new'],
      },
    },
    options: { type: 'object', properties: { deep: { type: 'boolean' } }, additionalProperties: false },
  },
  required: ['path'],
  additionalProperties: false,
};
const tool = defineTool({ ...base, parameters: plain });
const zodSchema = z.strictObject({
  path: z.string(),
  mode: z.enum(['fast', 'slow']).optional(),
  limit: z.int().nullable().optional(),
  edits: z.array(z.object({ old: z.string(), new: z.string() })).optional(),
  options: z.strictObject({ deep: z.boolean().optional() }).optional(),
});
const zodTool = defineTool({ ...base, parameters: zodSchema });

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const expectedEdits = `"edits" must be { old: string, new: string }[], got string "${'['.repeat(39)}…"`;

/** The problems of a refused call, without the frame around them. */
function problemsOf(args: unknown, of = tool): string {
  const parsed = of.parse(args);
  if (parsed.ok) return expect.fail('the arguments were accepted');
  const match = /^Invalid arguments for Edit: ([^]*)\. Expected: \{ path: string, /.exec(parsed.message);
  return match?.[1] ?? expect.fail(`no frame in: ${parsed.message}`);
}

describe.each([
  ['a plain JSON Schema', tool],
  ['zod', zodTool],
])('parse with %s', (_what, of) => {
  test.each<[string, unknown, string]>([
    ['a missing field', {}, '"path" is required (string) but missing'],
    ['nothing', undefined, '"path" is required (string) but missing'],
    ['null', null, '"path" is required (string) but missing'],
    ['an empty text', '', '"path" is required (string) but missing'],
    ['an array', [{ path: 'a' }], 'the arguments must be one JSON object, got array with 1 item'],
    ['a number', 7, 'the arguments must be one JSON object, got number 7'],
    ['text that is no JSON', '{"path": a}', 'not valid JSON: expected a value at position 9, got "a"'],
    [
      'cut JSON',
      '{"path": "a',
      'not valid JSON: the text ends too early, expected the end of the string that begins at 9 at position 11',
    ],
    ['JSON text of an array', '[1]', 'the arguments must be one JSON object, got array with 1 item'],
    ['JSON nested without end', `{"path":${deep(6_000)}}`, 'nested deeper than 100 levels'],
    ['text of JSON nested without end', JSON.stringify(`{"path":${deep(200)}}`), 'nested deeper than 100 levels'],
    ['an array as text that is nested without end', { path: 'a', edits: deep(6_000) }, expectedEdits],
    ['text in text', '"path"', 'the arguments must be one JSON object, got string "path"'],
    ['a wrong type', { path: 5 }, '"path" must be string, got number 5'],
    ['null for a field', { path: null }, '"path" must be string, got null'],
    [
      'an array for an object',
      { path: 'a', options: [] },
      '"options" must be { deep?: boolean }, got array with 0 items',
    ],
    ['an object for a string', { path: { a: 1 } }, '"path" must be string, got object with "a"'],
    [
      'an object for an array',
      { path: 'a', edits: {} },
      '"edits" must be { old: string, new: string }[], got object without fields',
    ],
    ['a field of an item', { path: 'a', edits: [{ old: 'x', new: 1 }] }, '"edits[0].new" must be string, got number 1'],
    ['an unknown field', { path: 'a', file: 'b' }, '"file" is not a known field'],
    ['an unknown field inside', { path: 'a', options: { 'x y': 1 } }, '"options["x y"]" is not a known field'],
    ['a value outside of an enum', { path: 'a', mode: 'new' }, '"mode" must be "fast" | "slow", got string "new"'],
    [
      'several faults',
      { mode: 1, edits: 2 },
      '"path" is required (string) but missing; "mode" must be "fast" | "slow", got number 1; "edits" must be { old: string, new: string }[], got number 2',
    ],
  ])('explains %s', (_fault, args, problems) => {
    expect(problemsOf(args, of)).toBe(problems);
  });

  test('accepts null where the schema does', () => {
    expect(of.parse({ path: 'a', limit: null }).ok).toBe(true);
  });

  test('decodes arguments sent as JSON text, and as JSON text in a JSON string', () => {
    const args = { path: 'a', mode: 'fast' };
    expect(of.parse(JSON.stringify(args))).toEqual({ ok: true, args });
    expect(of.parse(JSON.stringify(JSON.stringify(args)))).toEqual({ ok: true, args });
  });

  test('decodes a field sent as JSON text where an object or array is wanted', () => {
    const edits = [{ old: 'a', new: 'b' }];
    const sent = { path: '{"keep":"text"}', edits: JSON.stringify(edits), options: '{"deep":true}' };
    expect(of.parse(sent)).toEqual({ ok: true, args: { path: '{"keep":"text"}', edits, options: { deep: true } } });
  });

  test('decodes thousands of items sent as JSON text, more than one round of it', () => {
    const edit = { old: 'a', new: 'b' };
    const sent = { path: 'a', edits: Array.from({ length: 6000 }, () => JSON.stringify(edit)) };
    expect(of.parse(sent)).toEqual({ ok: true, args: { path: 'a', edits: sent.edits.map(() => edit) } });
  });

  test('leaves a text that holds JSON of another kind than is wanted a text', () => {
    expect(problemsOf({ path: 'a', edits: '{"old":"a"}' }, of)).toBe(
      String.raw`"edits" must be { old: string, new: string }[], got string "{\"old\":\"a\"}"`,
    );
  });

  test('explains what is wrong inside of a field sent as JSON text', () => {
    expect(problemsOf({ path: 'a', edits: '[{"old":"a"}]' }, of)).toBe(
      '"edits[0].new" is required (string) but missing',
    );
  });

  test('explains a field whose text is not JSON', () => {
    expect(problemsOf({ path: 'a', edits: 'all' }, of)).toBe(
      '"edits" must be { old: string, new: string }[], got string "all"',
    );
  });

  test('lists five faults and counts the rest', () => {
    const edits = Array.from({ length: 8 }, () => ({ old: 'x', new: 1 }));
    const problems = problemsOf({ path: 'a', edits }, of);
    expect(problems.match(/must be string/g)).toHaveLength(5);
    expect(problems).toMatch(/; and 3 more$/);
  });

  test('shares nothing with what was sent', () => {
    const sent = { path: 'a', edits: [{ old: 'x', new: 'y' }] };
    const parsed = of.parse(sent);
    expect(parsed).toEqual({ ok: true, args: sent });
    expect(parsed.ok && parsed.args).not.toBe(sent);
    expect(parsed.ok && Reflect.get(Object(parsed.args), 'edits')).not.toBe(sent.edits);
  });

  test('keeps messages bounded whatever was sent', () => {
    const huge = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`${'k'.repeat(500)}${index}`, index]));
    const parsed = of.parse({ ...huge, path: 'x'.repeat(1_000_000), mode: 'y'.repeat(1_000_000) });
    expect(parsed.ok).toBe(false);
    expect(parsed.ok || parsed.message.length).toBeLessThanOrEqual(2000);
  });

  test.each(Object.entries(hostileMakers))('survives %s', (_what, make) => {
    expect(typeof of.parse(make()).ok).toBe('boolean');
    expect(typeof of.parse({ path: 'a', options: make() }).ok).toBe('boolean');
  });

  test('answers deep nesting instead of overflowing', () => {
    const text = `{"path":"a","options":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(of.parse(text).ok).toBe(false);
  });
});

describe('parse', () => {
  const fieldValue = fc.oneof(
    jsonValues(),
    fc.constantFrom('a', 'fast', 3, null, [], {}),
    jsonValues().map((value) => JSON.stringify(value)),
  );
  const nearArguments = fc.record(
    {
      path: fieldValue,
      mode: fieldValue,
      limit: fieldValue,
      edits: fieldValue,
      options: fieldValue,
      other: fieldValue,
    },
    { requiredKeys: [] },
  );
  const validArguments = fc.record(
    {
      path: fc.string(),
      mode: fc.constantFrom('fast', 'slow'),
      limit: fc.option(fc.integer()),
      edits: fc.array(fc.record({ old: fc.string(), new: fc.string() })),
      options: fc.record({ deep: fc.boolean() }, { requiredKeys: [] }),
    },
    { requiredKeys: ['path'], noNullPrototype: true },
  );
  const anySent = fc
    .oneof(nearArguments, validArguments, jsonObjects(), jsonValues(), fc.anything())
    .map((value) => () => value);

  test('never throws and accepts only what the schema accepts', () => {
    fc.assert(
      fc.property(fc.oneof(anySent, hostileValueMakers()), (make) => {
        const parsed = tool.parse(make());
        expect(parsed.ok ? fitsSchema(parsed.args, plain) : parsed.message.length <= 2000).toBe(true);
        const byZod = zodTool.parse(make());
        expect(byZod.ok ? zodSchema.safeParse(byZod.args).success : byZod.message.length <= 2000).toBe(true);
      }),
      { numRuns: runs },
    );
  });

  test('accepts what the schema accepts, as it is', () => {
    fc.assert(
      fc.property(validArguments, (args) => {
        expect(tool.parse(args)).toEqual({ ok: true, args });
        expect(zodTool.parse(args)).toEqual({ ok: true, args });
        expect(tool.parse(JSON.stringify(args))).toEqual({ ok: true, args });
      }),
      { numRuns: runs },
    );
  });

  test('never changes what was sent', () => {
    fc.assert(
      fc.property(fc.oneof(nearArguments, jsonValues()), (sent) => {
        const before = structuredClone(sent);
        tool.parse(sent);
        zodTool.parse(sent);
        expect(sent).toEqual(before);
      }),
      { numRuns: runs },
    );
  });

  test('keeps a field named __proto__ a field', () => {
    const open = defineTool({ ...base, parameters: { type: 'object' } });
    const parsed = open.parse(JSON.parse('{"__proto__":{"admin":true}}'));
    expect(parsed.ok && Object.keys(Object(parsed.args))).toEqual(['__proto__']);
    expect(parsed.ok && Reflect.get(Object(parsed.args), 'admin')).toBeUndefined();
  });
});
