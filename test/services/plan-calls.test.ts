import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ToolCallBlock } from '../../src/conversation/block.ts';
import { planCalls, planFault } from '../../src/services/plan-calls.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { toolOf } from '../runtime/turn-bench.ts';

const runs = 100 * Number(process.env['TURNCHART_RUNS'] ?? 1);
const callOf = (name: string, index = 0, args = {}): ToolCallBlock => ({
  type: 'toolCall',
  id: `${name}${index}`,
  name,
  args,
});
const byArgs = defineTool({
  name: 'byArgs',
  description: 'depends',
  parameters: { type: 'object', properties: { safe: { type: 'boolean' } }, required: ['safe'] },
  isConcurrencySafe: (args) => (args as { safe: boolean }).safe,
  execute: () => 'ok',
});
const tools = new Map(
  [
    toolOf('safe', undefined, { isConcurrencySafe: true }),
    toolOf('alone'),
    byArgs,
    toolOf('throws', undefined, {
      isConcurrencySafe: () => {
        throw new Error('no');
      },
    }),
  ].map((tool) => [tool.name, tool]),
);
const plan = (...calls: ToolCallBlock[]) =>
  planCalls(calls, (name) => tools.get(name)).map((group) => group.map(({ name }) => name).join('+'));

describe('planCalls', () => {
  test('puts adjacent safe calls together and leaves every other alone, in call order', () => {
    const names = ['safe', 'safe', 'alone', 'alone', 'safe', 'alone', 'safe', 'safe'];
    expect(plan(...names.map((name, index) => callOf(name, index)))).toEqual([
      'safe+safe',
      'alone',
      'alone',
      'safe',
      'alone',
      'safe+safe',
    ]);
  });

  test('an unknown tool stands in nobody’s way', () => {
    expect(plan(callOf('safe'), callOf('nobody'), callOf('safe', 1))).toEqual(['safe+nobody+safe']);
  });

  test('asks a tool about its own arguments; those that do not fit are not safe', () => {
    const [yes, no, bad] = [{ safe: true }, { safe: false }, { safe: 'yes' }].map((args, index) =>
      callOf('byArgs', index, args),
    );
    if (yes === undefined || no === undefined || bad === undefined) throw new Error('unreachable');
    expect(plan(yes, yes, no, bad, yes)).toEqual(['byArgs+byArgs', 'byArgs', 'byArgs', 'byArgs']);
  });

  test('a tool that cannot say runs alone', () => {
    expect(plan(callOf('safe'), callOf('throws'), callOf('safe', 1))).toEqual(['safe', 'throws', 'safe']);
  });

  test('no calls give no groups', () => {
    expect(plan()).toEqual([]);
  });

  test('every plan has every call once and in order, and no two neighbours that could be one', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('safe', 'alone', 'throws', 'nobody')), (names) => {
        const calls = names.map((name, index) => callOf(name, index));
        const groups = planCalls(calls, (name) => tools.get(name));
        expect(groups.flat()).toEqual(calls);
        expect(planFault(groups, calls)).toBeUndefined();
        const isSafe = (group: readonly ToolCallBlock[]) =>
          group.every(({ name }) => name === 'safe' || name === 'nobody');
        for (const [index, group] of groups.entries()) {
          expect(group.length === 1 || isSafe(group)).toBe(true);
          expect(index > 0 && isSafe(group) && isSafe(groups[index - 1] ?? [])).toBe(false);
        }
      }),
      { numRuns: runs },
    );
  });
});

describe('planFault', () => {
  const calls = [callOf('a'), callOf('b')];
  const [first] = calls;
  test.each<[unknown, string]>([
    [undefined, 'expected an array of arrays of calls'],
    ['ab', 'expected an array of arrays of calls'],
    [calls, 'expected an array of arrays of calls'],
    [[[first]], 'call b0 (b) is in no group'],
    [[calls, [first]], '3 calls in the groups, expected 2'],
    [[calls.map((call) => ({ ...call }))], 'call a0 (a) is in no group'],
  ])('%j: %s', (given, fault) => {
    expect(planFault(given, calls)).toBe(fault);
  });

  test('is undefined for a plan in any order, empty groups allowed', () => {
    expect(planFault([[], calls.toReversed()], calls)).toBeUndefined();
  });
});
