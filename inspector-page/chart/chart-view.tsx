// The statechart of an actor: drawn from its definition, active states lit, the last transition marked.

import type { ElkEdgeSection, ElkNode } from 'elkjs/lib/elk-api.js';
import { memo, useEffect, useMemo, useRef, useState, type PointerEvent, type WheelEvent } from 'react';
import { flatten, type ShownChart, type ShownState } from '../../src/inspect/chart-config.ts';
import { manyText, manyTo, sizes, type Arrow } from './graph.ts';
import { layOut, type PlacedChart } from './layout.ts';

/** What is lit. */
export interface ChartNow {
  readonly active: ReadonlySet<string>;
  /** States before the last step, and the event it took. */
  readonly before: ReadonlySet<string> | undefined;
  readonly event: string | undefined;
}

interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** Draws a chart that fits its box; it can be moved and zoomed. */
export function ChartView({ chart, now }: { readonly chart: ShownChart; readonly now: ChartNow }) {
  const box = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [placed, setPlaced] = useState<PlacedChart | 'failed' | undefined>();
  const [moved, setMoved] = useState<View | undefined>();
  /** All of it, however small; else as large as can be read, around what is active. */
  const [isWhole, setWhole] = useState(false);

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setSize({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    let isCurrent = true;
    setPlaced(undefined);
    setMoved(undefined);
    layOut(chart).then(
      (result) => isCurrent && setPlaced(result),
      () => isCurrent && setPlaced('failed'),
    );
    return () => {
      isCurrent = false;
    };
  }, [chart]);

  const graph = useMemo(() => {
    if (placed === undefined || placed === 'failed') return undefined;
    return placed.graphs.toSorted((left, right) => fitScale(right, size) - fitScale(left, size))[0];
  }, [placed, size]);
  const focus = useFocus(now);
  const whole = graph === undefined ? 1 : fitScale(graph, size);
  const view = useMemo((): View => {
    if (moved !== undefined) return moved;
    if (graph === undefined) return { x: 0, y: 0, scale: 1 };
    return viewOf(graph, size, isWhole ? whole : Math.max(whole, readableScale), focus);
  }, [moved, graph, size, isWhole, whole, focus]);

  const zoom = (factor: number, x = size.width / 2, y = size.height / 2) => {
    const scale = Math.min(3, Math.max(0.1, view.scale * factor));
    const ratio = scale / view.scale;
    setMoved({ scale, x: x - (x - view.x) * ratio, y: y - (y - view.y) * ratio });
  };
  const drag = useRef<{ x: number; y: number; view: View } | undefined>(undefined);
  const onWheel = (event: WheelEvent) => {
    const bounds = event.currentTarget.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY * 0.0015), event.clientX - bounds.left, event.clientY - bounds.top);
  };
  const onPointerDown = (event: PointerEvent) => {
    if (event.target instanceof Element && event.target.closest('button') !== null) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { x: event.clientX, y: event.clientY, view };
  };
  const onPointerMove = (event: PointerEvent) => {
    const from = drag.current;
    if (from === undefined) return;
    setMoved({
      ...from.view,
      x: from.view.x + event.clientX - from.x,
      y: from.view.y + event.clientY - from.y,
    });
  };
  const onPointerUp = () => {
    drag.current = undefined;
  };

  return (
    <div
      ref={box}
      className="chart"
      onWheel={onWheel}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={onPointerUp}
    >
      {placed === 'failed' && <p className="empty">This chart is too large, or of a kind that cannot be drawn.</p>}
      {placed !== undefined && placed !== 'failed' && graph !== undefined && size.width > 0 && (
        <svg
          className={moved === undefined ? 'follows' : ''}
          width={graph.width}
          height={graph.height}
          style={{ transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})` }}
          role="img"
          aria-label={`The chart of ${chart.id}`}
        >
          <Drawing chart={chart} arrows={placed.arrows} graph={graph} now={now} />
        </svg>
      )}
      <div className="chart-tools">
        <button type="button" onClick={() => zoom(1.25)} aria-label="Zoom in" title="Zoom in">
          +
        </button>
        <button type="button" onClick={() => zoom(0.8)} aria-label="Zoom out" title="Zoom out">
          −
        </button>
        <button
          type="button"
          onClick={() => {
            setWhole(moved === undefined && !isWhole);
            setMoved(undefined);
          }}
          disabled={moved === undefined && whole >= readableScale}
          title={moved === undefined && !isWhole ? 'Show the whole chart' : 'Follow what is active'}
        >
          {moved === undefined && !isWhole ? 'Whole' : 'Follow'}
        </button>
      </div>
    </div>
  );
}

// The states that became active last: with parallel ones the middle of all would show none of them.
function useFocus({ active, before }: ChartNow): ReadonlySet<string> {
  const focus = useRef<ReadonlySet<string>>(active);
  return useMemo(() => {
    const fresh = before === undefined ? active : new Set([...active].filter((key) => !before.has(key)));
    const isStale = [...focus.current].some((key) => !active.has(key));
    if (fresh.size > 0) focus.current = fresh;
    else if (isStale) focus.current = active;
    return focus.current;
  }, [active, before]);
}

// Below it nobody can read the events.
const readableScale = 0.85;

// Around the states in focus, but showing no more of the empty space than must be.
function viewOf(
  graph: ElkNode,
  size: { readonly width: number; readonly height: number },
  scale: number,
  focus: ReadonlySet<string>,
): View {
  const lit = nodesOf(graph).filter(({ id, children }) => focus.has(id) && (children ?? []).length === 0);
  const at = (side: 'x' | 'y', length: 'width' | 'height') => {
    const [room, all] = [size[length], (graph[length] ?? 0) * scale];
    if (all <= room - 16) return (room - all) / 2;
    const middles = lit.map((node) => (node[side] ?? 0) + (node[length] ?? 0) / 2);
    const middle = middles.length === 0 ? 0 : middles.reduce((sum, one) => sum + one, 0) / middles.length;
    return Math.min(8, Math.max(room - all - 8, room / 2 - middle * scale));
  };
  return { x: at('x', 'width'), y: at('y', 'height'), scale };
}

function fitScale(graph: ElkNode, { width, height }: { readonly width: number; readonly height: number }): number {
  return Math.min(1.15, (width - 16) / (graph.width ?? 1), (height - 16) / (graph.height ?? 1));
}

const Drawing = memo(function Drawing({
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

// Parents first, so that what lies inside is drawn on top.
function nodesOf(graph: ElkNode): readonly ElkNode[] {
  return (graph.children ?? []).flatMap((node) => [node, ...nodesOf(node)]);
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

function pathOf(sections: readonly ElkEdgeSection[]): string {
  return sections
    .map(({ startPoint, bendPoints = [], endPoint }) => rounded([startPoint, ...bendPoints, endPoint]))
    .join(' ');
}

// Straight lines with round corners.
function rounded(points: readonly { readonly x: number; readonly y: number }[]): string {
  const radius = 6;
  return points
    .map((point, index) => {
      const before = points[index - 1];
      const after = points[index + 1];
      if (before === undefined) return `M${point.x} ${point.y}`;
      if (after === undefined) return `L${point.x} ${point.y}`;
      const into = towards(point, before, radius);
      const out = towards(point, after, radius);
      return `L${into.x} ${into.y}Q${point.x} ${point.y} ${out.x} ${out.y}`;
    })
    .join('');
}

function towards(
  from: { readonly x: number; readonly y: number },
  to: { readonly x: number; readonly y: number },
  most: number,
): { readonly x: number; readonly y: number } {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const part = length === 0 ? 0 : Math.min(most, length / 2) / length;
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}
