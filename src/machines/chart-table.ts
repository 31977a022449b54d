// A chart read into a table: for each leaf state and event the transitions in order of priority, with what they exit and
// enter worked out beforehand. Made from the chart's own config, so that there is one source for what runs and what is shown.

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

/** A named action with its params bound. `child` = it only sends an event to an invoked actor of that id. */
export type TableAction =
  | { readonly run: (args: StepArguments) => void }
  | { readonly child: string; readonly eventOf: (args: StepArguments) => { readonly type: string } };

/** An invoked actor. */
export interface TableInvoke {
  readonly id: string;
  readonly src: string;
  readonly input: ((args: StepArguments) => unknown) | undefined;
}

/** A state, leaf or compound. */
export interface TableNode {
  readonly name: string;
  readonly depth: number;
  readonly parent: TableNode | undefined;
  readonly isFinal: boolean;
  readonly entry: readonly TableAction[];
  readonly invokes: readonly TableInvoke[];
  readonly children: Map<string, TableNode>;
  initial: TableNode | undefined;
  /** Of a leaf: its value as XState writes it. */
  value: unknown;
  /** Of a leaf: transitions by event, its own before its ancestors'. */
  readonly rows: Map<string, TableTransition[]>;
}

/** One candidate transition out of a leaf. */
export interface TableTransition {
  readonly guard: ((args: StepArguments) => boolean) | undefined;
  readonly actions: readonly TableAction[];
  /** The leaf that is active afterwards; the same one when there is no target. */
  readonly target: TableNode;
  readonly exits: readonly TableNode[];
  readonly enters: readonly TableNode[];
}

/** The first transition whose guard holds. */
export function chooseTransition(leaf: TableNode, args: StepArguments): TableTransition | undefined {
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
export type ChildSends = Readonly<Record<string, Extract<TableAction, { readonly child: string }>>>;

/**
 * Reads a chart. Throws on anything the table does not know (parallel states, history, delays, eventless transitions,
 * inline or composed guards, wildcards): what it accepts it runs as XState does.
 */
export function tableOf(chart: ReadableChart): { readonly root: TableNode; readonly initial: readonly TableNode[] } {
  const { root } = new Reader(chart);
  return { root, initial: defaultEntry(root) };
}

/** The states from below `from` down to the leaf that is entered by default. */
export function defaultEntry(from: TableNode): readonly TableNode[] {
  const path: TableNode[] = [];
  for (let node = from.initial; node !== undefined; node = node.initial) path.push(node);
  return path;
}

type Config = Readonly<Record<string, unknown>>;
type Implementations = Readonly<Record<string, unknown>>;

const keysOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));
const nodeKeys = /* @__PURE__ */ keysOf('id description initial states on entry invoke type');
// A root is never left or entered, so it has neither entry actions nor invokes.
const rootKeys = /* @__PURE__ */ keysOf('id description initial states on context options output schemas');
const transitionKeys = /* @__PURE__ */ keysOf('target guard actions reenter');
const invokeKeys = /* @__PURE__ */ keysOf('id src input onDone onError');

class Reader {
  readonly root: TableNode;
  readonly #chart: ReadableChart;
  readonly #configs = new Map<TableNode, Config>();

  constructor(chart: ReadableChart) {
    this.#chart = chart;
    this.root = this.#node(chart.id, chart.config as Config, undefined);
    for (const leaf of this.#configs.keys()) if (leaf.children.size === 0) this.#fill(leaf);
  }

  #node(name: string, config: Config, parent: TableNode | undefined): TableNode {
    const { type, entry, invoke, states, initial } = config;
    this.#check(name, config, parent === undefined ? rootKeys : nodeKeys);
    if (type !== undefined && type !== 'final') this.#refuse(name, 'type');
    const node: TableNode = {
      name,
      depth: parent === undefined ? 0 : parent.depth + 1,
      parent,
      isFinal: type === 'final',
      entry: this.#actionsOf(name, entry),
      invokes: listOf(invoke).map((one) => this.#invoke(name, one as Config)),
      children: new Map(),
      initial: undefined,
      value: undefined,
      rows: new Map(),
    };
    this.#configs.set(node, config);
    for (const [child, childConfig] of Object.entries((states ?? {}) as Record<string, Config>)) {
      node.children.set(child, this.#node(child, childConfig, node));
    }
    if (node.children.size > 0) node.initial = node.children.get(String(initial)) ?? this.#refuse(name, 'initial');
    return node;
  }

  // A leaf's rows: what it handles itself, then what each of its ancestors handles.
  #fill(leaf: TableNode): void {
    leaf.value = valueOf(leaf);
    for (let owner: TableNode | undefined = leaf; owner !== undefined; owner = owner.parent) {
      for (const [event, transitions] of handlersOf(this.#configs.get(owner) ?? {})) {
        const rows = leaf.rows.get(event) ?? [];
        for (const transition of listOf(transitions)) rows.push(this.#transition(leaf, owner, event, transition));
        leaf.rows.set(event, rows);
      }
    }
  }

  #transition(leaf: TableNode, owner: TableNode, event: string, given: unknown): TableTransition {
    const where = `${owner.name} on ${event}`;
    // Wildcards, and an event that only XState raises.
    if (/\*|^xstate\.done\.state\./.test(event)) this.#refuse(where, 'event');
    const config: Config = typeof given === 'string' ? { target: given } : (given as Config);
    this.#check(where, config, transitionKeys);
    const guard = this.#guardOf(where, config['guard']);
    const actions = this.#actionsOf(where, config['actions']);
    if (config['target'] === undefined) return { guard, actions, target: leaf, exits: [], enters: [] };
    const target = this.#find(owner, String(config['target'])) ?? this.#refuse(where, 'target');
    const domain = domainOf(owner, target, config['reenter'] === true);
    const enters = [...pathBelow(domain, target), ...defaultEntry(target)];
    const exits = pathBelow(domain, leaf).toReversed();
    return { guard, actions, target: enters.at(-1) ?? leaf, exits, enters };
  }

  // `name` is a sibling, `.name` a child, `#chart.path` counts from the root.
  #find(owner: TableNode, target: string): TableNode | undefined {
    const [first = '', ...path] = target.split('.');
    let node = first === '' ? owner : (owner.parent ?? owner).children.get(first);
    if (first === `#${this.#chart.id}`) node = this.root;
    for (const name of path) node = node?.children.get(name);
    return node;
  }

  #guardOf(where: string, guard: unknown): TableTransition['guard'] {
    if (guard === undefined) return undefined;
    const found = (this.#chart.implementations.guards as Implementations | undefined)?.[guard as string];
    return typeof found === 'function' ? (args) => Boolean(found(args)) : this.#refuse(where, 'guard');
  }

  #actionsOf(where: string, given: unknown): readonly TableAction[] {
    return listOf(given).map((action) => {
      const { type: name, params } = (typeof action === 'string' ? { type: action } : action) as {
        readonly type: string;
        readonly params?: unknown;
      };
      const send = this.#chart.sends?.[name];
      if (send !== undefined) return send;
      const found = (this.#chart.implementations.actions as Implementations | undefined)?.[name];
      // A built-in action has a type; what it does is XState's secret.
      if (typeof found !== 'function' || 'type' in found || typeof params === 'function') {
        return this.#refuse(where, `action ${name}`);
      }
      return { run: (args: StepArguments) => found(args, params) };
    });
  }

  #invoke(where: string, config: Config): TableInvoke {
    this.#check(where, config, invokeKeys);
    const { id, src, input } = config;
    if (typeof id !== 'string' || typeof src !== 'string') return this.#refuse(where, 'invoke');
    return { id, src, input: typeof input === 'function' ? (args) => input(args) : () => input };
  }

  #check(where: string, config: Config, known: ReadonlySet<string>): void {
    for (const key of Object.keys(config)) if (!known.has(key)) this.#refuse(where, key);
  }

  #refuse(where: string, what: string): never {
    throw new Error(`The chart "${this.#chart.id}" cannot be read into a table: ${where} has an unfit ${what}.`);
  }
}

function listOf(oneOrMany: unknown): readonly unknown[] {
  return [oneOrMany ?? []].flat();
}

// What a state handles: its events, and the ends of what it invokes.
function handlersOf(config: Config): readonly (readonly [string, unknown])[] {
  const handlers = Object.entries((config['on'] ?? {}) as Config);
  for (const invoke of listOf(config['invoke'])) {
    const { id, onDone, onError } = invoke as Config;
    if (onDone !== undefined) handlers.push([`xstate.done.actor.${String(id)}`, onDone]);
    if (onError !== undefined) handlers.push([`xstate.error.actor.${String(id)}`, onError]);
  }
  return handlers;
}

function valueOf(leaf: TableNode): unknown {
  let value: unknown = leaf.name;
  for (let node = leaf.parent; node?.parent !== undefined; node = node.parent) value = { [node.name]: value };
  return value;
}

// XState's rule: into itself without reentering stays inside the owner; else the nearest state that holds both.
function domainOf(owner: TableNode, target: TableNode, reenter: boolean): TableNode {
  if (!reenter && isWithin(target, owner)) return owner;
  let domain = owner.parent ?? owner;
  while (domain.parent !== undefined && (target === domain || !isWithin(target, domain))) domain = domain.parent;
  return domain;
}

function isWithin(node: TableNode, ancestor: TableNode): boolean {
  for (let at: TableNode | undefined = node; at !== undefined; at = at.parent) if (at === ancestor) return true;
  return false;
}

// From below `domain` down to `node`.
function pathBelow(domain: TableNode, node: TableNode): readonly TableNode[] {
  const path: TableNode[] = [];
  for (let at: TableNode | undefined = node; at !== undefined && at !== domain; at = at.parent) path.unshift(at);
  return path;
}
