// Compiles a chart into a table: for each leaf state and event the candidate transitions in order of priority, with
// everything they do worked out beforehand. Built from the chart's own config, so that what runs and what is shown have
// one source. Used by `chart-logic.ts`.

/** The parts of a machine made by `setup().createMachine()` and `.provide()` that are read here. */
export interface ReadableChart {
  readonly id: string;
  readonly config: object;
  readonly implementations: { readonly guards?: unknown; readonly actions?: unknown };
  /** What its `sendTo` actions do, by name: XState does not expose it. */
  readonly sends?: ChildSends;
}

/** What guards and actions are called with. */
export interface StepArguments {
  readonly context: unknown;
  readonly event: { readonly type: string };
}

/** A named action. */
export interface TableAction {
  readonly type: 'action';
  readonly run: (args: StepArguments, params: unknown) => void;
  readonly params: unknown;
}

/** An action that only sends an event to an invoked actor. */
export interface TableSend {
  readonly type: 'send';
  /** The id it was invoked with. */
  readonly child: string;
  readonly eventOf: (args: StepArguments) => { readonly type: string };
}

/** An actor that is invoked. */
export interface TableInvoke {
  readonly type: 'invoke';
  readonly id: string;
  readonly src: string;
  readonly inputOf: (args: StepArguments) => unknown;
}

/** One thing that a transition does. */
export type TableStep = TableAction | TableSend | TableInvoke;

/** A leaf state. */
export interface TableState {
  /** As XState writes it. */
  readonly value: unknown;
  /** Entering it ends the chart. */
  readonly isFinal: boolean;
  /** Transitions by event; its own come before those of its ancestors. */
  readonly rows: ReadonlyMap<string, readonly TableTransition[]>;
}

/** One candidate transition out of a leaf. */
export interface TableTransition {
  readonly guard: ((args: StepArguments) => unknown) | undefined;
  /** The leaf that is active afterwards; the same one when there is no target. */
  readonly target: TableState;
  /** Ids of the actors that the states it leaves have invoked, inner states first. */
  readonly stops: readonly string[];
  /** Its own actions, then the entry actions and invokes of each state it enters. */
  readonly steps: readonly TableStep[];
}

/** The first transition whose guard holds. */
export function chooseTransition(leaf: TableState, args: StepArguments): TableTransition | undefined {
  const rows = leaf.rows.get(args.event.type);
  if (rows === undefined) return undefined;
  // An index loop, here and where transitions are carried out: in code this cold for-of is several times slower.
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index];
    if (row?.guard === undefined || row.guard(args)) return row;
  }
  return undefined;
}

/** Sends to invoked actors, by the name of the action. */
export type ChildSends = Readonly<Record<string, Omit<TableSend, 'type'>>>;

/**
 * Reads a chart and returns the leaf it begins in. A chart that passes `checkChart`, as ours do, runs from its table
 * exactly as XState runs it.
 */
export function tableOf(chart: ReadableChart): TableState {
  const states = new Map<ChartNode, TableState>();
  const stateOf = (leaf: ChartNode): TableState => {
    const known = states.get(leaf);
    if (known !== undefined) return known;
    const rows = new Map<string, TableTransition[]>();
    const state = { value: valueOf(leaf), isFinal: endsChart(leaf), rows };
    states.set(leaf, state);
    // A chart that has ended takes no more events.
    for (let owner = state.isFinal ? undefined : leaf; owner !== undefined; owner = owner.parent) {
      for (const [event, transition] of transitionsOf(owner)) {
        rows.set(event, [...(rows.get(event) ?? []), rowOf(leaf, owner, transition)]);
      }
    }
    return state;
  };
  const rowOf = (leaf: ChartNode, owner: ChartNode, transition: Config): TableTransition => {
    const guards = chart.implementations.guards as Readonly<Record<string, TableTransition['guard']>> | undefined;
    const guard = guards?.[transition['guard'] as string];
    const steps = actionsOf(chart, transition['actions']);
    const target = targetOf(owner, transition['target']);
    if (target === undefined) return { guard, target: stateOf(leaf), stops: [], steps };
    const domain = domainOf(owner, target, transition['reenter'] === true);
    const entered = [...pathBelow(domain, target), ...defaultEntry(target)];
    return {
      guard,
      target: stateOf(entered.at(-1) ?? leaf),
      stops: pathBelow(domain, leaf).toReversed().flatMap(invokedIn),
      steps: [...steps, ...entered.flatMap((node) => entryOf(chart, node))],
    };
  };
  const root = nodeOf(chart);
  return stateOf(defaultEntry(root).at(-1) ?? root);
}

/** Fields of a chart, a state, a transition or an invoke. */
export type Config = Readonly<Record<string, unknown>>;

/** A state of the chart, leaf or compound. The root has no parent. */
export interface ChartNode {
  readonly name: string;
  readonly config: Config;
  readonly parent: ChartNode | undefined;
  readonly children: ReadonlyMap<string, ChartNode>;
}

/** The chart's states. */
export function nodeOf({ id, config }: Pick<ReadableChart, 'id' | 'config'>, parent?: ChartNode): ChartNode {
  const children = new Map<string, ChartNode>();
  const node = { name: id, config: config as Config, parent, children };
  for (const [name, child] of Object.entries((node.config['states'] ?? {}) as Record<string, Config>)) {
    children.set(name, nodeOf({ id: name, config: child }, node));
  }
  return node;
}

/** A state's transitions, each with its event: its own events, and the done and error events of what it invokes. */
export function transitionsOf({ config }: ChartNode): readonly (readonly [string, Config])[] {
  const handled = Object.entries((config['on'] ?? {}) as Config);
  for (const { id, onDone, onError } of listOf(config['invoke'])) {
    handled.push([`xstate.done.actor.${String(id)}`, onDone], [`xstate.error.actor.${String(id)}`, onError]);
  }
  return handled.flatMap(([event, transitions]) =>
    listOf(transitions, 'target').map((transition) => [event, transition] as const),
  );
}

/** Resolves a target: `name` is a sibling, `.name` a child, `#chart.path` starts at the root. */
export function targetOf(owner: ChartNode, target: unknown): ChartNode | undefined {
  if (target === undefined) return undefined;
  const [first = '', ...path] = String(target).split('.');
  const root = rootOf(owner);
  let node: ChartNode | undefined = owner;
  if (first === `#${root.name}`) node = root;
  else if (first !== '') node = (owner.parent ?? owner).children.get(first);
  for (const name of path) node = node?.children.get(name);
  return node;
}

/** The states below `from` that are entered by default, down to the leaf. */
export function defaultEntry(from: ChartNode): readonly ChartNode[] {
  const node = from.children.get(String(from.config['initial']));
  return node === undefined ? [] : [node, ...defaultEntry(node)];
}

/** One or many as a list of objects; a plain name becomes `{ [key]: name }`. */
export function listOf(oneOrMany: unknown, key = 'type'): readonly Config[] {
  return [oneOrMany ?? []].flat().map((one) => (typeof one === 'string' ? { [key]: one } : (one as Config)));
}

/** `node` is `ancestor` or lies within it. */
function isWithin(node: ChartNode, ancestor: ChartNode): boolean {
  return node === ancestor || (node.parent !== undefined && isWithin(node.parent, ancestor));
}

function rootOf(node: ChartNode): ChartNode {
  return node.parent === undefined ? node : rootOf(node.parent);
}

// Only a top-level final state ends the chart: a deeper one would end its parent, which XState announces by an event.
function endsChart({ config, parent }: ChartNode): boolean {
  return config['type'] === 'final' && parent?.parent === undefined;
}

function valueOf(leaf: ChartNode): unknown {
  let value: unknown = leaf.name;
  for (let node = leaf.parent; node?.parent !== undefined; node = node.parent) value = { [node.name]: value };
  return value;
}

function invokedIn({ config }: ChartNode): readonly string[] {
  return listOf(config['invoke']).map(({ id }) => id as string);
}

function entryOf(chart: ReadableChart, { config }: ChartNode): readonly TableStep[] {
  const invokes = listOf(config['invoke']).map(({ id, src, input }): TableInvoke => {
    const inputOf = typeof input === 'function' ? (input as TableInvoke['inputOf']) : () => input;
    return { type: 'invoke', id: id as string, src: src as string, inputOf };
  });
  return [...actionsOf(chart, config['entry']), ...invokes];
}

function actionsOf({ implementations, sends }: ReadableChart, given: unknown): readonly TableStep[] {
  const actions = implementations.actions as Readonly<Record<string, TableAction['run']>>;
  return listOf(given).map(({ type: name, params }) => {
    const send = sends?.[name as string];
    if (send !== undefined) return { type: 'send', ...send };
    return { type: 'action', run: actions[name as string] as TableAction['run'], params };
  });
}

// XState's rule: to the owner or into it, without `reenter`, stays inside the owner; else the nearest common ancestor.
function domainOf(owner: ChartNode, target: ChartNode, reenter: boolean): ChartNode {
  if (!reenter && isWithin(target, owner)) return owner;
  let domain = owner.parent ?? owner;
  while (domain.parent !== undefined && (target === domain || !isWithin(target, domain))) domain = domain.parent;
  return domain;
}

// The states below `domain`, down to `node`.
function pathBelow(domain: ChartNode, node: ChartNode): readonly ChartNode[] {
  return node === domain || node.parent === undefined ? [] : [...pathBelow(domain, node.parent), node];
}
