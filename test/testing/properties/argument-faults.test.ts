import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defineTool } from '../../../src/index.ts';
import { argumentFaults } from '../../../src/testing/properties/index.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

const schemas = {
  'with required fields': {
    type: 'object',
    properties: {
      path: { type: 'string' },
      mode: { enum: ['read', 'write'] },
      lines: { type: 'array', items: { type: 'number' } },
    },
    required: ['path'],
    additionalProperties: false,
  },
  'with optional fields': { type: 'object', properties: { limit: { type: 'integer' } } },
  'without fields': { type: 'object' },
} as const;

test.each(Object.entries(schemas))('a tool %s refuses every call', (_, parameters) => {
  const tool = defineTool({ name: 'tool', description: 'A tool.', parameters, execute: () => 'done' });
  fc.assert(
    fc.property(argumentFaults(tool.definition), ({ args, rawArgs, name }) => {
      expect(name).toBe('tool');
      if (args === undefined) expect(isJson(rawArgs ?? '')).toBe(false);
      else expect(tool.parse(args)).toMatchObject({ ok: false });
    }),
    { numRuns: 300 * runs },
  );
});

test('there are faults of every kind where the schema has them', () => {
  const tool = { name: 'tool', parameters: schemas['with required fields'] };
  const calls = fc.sample(argumentFaults(tool), { numRuns: 500, seed: 1 });
  const kinds = new Set(
    calls.map(({ args }) => {
      if (args === undefined) return 'no JSON';
      if (typeof args !== 'object' || args === null || Array.isArray(args)) return 'no object';
      return Object.keys(args).join();
    }),
  );
  expect([...kinds]).toEqual(expect.arrayContaining(['no JSON', 'no object', '', 'path', 'mode', 'lines', 'unknown']));
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
