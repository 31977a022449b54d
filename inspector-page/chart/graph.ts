// A chart as a graph for the layout library: states as boxes in boxes, one edge for each pair of states with the events that
// lead from one to the other.

import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import { flatten, type ShownChart, type ShownState } from '../../src/inspect/chart-config.ts';

/** Sizes of texts in pixels. */
export interface TextSizes {
  readonly state: (text: string) => number;
  readonly event: (text: string) => number;
}

/** An edge with all that leads along it. */
export interface Arrow {
  readonly id: string;
  /** Where it is drawn from: a state, the start of a level, or a pill that stands for many states. */
  readonly from: string;
  /** The states it leads from. */
  readonly sources: readonly string[];
  readonly to: string;
  /** Shown, each once. */
  readonly events: readonly string[];
  /** As XState says them, to find the one that was taken. */
  readonly eventTypes: ReadonlySet<string>;
}

/** Heights in pixels that drawing and layout have to agree on. */
export const sizes = { state: 34, header: 30, line: 15, labelPad: 4, dot: 10 } as const;

/** The id of the dot a level begins at. */
function startOf(key: string): string {
  return `${key}#start`;
}

// A state that runs one service says whose end it is: `settled` alone is then enough.
function labelOf(event: string, eventType: string, services: readonly string[]): string {
  const service = /^xstate\.(?:done|error)\.actor\.(.+)$/.exec(eventType)?.[1];
  return service !== undefined && services.length === 1 && services[0] === service
    ? event.slice(service.length + 1)
    : event;
}

// What runs in a state, also on behalf of those it lies in.
function servicesOf(states: readonly ShownState[], key: string): readonly string[] {
  return states.flatMap((state) => (key === state.key || key.startsWith(`${state.key}.`) ? state.services : []));
}

/** The id of the pill that stands for all states that lead to a final one. */
export function manyTo(key: string): string {
  return `${key}#many`;
}

// An end that so many states lead to is drawn with one arrow: the rest of the chart would drown in its lines.
const manySources = 4;
const mostEventLines = 4;
// More of them are a black area.
const mostArrows = 500;
const mostEvents = 12; // of one arrow

/** Arrows between states, and from each level's start to its first state. */
export function arrowsOf(chart: ShownChart): readonly Arrow[] {
  const states = flatten(chart.states);
  const keys = new Set(states.map(({ key }) => key));
  const arrows = new Map<string, { from: string; to: string; events: Set<string>; eventTypes: Set<string> }>();
  for (const { key, transitions } of states) {
    for (const { target, event, eventType } of transitions) {
      if (target === undefined || !keys.has(target) || arrows.size >= mostArrows) continue;
      const id = `${key}→${target}`;
      const arrow = arrows.get(id) ?? { from: key, to: target, events: new Set(), eventTypes: new Set() };
      arrow.events.add(labelOf(event, eventType, servicesOf(states, key)));
      arrow.eventTypes.add(eventType);
      arrows.set(id, arrow);
    }
  }
  const finals = new Set(states.filter(({ isFinal }) => isFinal).map(({ key }) => key));
  const byTarget = Map.groupBy(arrows.values(), ({ to }) => to);
  const drawn = [...byTarget].flatMap(([to, list]): Arrow[] => {
    if (list.length < manySources || !finals.has(to)) {
      return list.map(({ from, events, eventTypes }) => ({
        id: `${from}→${to}`,
        from,
        to,
        sources: [from],
        events: [...events].slice(0, mostEvents),
        eventTypes,
      }));
    }
    const events = [...new Set(list.flatMap((arrow) => [...arrow.events]))];
    const shown = events.length > mostEventLines ? events.slice(0, mostEventLines - 1) : events;
    return [
      {
        id: `${manyTo(to)}→${to}`,
        from: manyTo(to),
        to,
        sources: list.map(({ from }) => from),
        events: shown.length < events.length ? [...shown, `and ${events.length - shown.length} more`] : shown,
        eventTypes: new Set(list.flatMap((arrow) => [...arrow.eventTypes])),
      },
    ];
  });
  const starts = [{ key: '', initial: chart.initial }, ...states].flatMap(({ key, initial }) => {
    const first = initial === undefined ? undefined : key === '' ? initial : `${key}.${initial}`;
    if (first === undefined || !keys.has(first)) return [];
    const from = startOf(key);
    return [{ id: from, from, to: first, sources: [], events: [], eventTypes: new Set<string>() }];
  });
  return [...drawn, ...starts];
}

/** The graph to lay out. Ids of nodes are keys of states; the root's is empty in `chart`, `root` here. */
export function graphOf(chart: ShownChart, arrows: readonly Arrow[], text: TextSizes): ElkNode {
  const starts = new Set(arrows.filter(({ id }) => id.endsWith('#start')).map(({ from }) => from));
  return {
    id: 'root',
    layoutOptions: {
      'elk.algorithm': 'layered',
      'elk.direction': 'DOWN',
      'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
      'elk.edgeRouting': 'ORTHOGONAL',
      'elk.json.edgeCoords': 'ROOT',
      'elk.json.shapeCoords': 'ROOT',
      'elk.padding': '[top=12,left=12,bottom=12,right=12]',
      'elk.layered.spacing.nodeNodeBetweenLayers': '20',
      'elk.layered.spacing.edgeNodeBetweenLayers': '12',
      'elk.layered.spacing.edgeEdgeBetweenLayers': '10',
      'elk.spacing.nodeNode': '20',
      'elk.spacing.edgeNode': '14',
      'elk.spacing.edgeEdge': '10',
      'elk.spacing.edgeLabel': '4',
      'elk.spacing.labelLabel': '6',
      'elk.spacing.nodeSelfLoop': '14',
      'elk.layered.edgeLabels.sideSelection': 'ALWAYS_DOWN',
      'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
      'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
      'elk.layered.compaction.postCompaction.strategy': 'EDGE_LENGTH',
    },
    children: [...levelOf(chart.states, '', starts, text), ...manyOf(arrows, text)],
    edges: arrows.map((arrow) => edgeOf(arrow, text)),
  };
}

/** What the pill of an arrow from many states says. */
export function manyText({ sources }: Arrow): string {
  return `any of ${sources.length}`;
}

function manyOf(arrows: readonly Arrow[], text: TextSizes): readonly ElkNode[] {
  return arrows
    .filter(({ from, to }) => from === manyTo(to))
    .map((arrow) => ({ id: arrow.from, width: Math.ceil(text.event(manyText(arrow))) + 20, height: 22 }));
}

function levelOf(
  states: readonly ShownState[],
  above: string,
  starts: ReadonlySet<string>,
  text: TextSizes,
): ElkNode[] {
  const nodes = states.map((state): ElkNode => {
    const width = Math.max(64, Math.ceil(text.state(state.name)) + 28 + (state.services.length > 0 ? 16 : 0));
    if (state.children.length === 0) return { id: state.key, width, height: sizes.state };
    return {
      id: state.key,
      children: levelOf(state.children, state.key, starts, text),
      layoutOptions: {
        'elk.padding': `[top=${sizes.header + 14},left=16,bottom=16,right=16]`,
        'elk.nodeSize.constraints': 'MINIMUM_SIZE',
        'elk.nodeSize.minimum': `(${width + 16}, ${sizes.header + 30})`,
      },
    };
  });
  const start = startOf(above);
  return starts.has(start) ? [{ id: start, width: sizes.dot, height: sizes.dot }, ...nodes] : nodes;
}

function edgeOf({ id, from, to, events }: Arrow, text: TextSizes): ElkExtendedEdge {
  const edge: ElkExtendedEdge = { id, sources: [from], targets: [to] };
  if (events.length === 0) return edge;
  const width = Math.max(...events.map((event) => Math.ceil(text.event(event)))) + 2 * sizes.labelPad;
  return { ...edge, labels: [{ text: id, width, height: events.length * sizes.line + sizes.labelPad }] };
}

/** All nodes of a graph, parents first, so that what lies inside is drawn on top. */
export function nodesOf(graph: ElkNode): readonly ElkNode[] {
  return (graph.children ?? []).flatMap((node) => [node, ...nodesOf(node)]);
}
