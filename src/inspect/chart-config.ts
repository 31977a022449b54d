// Reads a chart's config for display: states, transitions and services in the order in which they are written. Takes
// any machine's config, also as JSON from an unknown program.

/** A state, leaf or compound. */
export interface ShownState {
  readonly name: string;
  /** From the root: `active.running`. */
  readonly key: string;
  readonly description: string;
  readonly isFinal: boolean;
  readonly isParallel: boolean;
  readonly initial: string | undefined;
  /** Ids of what it invokes. */
  readonly services: readonly string[];
  readonly entry: readonly string[];
  readonly children: readonly ShownState[];
  readonly transitions: readonly ShownTransition[];
}

/** One candidate transition. Without a target the state stays. */
export interface ShownTransition {
  readonly from: string;
  /** For people: `reload settled`. */
  readonly event: string;
  /** XState's name: `xstate.done.actor.reload`. */
  readonly eventType: string;
  readonly guard: string | undefined;
  /** The key of a state. */
  readonly target: string | undefined;
  readonly actions: readonly string[];
}

/** A whole chart. */
export interface ShownChart {
  readonly id: string;
  readonly description: string;
  readonly initial: string | undefined;
  readonly isParallel: boolean;
  readonly states: readonly ShownState[];
  /** Events the chart takes in any state. */
  readonly transitions: readonly ShownTransition[];
}

type Config = Readonly<Record<string, unknown>>;

// A chart larger than this is unreadable anyway.
const mostStates = 400;
const deepest = 12;
const mostTransitions = 200; // of one state
const mostTargets = 10; // of one transition

/** Reads a chart. Malformed parts are left out. */
export function readChart(config: unknown): ShownChart {
  const root = isConfig(config) ? config : {};
  const id = textOf(root['id']) ?? '(machine)';
  const reader = new Reader(id, root);
  return {
    id,
    description: textOf(root['description']) ?? '',
    initial: initialOf(root),
    isParallel: root['type'] === 'parallel',
    states: reader.childrenOf(root, '', 0),
    transitions: reader.transitionsOf(root, ''),
  };
}

/** Every state, parents first. */
export function flatten(states: readonly ShownState[]): readonly ShownState[] {
  return states.flatMap((state) => [state, ...flatten(state.children)]);
}

class Reader {
  readonly #rootId: string;
  /** Keys of states by the ids they were given. */
  readonly #ids = new Map<string, string>();
  #left = mostStates;

  constructor(rootId: string, root: Config) {
    this.#rootId = rootId;
    this.#noteIds(root, '', 0);
  }

  childrenOf(config: Config, above: string, depth: number): readonly ShownState[] {
    return statesOf(config, depth).flatMap(([name, child]) =>
      this.#left-- > 0 ? [this.#stateOf(name, child, keyBelow(above, name), depth + 1)] : [],
    );
  }

  transitionsOf(config: Config, key: string): readonly ShownTransition[] {
    const transitions: ShownTransition[] = [];
    for (const [event, given] of handlersOf(config, key)) {
      for (const one of listOf(given)) {
        if (transitions.length >= mostTransitions) return transitions;
        transitions.push(...this.#transitionsOf(key, event, one));
      }
    }
    return transitions;
  }

  #stateOf(name: string, config: Config, key: string, depth: number): ShownState {
    return {
      name,
      key,
      description: textOf(config['description']) ?? '',
      isFinal: config['type'] === 'final',
      isParallel: config['type'] === 'parallel',
      initial: initialOf(config),
      services: invokesOf(config).map(({ id }) => id),
      entry: listOf(config['entry']).map(nameOf),
      children: this.childrenOf(config, key, depth),
      transitions: this.transitionsOf(config, key),
    };
  }

  #transitionsOf(from: string, eventType: string, given: unknown): readonly ShownTransition[] {
    const config: Config = isConfig(given) ? given : { target: given };
    const guard = config['guard'] ?? config['cond'];
    const shown = {
      from,
      event: shownEvent(eventType),
      eventType,
      guard: guard === undefined ? undefined : nameOf(guard),
      actions: listOf(config['actions']).map(nameOf),
    };
    const targets = listOf(config['target'])
      .filter((target) => typeof target === 'string')
      .slice(0, mostTargets);
    if (targets.length === 0) return [{ ...shown, target: undefined }];
    return targets.map((target) => ({ ...shown, target: this.#keyOf(from, target) }));
  }

  // `name` is a sibling, `.name` a child, `#id.path` counts from the state of that id.
  #keyOf(from: string, target: string): string {
    if (target.startsWith('.')) return keyBelow(from, target.slice(1));
    if (!target.startsWith('#')) return keyBelow(from.split('.').slice(0, -1).join('.'), target);
    const [id = '', ...path] = target.slice(1).split('.');
    return keyBelow(id === this.#rootId ? '' : (this.#ids.get(id) ?? id), path.join('.'));
  }

  #noteIds(config: Config, key: string, depth: number): void {
    for (const [name, child] of statesOf(config, depth)) {
      const own = keyBelow(key, name);
      const id = textOf(child['id']);
      if (id !== undefined && this.#ids.size < mostStates) this.#ids.set(id, own);
      this.#noteIds(child, own, depth + 1);
    }
  }
}

function statesOf(config: Config, depth: number): readonly (readonly [string, Config])[] {
  const states = config['states'];
  if (!isConfig(states) || depth >= deepest) return [];
  return Object.entries(states)
    .slice(0, mostStates)
    .map(([name, child]) => [name, isConfig(child) ? child : {}]);
}

// Everything a state reacts to: events, the end of what it invokes, delays, and eventless transitions.
function handlersOf(config: Config, key: string): readonly (readonly [string, unknown])[] {
  const handlers: (readonly [string, unknown])[] = [];
  const add = (event: string, given: unknown) => {
    if (given !== undefined) handlers.push([event, given]);
  };
  for (const [event, given] of entriesOf(config['on'])) add(event, given);
  for (const { id, onDone, onError } of invokesOf(config)) {
    add(`xstate.done.actor.${id}`, onDone);
    add(`xstate.error.actor.${id}`, onError);
  }
  add(`xstate.done.state.${key}`, config['onDone']);
  for (const [delay, given] of entriesOf(config['after'])) add(`xstate.after.${delay}`, given);
  add('', config['always']);
  return handlers;
}

/** `xstate.done.actor.reload` in words for people. */
function shownEvent(event: string): string {
  return event
    .replace(/^xstate\.done\.actor\.(.+)$/, '$1 settled')
    .replace(/^xstate\.error\.actor\.(.+)$/, '$1 broke')
    .replace(/^xstate\.done\.state\..*$/, 'done')
    .replace(/^xstate\.after\.(.+)$/, 'after $1')
    .replace(/^$/, 'always');
}

function invokesOf(config: Config): readonly { id: string; onDone: unknown; onError: unknown }[] {
  return listOf(config['invoke'])
    .filter(isConfig)
    .map((invoke) => ({
      id: textOf(invoke['id']) ?? nameOf(invoke['src']),
      onDone: invoke['onDone'],
      onError: invoke['onError'],
    }));
}

// The name of an action, a guard or a service.
function nameOf(given: unknown): string {
  if (typeof given === 'string') return given;
  if (typeof given === 'function') return given.name === '' ? '(inline)' : given.name;
  if (!isConfig(given)) return '(inline)';
  const { type, params } = given;
  const name = textOf(type) ?? '';
  if (!isConfig(params)) return name === '' ? '(inline)' : name;
  return `${name}(${Object.values(params).map(String).join(', ')})`;
}

function initialOf(config: Config): string | undefined {
  const initial = config['initial'];
  return textOf(isConfig(initial) ? initial['target'] : initial);
}

function keyBelow(above: string, name: string): string {
  return above === '' || name === '' ? above + name : `${above}.${name}`;
}

function entriesOf(given: unknown): readonly (readonly [string, unknown])[] {
  return isConfig(given) ? Object.entries(given) : [];
}

function isConfig(given: unknown): given is Config {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}

function textOf(given: unknown): string | undefined {
  return typeof given === 'string' && given !== '' ? given : undefined;
}

function listOf(given: unknown): readonly unknown[] {
  return given === undefined || given === null ? [] : Array.isArray(given) ? given : [given];
}
