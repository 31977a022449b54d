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
  for (const row of rows) if (row.guard === undefined || row.guard(args)) return row;
  return undefined;
}

/** Sends to invoked actors, by the name of the action. */
export type ChildSends = Readonly<Record<string, Extract<TableAction, { readonly child: string }>>>;

/**
 * Reads a chart. Throws on anything the table does not know (parallel states, history, delays, eventless transitions,
 * inline or composed guards, wildcards): what it accepts it runs as XState does.
 */
export function tableOf(chart: ReadableChart): { readonly root: TableNode; readonly initial: readonly TableNode[] } {
  return new Reader(chart).read();
}

/** The states from below `from` down to the leaf that is entered by default. */
export function defaultEntry(from: TableNode): readonly TableNode[] {
  const path: TableNode[] = [];
  for (let node = from.initial; node !== undefined; node = node.initial) path.push(node);
  return path;
}

type Config = Readonly<Record<string, unknown>>;
type Implementations = Readonly<Record<string, unknown>>;

const nodeKeys: ReadonlySet<string> = new Set([
  'id',
  'description',
  'initial',
  'states',
  'on',
  'entry',
  'invoke',
  'type',
]);
// A root is never left or entered, so it has neither entry actions nor invokes.
const rootKeys: ReadonlySet<string> = new Set([
  'id',
  'description',
  'initial',
  'states',
  'on',
  'context',
  'options',
  'output',
  'schemas',
]);
const transitionKeys: ReadonlySet<string> = new Set(['target', 'guard', 'actions', 'reenter']);
const invokeKeys: ReadonlySet<string> = new Set(['id', 'src', 'input', 'onDone', 'onError']);

class Reader {
  readonly #chart: ReadableChart;
  readonly #guards: Implementations;
  readonly #actions: Implementations;
  readonly #configs = new Map<TableNode, Config>();

  constructor(chart: ReadableChart) {
    this.#chart = chart;
    this.#guards = (chart.implementations.guards ?? {}) as Implementations; // named in setup()
    this.#actions = (chart.implementations.actions ?? {}) as Implementations;
  }

  read(): ReturnType<typeof tableOf> {
    const root = this.#node(this.#chart.id, this.#chart.config as Config, undefined);
    for (const leaf of this.#configs.keys()) if (leaf.children.size === 0) this.#fill(leaf);
    return { root, initial: defaultEntry(root) };
  }

  #node(name: string, config: Config, parent: TableNode | undefined): TableNode {
    this.#check(name, config, parent === undefined ? rootKeys : nodeKeys);
    if (config['type'] !== undefined && config['type'] !== 'final')
      this.#refuse(name, `type "${String(config['type'])}"`);
    const node: TableNode = {
      name,
      depth: parent === undefined ? 0 : parent.depth + 1,
      parent,
      isFinal: config['type'] === 'final',
      entry: this.#actionsOf(name, config['entry']),
      invokes: [config['invoke'] ?? []].flat().map((invoke) => this.#invoke(name, invoke as Config)),
      children: new Map(),
      initial: undefined,
      value: undefined,
      rows: new Map(),
    };
    this.#configs.set(node, config);
    for (const [child, childConfig] of Object.entries((config['states'] ?? {}) as Record<string, Config>)) {
      node.children.set(child, this.#node(child, childConfig, node));
    }
    if (node.children.size > 0) {
      node.initial = node.children.get(String(config['initial'])) ?? this.#refuse(name, 'no initial state');
    }
    return node;
  }

  // A leaf's rows: what it handles itself, then what each of its ancestors handles.
  #fill(leaf: TableNode): void {
    leaf.value = valueOf(leaf);
    for (let owner: TableNode | undefined = leaf; owner !== undefined; owner = owner.parent) {
      const config = this.#configs.get(owner) ?? {};
      for (const [event, transitions] of this.#handlers(config)) {
        const rows = leaf.rows.get(event) ?? [];
        for (const transition of [transitions].flat()) rows.push(this.#transition(leaf, owner, event, transition));
        leaf.rows.set(event, rows);
      }
    }
  }

  #handlers(config: Config): readonly (readonly [string, unknown])[] {
    const handlers = Object.entries((config['on'] ?? {}) as Config);
    for (const invoke of [(config['invoke'] ?? []) as Config | readonly Config[]].flat()) {
      const id = String(invoke['id']);
      if (invoke['onDone'] !== undefined) handlers.push([`xstate.done.actor.${id}`, invoke['onDone']]);
      if (invoke['onError'] !== undefined) handlers.push([`xstate.error.actor.${id}`, invoke['onError']]);
    }
    return handlers;
  }

  #transition(leaf: TableNode, owner: TableNode, event: string, given: unknown): TableTransition {
    const where = `${owner.name} on ${event}`;
    if (event.includes('*')) this.#refuse(where, 'a wildcard');
    if (event.startsWith('xstate.done.state.')) this.#refuse(where, 'an event that only XState raises');
    const config: Config = typeof given === 'string' ? { target: given } : (given as Config);
    this.#check(where, config, transitionKeys);
    const guard = this.#guardOf(where, config['guard']);
    const actions = this.#actionsOf(where, config['actions']);
    if (config['target'] === undefined) return { guard, actions, target: leaf, exits: [], enters: [] };
    const target = this.#find(owner, String(config['target']));
    const domain = domainOf(owner, target, config['reenter'] === true);
    const enters = [...pathBelow(domain, target), ...defaultEntry(target)];
    const exits = pathBelow(domain, leaf).toReversed();
    return { guard, actions, target: enters.at(-1) ?? leaf, exits, enters };
  }

  // `name` is a sibling, `.name` a child, `#chart.path` counts from the root.
  #find(owner: TableNode, target: string): TableNode {
    const [id, ...fromRoot] = target.slice(1).split('.');
    if (target.startsWith('#') && id !== this.#chart.id)
      this.#refuse(owner.name, `a target by a state's id "${target}"`);
    const [start, path] = target.startsWith('#')
      ? [this.#rootOf(owner), fromRoot]
      : target.startsWith('.')
        ? [owner, target.slice(1).split('.')]
        : [owner.parent ?? owner, target.split('.')];
    let node: TableNode | undefined = start;
    for (const name of path) node = node?.children.get(name);
    return node ?? this.#refuse(owner.name, `an unknown target "${target}"`);
  }

  #rootOf(node: TableNode): TableNode {
    return node.parent === undefined ? node : this.#rootOf(node.parent);
  }

  #guardOf(where: string, guard: unknown): TableTransition['guard'] {
    if (guard === undefined) return undefined;
    const found = typeof guard === 'string' ? this.#guards[guard] : undefined;
    return typeof found === 'function'
      ? (args) => Boolean(found(args))
      : this.#refuse(where, `a guard that is not named in setup(): ${String(guard)}`);
  }

  #actionsOf(where: string, given: unknown): readonly TableAction[] {
    return [given ?? []].flat().map((action: unknown) => {
      const [name, params] = typeof action === 'string' ? [action, undefined] : nameAndParams(action);
      const send = this.#chart.sends?.[name];
      if (send !== undefined) return send;
      const found = this.#actions[name];
      if (typeof found !== 'function') return this.#refuse(where, `an action that is not named in setup(): ${name}`);
      if ('type' in found) return this.#refuse(where, `a built-in action without an entry in "sends": ${name}`);
      if (typeof params === 'function') return this.#refuse(where, `params that are a function, in action ${name}`);
      return { run: (args: StepArguments) => found(args, params) };
    });
  }

  #invoke(where: string, config: Config): TableInvoke {
    this.#check(where, config, invokeKeys);
    const { id, src, input } = config;
    if (typeof id !== 'string' || typeof src !== 'string') {
      return this.#refuse(where, 'an invoke without an id and a name of its logic');
    }
    return { id, src, input: typeof input === 'function' ? (args) => input(args) : () => input };
  }

  #check(where: string, config: Config, known: ReadonlySet<string>): void {
    const unknown = Object.keys(config).find((key) => !known.has(key));
    if (unknown !== undefined) this.#refuse(where, `"${unknown}"`);
  }

  #refuse(where: string, what: string): never {
    throw new Error(`The chart "${this.#chart.id}" cannot be read into a table: ${where} has ${what}.`);
  }
}

function nameAndParams(action: unknown): readonly [string, unknown] {
  const { type, params } = action as { readonly type: unknown; readonly params?: unknown };
  return [String(type), params];
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
