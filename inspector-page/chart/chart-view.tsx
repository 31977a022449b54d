// The statechart of an actor: drawn from its definition, active states lit, the last transition marked.

import type { ElkNode } from 'elkjs/lib/elk-api.js';
import {
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type WheelEvent,
} from 'react';
import type { ShownChart } from '../../src/inspect/chart-config.ts';
import { Drawing, type ChartNow } from './drawing.tsx';
import { nodesOf } from './graph.ts';
import { layOut, type PlacedChart } from './layout.ts';

interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

// Pixels a key moves the chart by.
const keyStep = 48;

const moves: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [keyStep, 0],
  ArrowRight: [-keyStep, 0],
  ArrowUp: [0, keyStep],
  ArrowDown: [0, -keyStep],
};

/** Draws a chart that fits its box; it can be moved and zoomed, by the pointer and by keys. */
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
  // A click here would take the arrow keys from the history, and nobody would see it.
  const onMouseDown = (event: MouseEvent) => {
    if (event.target instanceof Element && event.target.closest('button') === null) event.preventDefault();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = moves[event.key];
    if (move !== undefined) {
      const times = event.shiftKey ? 5 : 1;
      setMoved({ ...view, x: view.x + move[0] * times, y: view.y + move[1] * times });
    } else if (event.key === '+' || event.key === '=') zoom(1.25);
    else if (event.key === '-' || event.key === '_') zoom(0.8);
    else if (event.key === '0' || event.key === 'Home') {
      setWhole(true);
      setMoved(undefined);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const help = useId();

  return (
    <div
      ref={box}
      className="chart"
      role="group"
      aria-label="Chart"
      aria-describedby={help}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onMouseDown={onMouseDown}
      onWheel={onWheel}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={onPointerUp}
    >
      <p id={help} className="chart-help">
        Arrow keys move the chart, with Shift further; + and − zoom; 0 or Home shows all of it.
      </p>
      {placed === undefined && <p className="empty drawing">Drawing the chart…</p>}
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
        <button type="button" onClick={() => zoom(1.25)} aria-label="Zoom in" title="Zoom in (+)">
          +
        </button>
        <button type="button" onClick={() => zoom(0.8)} aria-label="Zoom out" title="Zoom out (−)">
          −
        </button>
        <button
          type="button"
          onClick={() => {
            setWhole(moved === undefined && !isWhole);
            setMoved(undefined);
          }}
          disabled={moved === undefined && whole >= readableScale}
          title={moved === undefined && !isWhole ? 'Show the whole chart (0)' : 'Follow what is active'}
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
