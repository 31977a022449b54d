import { testRule } from './planted-cases.ts';

testRule('turnchart/documented-exports', [
  { title: 'reports a function', path: 'src/runtime/function.ts', text: 'export function run() {}', report: `'run'` },
  { title: 'reports a constant', path: 'src/runtime/constant.ts', text: 'export const one = 1;', report: `'one'` },
  { title: 'reports a type', path: 'src/runtime/type.ts', text: 'export type One = 1;', report: `'One'` },
  { title: 'reports an interface', path: 'src/runtime/interface.ts', text: 'export interface One {}', report: `'One'` },
  { title: 'reports a class', path: 'src/runtime/class.ts', text: 'export class One {}', report: `'One'` },
  {
    title: 'reports a declaration that is exported further down',
    path: 'src/runtime/later.ts',
    text: 'const one = 1;\nexport { one };',
    report: `'one'`,
  },
  {
    title: 'does not take a line comment for a doc comment',
    path: 'src/runtime/line-comment.ts',
    text: '// One.\nexport const one = 1;',
    report: `'one'`,
  },
  {
    title: 'does not take an empty comment for a doc comment',
    path: 'src/runtime/empty-comment.ts',
    text: '/**\n * \n */\nexport const one = 1;',
    report: `'one'`,
  },
  {
    title: 'allows documented exports',
    path: 'src/runtime/good.ts',
    text: '/** One. */\nexport const one = 1;\n\n/** Two. */\nconst two = 2;\nexport { two };\n/** Or three. */\nexport type Three = 3;',
  },
  {
    title: 'asks overloads for one comment',
    path: 'src/runtime/overloads.ts',
    text: '/** Twice. */\nexport function twice(x: 1): 2;\nexport function twice(x: 2): 4;\nexport function twice(x: number): number { return 2 * x; }',
  },
  { title: 'asks nothing of re-exports', path: 'src/runtime/again.ts', text: `export { one } from './good.ts';` },
  {
    title: 'looks past a disable comment',
    path: 'src/runtime/disabled.ts',
    text: '/** One. */\n// oxlint-disable-next-line typescript/no-explicit-any -- the contract says so\nexport type One = any;',
  },
  { title: 'leaves tests alone', path: 'test/anything.ts', text: 'export const one = 1;' },
]);
