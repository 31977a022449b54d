import { chartSource } from './chart-source.ts';
import { testRule } from './planted-cases.ts';

const good = { title: 'allows a good chart', path: 'src/machines/good.ts', text: chartSource() };

testRule('turnchart/one-setup', [
  good,
  {
    title: 'reports a second setup in a file',
    path: 'src/machines/two.ts',
    text: `${chartSource()}\nexport const other = setup({});`,
    report: 'setup() already',
  },
  {
    title: 'reports a machine without setup',
    path: 'src/machines/bare.ts',
    text: `import { createMachine } from 'xstate'; export const chart = createMachine({});`,
    report: 'Build the machine with setup',
  },
]);

testRule('turnchart/event-names', [
  good,
  {
    title: 'reports a name without a dot in on',
    path: 'src/machines/on.ts',
    text: chartSource({ idle: `{ description: 'Rests.', on: { START: 'running' } }` }),
    report: `'START'`,
  },
  {
    title: 'reports a wildcard',
    path: 'src/machines/wildcard.ts',
    text: chartSource({ root: `description: 'A chart.', on: { '*': '.idle' },` }),
    report: `'*'`,
  },
  {
    title: 'reports a name in the event types',
    path: 'src/machines/types.ts',
    text: chartSource({ events: `{ type: 'chart.start' } | { type: 'chart_stop' }` }),
    report: `'chart_stop'`,
  },
  {
    title: 'follows named event types in the same file',
    path: 'src/machines/named-types.ts',
    text: chartSource({
      before: `interface Stop { readonly type: 'stop' }\ntype Events = { readonly type: 'chart.start' } | Stop;`,
      events: 'Events',
    }),
    report: `'stop'`,
  },
]);

testRule('turnchart/complete-invokes', [
  good,
  {
    title: 'reports an invoke without onError',
    path: 'src/machines/no-error.ts',
    text: chartSource({ running: `{ description: 'Works.', invoke: { src: 'work', id: 'work', onDone: 'idle' } }` }),
    report: `Invoke in state 'running' lacks onError.`,
  },
  {
    title: 'reports an invoke without id and onDone',
    path: 'src/machines/no-id.ts',
    text: chartSource({ running: `{ description: 'Works.', invoke: { src: 'work', onError: 'idle' } }` }),
    report: 'lacks id, onDone.',
  },
  {
    title: 'looks at every invoke of a list',
    path: 'src/machines/list.ts',
    text: chartSource({
      running: `{ description: 'Works.', invoke: [{ src: 'work', id: 'work', onDone: 'idle', onError: 'idle' }, { src: 'rest', id: 'rest', onDone: 'idle' }] }`,
    }),
    report: 'lacks onError.',
  },
  {
    title: 'looks at an invoke on the root',
    path: 'src/machines/root.ts',
    text: chartSource({ root: `description: 'A chart.', invoke: { src: 'work', id: 'work', onError: '.idle' },` }),
    report: 'lacks onDone.',
  },
  {
    title: 'looks at a state below a state',
    path: 'src/machines/nested.ts',
    text: chartSource({
      running: `{ description: 'Works.', initial: 'a', states: { a: { description: 'A.', invoke: { src: 'work', id: 'work', onDone: 'idle' } } } }`,
    }),
    report: `state 'running.a'`,
  },
]);

testRule('turnchart/described-states', [
  good,
  {
    title: 'reports a state without a description',
    path: 'src/machines/silent.ts',
    text: chartSource({ idle: '{}' }),
    report: `State 'idle' has no one-line description.`,
  },
  {
    title: 'reports a root without a description',
    path: 'src/machines/silent-root.ts',
    text: chartSource({ root: '' }),
    report: 'The root state has no one-line description.',
  },
  {
    title: 'reports an empty description',
    path: 'src/machines/empty.ts',
    text: chartSource({ idle: `{ description: ' ' }` }),
    report: `State 'idle'`,
  },
  {
    title: 'reports a description of two lines',
    path: 'src/machines/two-lines.ts',
    text: chartSource({ idle: `{ description: 'One.\\nTwo.' }` }),
    report: `State 'idle'`,
  },
  {
    title: 'reports a state below a state',
    path: 'src/machines/deep.ts',
    text: chartSource({ running: `{ description: 'Works.', states: { a: {} } }` }),
    report: `State 'running.a'`,
  },
  {
    title: 'follows a constant to a state without a description',
    path: 'src/machines/constant.ts',
    text: chartSource({ before: 'const idle = {} as const;', idle: 'idle' }),
    report: `State 'idle' has no one-line description.`,
  },
  {
    title: 'reports a state it cannot read',
    path: 'src/machines/unreadable.ts',
    text: chartSource({ idle: 'makeState()' }),
    report: `State 'idle' is not an object literal.`,
  },
  {
    title: 'reads states that are constants or spread',
    path: 'src/machines/spread.ts',
    text: chartSource({
      before: `const resting = { description: 'Rests.' } as const; const below = { a: resting };`,
      idle: '{ ...resting, states: { ...below } }',
    }),
  },
]);

testRule('turnchart/bounded-charts', [
  good,
  {
    title: 'reports a chart without options',
    path: 'src/machines/unbounded.ts',
    text: chartSource({ options: '' }),
    report: 'maxIterations',
  },
  {
    title: 'reports options without the bound',
    path: 'src/machines/other-options.ts',
    text: chartSource({ options: 'options: {},' }),
    report: 'maxIterations',
  },
]);

testRule('turnchart/no-hidden-transitions', [
  good,
  {
    title: 'reports after',
    path: 'src/machines/after.ts',
    text: chartSource({ idle: `{ description: 'Rests.', after: { 100: 'running' } }` }),
    report: `State 'idle' has 'after'.`,
  },
  {
    title: 'reports always',
    path: 'src/machines/always.ts',
    text: chartSource({ idle: `{ description: 'Rests.', always: 'running' }` }),
    report: `State 'idle' has 'always'.`,
  },
  {
    title: 'leaves files outside of src/machines alone',
    path: 'test/machine.ts',
    text: chartSource({ idle: `{ description: 'Rests.', always: 'running' }` }),
  },
]);
