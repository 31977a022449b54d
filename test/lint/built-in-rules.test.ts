// Rules of oxlint itself on which the design relies: that they are on, and mean what we think they mean.

import { testRule } from './planted-cases.ts';

testRule('import/no-cycle', [
  {
    title: 'reports a cycle of three files with type-only imports',
    path: 'src/contracts/a.ts',
    text: `import type { B } from './b.ts'; export interface A { b: B }`,
    beside: {
      'src/contracts/b.ts': `import type { C } from './c.ts'; export interface B { c: C }`,
      'src/contracts/c.ts': `import type { A } from './a.ts'; export interface C { a: A }`,
    },
    report: 'Dependency cycle',
  },
  {
    title: 'allows a chain',
    path: 'src/contracts/chain.ts',
    text: `import type { D } from './end.ts'; export interface Chain { d: D }`,
    beside: { 'src/contracts/end.ts': 'export interface D {}' },
  },
]);

testRule('import/no-default-export', [
  {
    title: 'reports a default export',
    path: 'src/runtime/default.ts',
    text: 'export default 1;',
    report: 'named exports',
  },
  { title: 'allows it in a config file', path: 'some.config.ts', text: 'export default 1;' },
]);

testRule('typescript/no-explicit-any', [
  { title: 'reports any in src', path: 'src/runtime/any.ts', text: 'export type Any = any;', report: 'any' },
  { title: 'allows it in tests', path: 'test/any.ts', text: 'export type Any = any;' },
]);

testRule('vitest/no-focused-tests', [
  {
    title: 'reports a focused test',
    path: 'test/focused.test.ts',
    text: `import { expect, test } from 'vitest'; test.only('x', () => { expect(1).toBe(1); });`,
    report: 'focused',
  },
]);

testRule(
  'typescript/no-floating-promises',
  [
    {
      title: 'reports a promise nobody waits for',
      path: 'src/runtime/floating.ts',
      text: 'async function work() {}\nwork();',
      report: 'Promises must be awaited',
    },
    {
      title: 'allows one that is dropped on purpose',
      path: 'src/runtime/dropped.ts',
      text: 'async function work() {}\nvoid work();',
    },
  ],
  { typeAware: true },
);

testRule(
  'typescript/switch-exhaustiveness-check',
  [
    {
      title: 'reports a switch that forgets a case',
      path: 'src/runtime/switch.ts',
      text: `export function f(x: 'a' | 'b') { switch (x) { case 'a': return 1; } return 2; }`,
      report: 'not exhaustive',
    },
    {
      title: 'allows a default',
      path: 'src/runtime/default-case.ts',
      text: `export function f(x: 'a' | 'b') { switch (x) { case 'a': return 1; default: return 2; } }`,
    },
  ],
  { typeAware: true },
);
