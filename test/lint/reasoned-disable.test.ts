import { testRule } from './planted-cases.ts';

// Written in two parts, so that the comments below are text and not directives of this file.
const disable = 'oxlint-' + 'disable';

testRule('turnchart/reasoned-disable', [
  {
    title: 'reports a disable comment without a reason',
    path: 'src/runtime/bare.ts',
    text: `// ${disable}-next-line no-debugger\ndebugger;`,
    report: 'give the reason',
  },
  {
    title: 'reports one without a rule',
    path: 'src/runtime/all-rules.ts',
    text: `// ${disable}-next-line -- because\ndebugger;`,
    report: 'Name the rule',
  },
  {
    title: 'reports one that covers a file',
    path: 'src/runtime/whole-file.ts',
    text: `/* ${disable} no-debugger -- because */\ndebugger;`,
    report: 'for one line',
  },
  {
    title: 'reports the form of eslint as well',
    path: 'src/runtime/eslint.ts',
    text: `debugger; // ${disable.replace('oxlint', 'eslint')}-line no-debugger`,
    report: 'give the reason',
  },
  {
    title: 'allows one rule on one line with a reason',
    path: 'src/runtime/good.ts',
    text: `// ${disable}-next-line no-debugger -- a reason\ndebugger;`,
  },
]);
