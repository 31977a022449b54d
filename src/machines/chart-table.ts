// A chart read into a table: for each leaf state and event the transitions in order of priority, with all that they do
// worked out beforehand. Made from the chart's own config, so that there is one source for what runs and what is shown.

/** What is read of a machine made by `setup().createMachine()` and `.provide()`. */
export interface ReadableChart {
  readonly id: string;
  readonly config: object;
  readonly implementations: { readonly guards?: unknown; readonly actions?: unknown };
  /** What its `sendTo` actions do, by name: XState keeps that to itself. */
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
  /** The chart ends in it. */
  readonly isFinal: boolean;
  /** Transitions by event, its own before those of the states around it. */
  readonly rows: ReadonlyMap<string, readonly TableTransition[]>;
}

/** One candidate transition out of a leaf. */
export interface TableTransition {
  readonly guard: ((args: StepArguments) => unknown) | undefined;
  /** The leaf that is active afterwards; the same one when there is no target. */
  readonly target: TableState;
  /** Ids of what the states it leaves have invoked, inner states first. */
  readonly stops: readonly string[];
  /** Its own actions, then of each state it enters the entry actions and what is invoked. */
  readonly steps: readonly TableStep[];
}

/** The first transition whose guard holds. */
export function chooseTransition(leaf: TableState, args: StepArguments): TableTransition | undefined {
  const rows = leaf.rows.get(args.event.type);
  if (rows === undefined) return undefined;
  // By index, here and in what carries a transition out: code this cold runs for-of several times slower.
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index];
    if (row?.guard === undefined || row.guard(args)) return row;
  }
  return undefined;
}

/** Sends to invoked actors, by the name of the action. */
export type ChildSends = Readonly<Record<string, Omit<TableSend, 'type'>>>;

/**
 * Reads a chart and gives the leaf it begins in. What `checkChart` lets pass, as it does each of our charts, then runs as
 * XState runs it.
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

/** What a state handles, with the event of each: its events, and the ends of what it invokes. */
export function transitionsOf({ config }: ChartNode): readonly (readonly [string, Config])[] {
  const handled = Object.entries((config['on'] ?? {}) as Config);
  for (const { id, onDone, onError } of listOf(config['invoke'])) {
    handled.push([`xstate.done.actor.${String(id)}`, onDone], [`xstate.error.actor.${String(id)}`, onError]);
  }
  return handled.flatMap(([event, transitions]) =>
    listOf(transitions, 'target').map((transition) => [event, transition] as const),
  );
}

/** `name` is a sibling, `.name` a child, `#chart.path` counts from the root. */
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

/** The states from below `from` down to the leaf that is entered by default. */
export function defaultEntry(from: ChartNode): readonly ChartNode[] {
  const node = from.children.get(String(from.config['initial']));
  return node === undefined ? [] : [node, ...defaultEntry(node)];
}

/** One or many, each as an object: a mere name is the `key` of one. */
export function listOf(oneOrMany: unknown, key = 'type'): readonly Config[] {
  return [oneOrMany ?? []].flat().map((one) => (typeof one === 'string' ? { [key]: one } : (one as Config)));
}

/** It is the state or lies in it. */
function isWithin(node: ChartNode, ancestor: ChartNode): boolean {
  return node === ancestor || (node.parent !== undefined && isWithin(node.parent, ancestor));
}

function rootOf(node: ChartNode): ChartNode {
  return node.parent === undefined ? node : rootOf(node.parent);
}

// Only a state of the chart's own ends it: what lies deeper would end its parent, of which XState tells by an event.
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

// XState's rule: into itself without reentering stays inside the owner; else the nearest state that holds both.
function domainOf(owner: ChartNode, target: ChartNode, reenter: boolean): ChartNode {
  if (!reenter && isWithin(target, owner)) return owner;
  let domain = owner.parent ?? owner;
  while (domain.parent !== undefined && (target === domain || !isWithin(target, domain))) domain = domain.parent;
  return domain;
}

// From below `domain` down to `node`.
function pathBelow(domain: ChartNode, node: ChartNode): readonly ChartNode[] {
  return node === domain || node.parent === undefined ? [] : [...pathBelow(domain, node.parent), node];
}
