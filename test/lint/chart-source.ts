// Source text of a small chart, good in every respect, whose parts a test can replace by faulty ones.

/** Parts of the chart as source text. */
export interface ChartParts {
  readonly before?: string;
  readonly events?: string;
  readonly options?: string;
  readonly root?: string;
  readonly idle?: string;
  readonly running?: string;
}

/** The file's text. */
export function chartSource(parts: ChartParts = {}): string {
  const part = { ...good, ...parts };
  return `
    import { setup } from 'xstate';
    ${part.before}
    /** A chart. */
    export const chart = setup({ types: { events: {} as ${part.events} } }).createMachine({
      id: 'chart',
      ${part.root}
      ${part.options}
      initial: 'idle',
      states: { idle: ${part.idle}, running: ${part.running} },
    });
  `;
}

const good = {
  before: '',
  events: `{ type: 'chart.start' }`,
  options: 'options: { maxIterations: 1000 },',
  root: `description: 'A chart.',`,
  idle: `{ description: 'Rests.', on: { 'chart.start': 'running', 'xstate.done.actor.work': 'running' } }`,
  running: `{ description: 'Works.', invoke: { src: 'work', id: 'work', onDone: 'idle', onError: 'idle' } }`,
} satisfies Required<ChartParts>;
