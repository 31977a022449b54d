// Making tools: what they publish, what is refused at set-up, what the three schema libraries give.

import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { jsonSchema } from '../../src/codec/json-schema.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import type { ToolContext } from '../../src/contracts/tool.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { errorOf } from './error-of.ts';

const plain = {
  type: 'object',
  properties: { file_path: { type: 'string' }, limit: { type: 'integer' } },
  required: ['file_path'],
} as const;
const base = { name: 'Read', description: 'Reads a file.', execute: () => undefined };
const context: ToolContext = {
  callId: 'c1',
  idempotencyKey: 'm1/c1',
  signal: new AbortController().signal,
  turnContext: undefined,
  session: { id: 's1', get: (_key, create) => create() },
  conversation: createConversation(),
  progress: () => undefined,
};

/** The same parameters in every form `defineTool` takes. */
const forms = {
  'a zod schema': z.object({ file_path: z.string(), limit: z.int().optional() }),
  'an arktype schema': type({ file_path: 'string', 'limit?': 'number.integer' }),
  'a valibot schema through its converter': toStandardJsonSchema(
    v.object({ file_path: v.string(), limit: v.optional(v.pipe(v.number(), v.integer())) }),
  ),
  'jsonSchema()': jsonSchema<{ file_path: string; limit?: number }>(plain),
  'a plain JSON Schema': plain,
};

describe.each(Object.entries(forms))('a tool with %s', (_form, parameters) => {
  const tool = defineTool({ ...base, parameters });

  test('publishes name, description and JSON Schema', () => {
    expect(tool.definition).toMatchObject({
      name: 'Read',
      description: 'Reads a file.',
      parameters: {
        type: 'object',
        properties: { file_path: { type: 'string' }, limit: { type: 'integer' } },
        required: ['file_path'],
      },
    });
    expect(tool.definition.parameters).not.toHaveProperty('$schema');
  });

  test('accepts valid arguments', () => {
    expect(tool.parse({ file_path: 'a.ts', limit: 3 })).toEqual({ ok: true, args: { file_path: 'a.ts', limit: 3 } });
  });

  test('names field, expected and got for missing and wrong fields', () => {
    expect(tool.parse({ limit: 'ten' })).toEqual({
      ok: false,
      message:
        'Invalid arguments for Read: "file_path" is required (string) but missing; ' +
        '"limit" must be integer, got string "ten". Expected: { file_path: string, limit?: integer }',
    });
  });

  test('accepts the same arguments as JSON text', () => {
    expect(tool.parse('{"file_path":"a.ts"}')).toEqual({ ok: true, args: { file_path: 'a.ts' } });
  });

  test('hands checked arguments to execute', () => {
    const echo = defineTool({ ...base, parameters, execute: (args) => args });
    const parsed = echo.parse({ file_path: 'a.ts' });
    expect(parsed.ok && echo.execute(parsed.args, context)).toEqual({ file_path: 'a.ts' });
  });
});

describe('a schema library', () => {
  test('gives its output: defaults and transforms', () => {
    const parameters = z.object({ encoding: z.string().default('utf8'), size: z.string().transform(Number) });
    const tool = defineTool({ ...base, parameters });
    expect(tool.parse({ size: '12' })).toEqual({ ok: true, args: { encoding: 'utf8', size: 12 } });
    expect(tool.definition.parameters).toMatchObject({
      properties: { encoding: { type: 'string' }, size: { type: 'string' } },
      required: ['size'],
    });
  });

  test.each([
    ['zod', z.object({ count: z.number().min(1) }), '"count": Too small: expected number to be >=1, got number 0'],
    ['arktype', type({ count: 'number >= 1' }), '"count" must be at least 1 (was 0), got number 0'],
    [
      'valibot',
      toStandardJsonSchema(v.object({ count: v.pipe(v.number(), v.minValue(1)) })),
      '"count": Invalid value: Expected >=1 but received 0, got number 0',
    ],
  ])('%s supplies the words for rules of its own', (_library, parameters, words) => {
    const parsed = defineTool({ ...base, parameters }).parse({ count: 0 });
    expect(parsed).toMatchObject({ ok: false, message: expect.stringContaining(words) });
  });

  test.each([
    ['zod', z.strictObject({ a: z.string() })],
    ['arktype', type({ a: 'string', '+': 'reject' })],
    ['valibot', toStandardJsonSchema(v.strictObject({ a: v.string() }))],
    [
      'a plain schema',
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false } as const,
    ],
  ])('%s names unknown fields', (_library, parameters) => {
    const parsed = defineTool({ ...base, parameters }).parse({ a: 'x', extra: 1 });
    expect(parsed).toEqual({
      ok: false,
      message: 'Invalid arguments for Read: "extra" is not a known field. Expected: { a: string }',
    });
  });

  test('with an asynchronous check is refused with the reason', () => {
    const parameters = z.object({ a: z.string().refine(() => Promise.resolve(true)) });
    const parsed = defineTool({ ...base, parameters }).parse({ a: 'x' });
    expect(parsed).toMatchObject({
      ok: false,
      message: expect.stringContaining('an asynchronous check, or one that throws'),
    });
  });

  test('whose asynchronous check rejects leaves no unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', listen);
    const validate = () => Promise.reject(new Error('late'));
    const parameters = { '~standard': { ...jsonSchema(plain)['~standard'], validate } };
    expect(defineTool({ ...base, parameters }).parse({}).ok).toBe(false);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', listen);
    expect(unhandled).toEqual([]);
  });

  test('that throws is an answer with the reason', () => {
    const validate = () => {
      throw new Error('broken rule');
    };
    expect(defineTool({ ...base, parameters: jsonSchema(plain, { validate }) }).parse({ a: 'x' })).toMatchObject({
      ok: false,
      message: expect.stringContaining('Invalid arguments for Read: they cannot be checked: broken rule. Expected: {'),
    });
  });
});

describe('defineTool', () => {
  test('is not concurrency safe by default and takes a rule over the checked arguments', () => {
    expect(defineTool({ ...base, parameters: plain }).isConcurrencySafe).toBe(false);
    const parameters = z.object({ path: z.string() });
    const tool = defineTool({ ...base, parameters, isConcurrencySafe: (args) => args.path === 'a' });
    expect(typeof tool.isConcurrencySafe === 'function' && tool.isConcurrencySafe({ path: 'a' })).toBe(true);
  });

  test('passes settings on and leaves absent ones absent', () => {
    const bare = defineTool({ ...base, parameters: plain });
    for (const key of ['timeoutMs', 'replay', 'needsApproval', 'preview']) expect(bare).not.toHaveProperty(key);
    expect(Object.keys(bare.definition)).toEqual(['name', 'description', 'parameters']);
    const full = defineTool({
      ...base,
      parameters: plain,
      timeoutMs: 5,
      replay: 'safe',
      needsApproval: false,
      preview: () => 'look',
      strict: true,
      providerOptions: { cache: true },
    });
    expect(full).toMatchObject({ timeoutMs: 5, replay: 'safe', needsApproval: false });
    expect(full.definition).toMatchObject({ strict: true, providerOptions: { cache: true } });
    expect(full.preview?.({}, context)).toBe('look');
  });

  test('keeps execute a method of its specification', () => {
    class Greeter {
      readonly name = 'Greet';
      readonly description = 'Greets';
      readonly parameters = plain;
      readonly greeting = 'hello';
      execute(): string {
        return this.greeting;
      }
    }
    expect(defineTool(new Greeter()).execute({}, context)).toBe('hello');
  });

  test('refuses a member that it does not have', () => {
    const misspelt = { ...base, parameters: plain, timeout: 5 };
    expect(() => defineTool(misspelt)).toThrow(
      expect.objectContaining({
        code: 'tool.invalid',
        message:
          'Tool "Read": defineTool has no "timeout"; it has name, description, parameters, execute, preview, timeoutMs, replay, isConcurrencySafe, needsApproval, providerOptions, strict.',
      }) as Error,
    );
  });

  test('publishes a copy of the schema', () => {
    const parameters = { type: 'object', properties: { a: { type: 'string' } } };
    const tool = defineTool({ ...base, parameters });
    parameters.properties.a.type = 'number';
    expect(tool.definition.parameters).toEqual({ type: 'object', properties: { a: { type: 'string' } } });
  });

  test.each(['', 'my tool', 'ä', 'x'.repeat(65)])('refuses the name %j', (name) => {
    expect(errorOf(() => defineTool({ ...base, name, parameters: plain })).code).toBe('tool.invalidName');
  });

  test('says what a name must be and what it is', () => {
    const error = errorOf(() => defineTool({ ...base, name: 'read file', parameters: plain }));
    expect(error.message).toBe('A tool\'s name must be 1 to 64 of a-z, A-Z, 0-9, "_" and "-", got "read file".');
  });

  test.each<[string, object, string]>([
    ['a schema of another type', { parameters: { type: 'string' } }, '"type" must be "object", got string "string"'],
    ['a schema without type', { parameters: { properties: {} } }, '"type" must be "object", got nothing'],
    ['a union at the top', { parameters: z.union([z.object({ a: z.string() }), z.object({})]) }, '"type" must be'],
    ['no parameters', {}, 'parameters must be a schema, got nothing'],
    ['a string as parameters', { parameters: 'object' }, 'parameters must be a schema, got a string of 6 characters'],
    ['zod mini', { parameters: mini.object({}) }, 'does not carry JSON Schema'],
    ['valibot alone', { parameters: v.object({}) }, 'toStandardJsonSchema of @valibot/to-json-schema'],
    ['what JSON Schema cannot say', { parameters: z.object({ at: z.date() }) }, 'cannot be written as JSON Schema'],
    ['no execute', { parameters: plain, execute: undefined }, 'execute must be a function, got nothing'],
    [
      'a preview that cannot be called',
      { parameters: plain, preview: 'x' },
      'preview must be a function, got a string of 1 characters',
    ],
    ['no description', { parameters: plain, description: undefined }, 'description must be a string'],
    ['a timeout of 0', { parameters: plain, timeoutMs: 0 }, 'timeoutMs must be a number of milliseconds above 0'],
    [
      'an unknown replay',
      { parameters: plain, replay: 'maybe' },
      'replay must be "safe" or "unsafe", got a string of 5 characters',
    ],
    ['a string as rule', { parameters: plain, needsApproval: 'yes' }, 'needsApproval must be a boolean or a function'],
  ])('refuses %s', (_what, changes, reason) => {
    // callers without types
    const error = errorOf(() => defineTool({ ...base, ...changes } as unknown as Parameters<typeof defineTool>[0]));
    expect(error.code).toBe('tool.invalid');
    expect(error.message).toContain('Read');
    expect(error.message).toContain(reason);
  });

  test('refuses a cyclic schema', () => {
    const parameters: Record<string, unknown> = { type: 'object' };
    parameters['properties'] = { self: parameters };
    expect(errorOf(() => defineTool({ ...base, parameters })).code).toBe('tool.invalid');
  });

  test('takes a schema that knows only draft 7', () => {
    const standard = jsonSchema(plain)['~standard'];
    const input = ({ target }: { target: string }) => {
      if (target !== 'draft-07') throw new Error('unknown target');
      return { ...plain };
    };
    const tool = defineTool({ ...base, parameters: { '~standard': { ...standard, jsonSchema: { input } } } });
    expect(tool.definition.parameters).toEqual(plain);
  });
});
