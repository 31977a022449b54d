// Lays charts out in a worker, each once, in several ways of which the window's shape chooses.

import * as elkApi from 'elkjs/lib/elk-api.js';
import type { ELK, ELKConstructorArguments, ElkNode } from 'elkjs/lib/elk-api.js';
import workerUrl from 'elkjs/lib/elk-worker.min.js?url';
import { flatten, type ShownChart } from '../../src/inspect/chart-config.ts';
import { arrowsOf, graphOf, type Arrow } from './graph.ts';
import { textSizes } from './text-sizes.ts';

/** A chart with a place for everything. */
export interface PlacedChart {
  readonly chart: ShownChart;
  readonly arrows: readonly Arrow[];
  readonly graphs: readonly ElkNode[];
}

// A CommonJS module: what its default is depends on who reads it.
const given = elkApi.default as unknown as ElkClass | { readonly default: ElkClass };
const Elk = 'default' in given ? given.default : given;
type ElkClass = new (options: ELKConstructorArguments) => ELK;

const elk = new Elk({ workerFactory: () => new Worker(workerUrl) });
// Compact, high, and wide.
const shapes = [
  { 'elk.direction': 'DOWN' },
  { 'elk.direction': 'DOWN', 'elk.layered.cycleBreaking.strategy': 'DEPTH_FIRST' },
  { 'elk.direction': 'RIGHT' },
];
const placed = new WeakMap<ShownChart, Promise<PlacedChart>>();

// The layout takes as long as the square of it, and nobody could read the drawing.
const mostStates = 150;
const mostArrows = 300;

/** The chart laid out; rejects where it is too large, or the layout library fails on it. */
export function layOut(chart: ShownChart): Promise<PlacedChart> {
  let promise = placed.get(chart);
  if (promise === undefined) {
    promise = place(chart);
    placed.set(chart, promise);
  }
  return promise;
}

async function place(chart: ShownChart): Promise<PlacedChart> {
  const arrows = arrowsOf(chart);
  if (flatten(chart.states).length > mostStates || arrows.length > mostArrows) throw new Error('too large to be drawn');
  const graph = graphOf(chart, arrows, textSizes());
  const graphs = await Promise.all(
    shapes.map((shape) => elk.layout({ ...graph, layoutOptions: { ...graph.layoutOptions, ...shape } })),
  );
  return { chart, arrows, graphs };
}
