// Steps a flat chart without services by a table made from the chart's own config: the same decisions without the cost of
// an actor. Used for tool calls, of which a turn may have hundreds; the path tests run chart and table side by side.

/** What is read of a chart made by `setup().createMachine()`. */
export interface FlatChart {
  readonly config: { readonly initial?: unknown; readonly states?: Readonly<Record<string, object>> | undefined };
  readonly implementations: { readonly guards?: unknown };
}

/** One run through a chart. Events that a state does not know change nothing. */
export interface FlatRun<Event> {
  send(event: Event): void;
  getSnapshot(): { readonly value: string; readonly status: 'active' | 'done' };
}

type Guard = (args: { readonly event: unknown }) => boolean;

interface Row {
  readonly target: FlatState;
  readonly guard: Guard | undefined;
}

// A state is its own snapshot: there is nothing else to know about a run.
interface FlatState {
  readonly value: string;
  readonly status: 'active' | 'done';
  readonly rows: Map<string, readonly Row[]>;
}

/**
 * Makes a starter of runs. Throws when the chart has anything the table does not know (invokes, actions, nested
 * states, wildcards), so that table and chart can never differ silently.
 */
export function flatRuns<Event extends { readonly type: string }>(chart: FlatChart): () => FlatRun<Event> {
  const guards = chart.implementations.guards as Readonly<Record<string, Guard>>; // named in setup()
  const configs = Object.entries(chart.config.states ?? {});
  const states = new Map(configs.map(([value, config]): [string, FlatState] => [value, emptyState(value, config)]));
  for (const [value, config] of configs) {
    for (const [type, transitions] of Object.entries('on' in config ? (config.on as object) : {})) {
      const rows = [transitions].flat().map((transition: unknown) => rowOf(transition, states, guards));
      states.get(value)?.rows.set(type, rows);
    }
  }
  const initial = stateNamed(chart.config.initial, states);
  return () => new Run(initial);
}

class Run<Event extends { readonly type: string }> implements FlatRun<Event> {
  #state: FlatState;

  constructor(initial: FlatState) {
    this.#state = initial;
  }

  send(event: Event): void {
    for (const { target, guard } of this.#state.rows.get(event.type) ?? []) {
      if (guard !== undefined && !guard({ event })) continue;
      this.#state = target;
      return;
    }
  }

  getSnapshot(): FlatState {
    return this.#state;
  }
}

const knownKeys: ReadonlySet<string> = new Set(['on', 'type', 'description']);

function emptyState(value: string, config: object): FlatState {
  const unknown = Object.keys(config).find((key) => !knownKeys.has(key));
  if (unknown !== undefined) throw new Error(`State "${value}" has "${unknown}", which a flat chart cannot have.`);
  return { value, status: 'type' in config && config.type === 'final' ? 'done' : 'active', rows: new Map() };
}

function rowOf(
  transition: unknown,
  states: ReadonlyMap<string, FlatState>,
  guards: Readonly<Record<string, Guard>>,
): Row {
  if (typeof transition === 'string') return { target: stateNamed(transition, states), guard: undefined };
  const { target, guard, ...rest } = transition as { readonly target?: unknown; readonly guard?: unknown };
  const found = typeof guard === 'string' ? guards[guard] : undefined;
  if (Object.keys(rest).length > 0 || (guard !== undefined && found === undefined)) {
    throw new Error(`A transition to "${String(target)}" is not flat: expected a target and at most one named guard.`);
  }
  return { target: stateNamed(target, states), guard: found };
}

function stateNamed(value: unknown, states: ReadonlyMap<string, FlatState>): FlatState {
  const state = states.get(String(value));
  if (state === undefined) throw new Error(`The chart has no state "${String(value)}".`);
  return state;
}
