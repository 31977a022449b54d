// Draws a laid out chart: states, arrows and events, what is active and what was taken last.

import type { ElkNode } from 'elkjs/lib/elk-api.js';
import { memo, useMemo } from 'react';
import { flatten, type ShownChart, type ShownState } from '../../src/inspect/chart-config.ts';
import { manyText, manyTo, nodesOf, sizes, type Arrow } from './graph.ts';
import { pathOf } from './rounded-path.ts';

/** What is lit. */
export interface ChartNow {
  readonly active: ReadonlySet<string>;
  /** States before the last step, and the event it took. */
  readonly before: ReadonlySet<string> | undefined;
  readonly event: string | undefined;
}

/** The chart at its full size. */
export const Drawing = memo(function Drawing({
  chart,
  arrows,
  graph,
  now,
}: {
  readonly chart: ShownChart;
  readonly arrows: readonly Arrow[];
  readonly graph: ElkNode;
  readonly now: ChartNow;
}) {
  const states = useMemo(() => new Map(flatten(chart.states).map((state) => [state.key, state])), [chart]);
  const byId = useMemo(() => new Map(arrows.map((arrow) => [arrow.id, arrow])), [arrows]);
  const taken = takenArrow(arrows, now);
  const nodes = nodesOf(graph);
  const edges = (graph.edges ?? []).toSorted((left, right) => Number(left.id === taken) - Number(right.id === taken));
  return (
    <>
      <defs>
        {['', '-taken'].map((kind) => (
          <marker
            key={kind}
            id={`tip${kind}`}
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto-start-reverse"
          >
            <path className={`tip${kind}`} d="M0 0.500 8 4 0 7.500z" />
          </marker>
        ))}
      </defs>
      {nodes.map((node) => (
        <StateBox
          key={node.id}
          node={node}
          state={states.get(node.id)}
          many={arrows.find(({ from }) => from === node.id && node.id.endsWith('#many'))}
          isActive={now.active.has(node.id)}
        />
      ))}
      {edges.map((edge) => {
        const arrow = byId.get(edge.id);
        if (arrow === undefined) return null;
        const isTaken = edge.id === taken;
        return (
          <g key={edge.id} className={isTaken ? 'arrow taken' : 'arrow'}>
            <path d={pathOf(edge.sections ?? [])} markerEnd={`url(#tip${isTaken ? '-taken' : ''})`} />
          </g>
        );
      })}
      {edges.flatMap((edge) =>
        (edge.labels ?? []).map((label) => {
          const arrow = byId.get(edge.id);
          return (
            <g
              key={edge.id}
              className={edge.id === taken ? 'event taken' : 'event'}
              transform={`translate(${label.x} ${label.y})`}
            >
              <title>{arrow?.sources.length === 1 ? edge.id.replace('→', ' → ') : arrow?.sources.join(', ')}</title>
              <rect width={label.width} height={label.height} rx="3" />
              {arrow?.events.map((event, line) => (
                <text key={event} x={sizes.labelPad} y={line * sizes.line + sizes.line - 2}>
                  {event}
                </text>
              ))}
            </g>
          );
        }),
      )}
    </>
  );
});

function StateBox({
  node,
  state,
  many,
  isActive,
}: {
  readonly node: ElkNode;
  readonly state: ShownState | undefined;
  readonly many: Arrow | undefined;
  readonly isActive: boolean;
}) {
  const { x = 0, y = 0, width = 0, height = 0 } = node;
  if (many !== undefined) {
    return (
      <g className="many" transform={`translate(${x} ${y})`}>
        <title>{many.sources.join(', ')}</title>
        <rect width={width} height={height} rx={height / 2} />
        <text x={width / 2} y={height / 2 + 4}>
          {manyText(many)}
        </text>
      </g>
    );
  }
  if (state === undefined) {
    return <circle className="start" cx={x + width / 2} cy={y + height / 2} r={sizes.dot / 2} />;
  }
  const isLevel = state.children.length > 0;
  const kind = [
    'state',
    isActive ? 'active' : '',
    isLevel ? 'level' : '',
    state.isFinal ? 'final' : '',
    state.isParallel ? 'parallel' : '',
  ].join(' ');
  return (
    <g className={kind} data-state={state.key} transform={`translate(${x} ${y})`}>
      <title>{`${state.key}\n${state.description}`}</title>
      <rect width={width} height={height} rx="8" />
      {state.isFinal && <rect className="inner" x="3" y="3" width={width - 6} height={height - 6} rx="6" />}
      <text className="state-name" x={isLevel ? 14 : 12} y={isLevel ? 20 : height / 2 + 4.5}>
        {state.name}
      </text>
      {state.services.length > 0 && (
        <g className="works" transform={`translate(${width - 18} ${isLevel ? 15 : height / 2})`}>
          <title>{`invokes ${state.services.join(', ')}`}</title>
          <circle r="3.500" />
        </g>
      )}
    </g>
  );
}

// The arrow that led from the states before to the states now on that event.
function takenArrow(arrows: readonly Arrow[], { active, before, event }: ChartNow): string | undefined {
  if (before === undefined || event === undefined) return undefined;
  const fits = arrows.filter(
    ({ sources, to, eventTypes }) =>
      eventTypes.has(event) && active.has(to) && sources.some((from) => before.has(from)),
  );
  // The innermost source is the one whose transition was chosen.
  return fits.toSorted((left, right) => depthOf(right) - depthOf(left))[0]?.id;
}

function depthOf({ from, to }: Arrow): number {
  return from === manyTo(to) ? 0 : from.split('.').length;
}
