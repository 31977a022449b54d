// Runs charts by their tables: as an actor with invoked services, or without one where a chart needs neither. The same
// decisions as XState's own interpreter at a fraction of its cost.

import {
  createActor,
  type ActorLogic,
  type AnyActorLogic,
  type AnyActorRef,
  type AnyActorScope,
  type Snapshot,
} from 'xstate';
import {
  chooseTransition,
  tableOf,
  type ReadableChart,
  type StepArguments,
  type TableAction,
  type TableInvoke,
  type TableNode,
  type TableTransition,
} from './chart-table.ts';
import { relay } from './relay.ts';
import { BareService, type BeginWork } from './service.ts';

/** A snapshot with the fields of XState's that others read. */
export type ChartSnapshot<Output> = Snapshot<Output> & {
  readonly value: unknown;
  readonly context: unknown;
  readonly children: Readonly<Record<string, AnyActorRef>>;
};

/** Actor logic of a chart. */
export type ChartLogic<Event extends { type: string }, Input, Output> = ActorLogic<ChartSnapshot<Output>, Event, Input>;

/** What is read of a machine with context, input and output. */
export interface RunnableChart extends ReadableChart {
  readonly config: {
    readonly context?: unknown;
    readonly output?: unknown;
  };
  readonly implementations: ReadableChart['implementations'] & { readonly actors?: unknown };
}

/** Logic to invoke, or a choice of it by the invoke's input. */
export type ChosenLogic = AnyActorLogic | ((input: unknown) => AnyActorLogic);

/**
 * Actor logic that runs the chart by its table. `actors` gives the invoked logic by name, as `.provide()` does. Steps
 * follow XState: custom actions run at once and in order; children start, stop and get events after the step. With
 * `services: 'bare'` (default `actors`) what `serviceLogic` made runs without an actor and is not among the children.
 */
export function chartLogic<Event extends { type: string }, Input, Output>(
  chart: RunnableChart,
  actors: Readonly<Record<string, ChosenLogic>> = {},
  options: { readonly services?: 'actors' | 'bare' } = {},
): ChartLogic<Event, Input, Output> {
  const { initial } = tableOf(chart);
  const known = { ...(chart.implementations.actors as Readonly<Record<string, ChosenLogic>>), ...actors };
  const contextOf = chart.config.context as (args: { readonly input: Input }) => unknown;
  const outputOf = chart.config.output as ((args: StepArguments) => Output) | undefined;
  const isBare = options.services === 'bare';
  const first = initial.at(-1);
  if (first === undefined || initial.some((node) => node.invokes.length > 0 || node.entry.length > 0)) {
    throw new Error(`The chart "${chart.id}" must begin in a state without entry actions and invokes.`);
  }
  return {
    config: chart.config,
    getInitialSnapshot: (_scope, input) => snapshotOf(first, contextOf({ input }), nobody),
    transition: (snapshot, event, scope) => {
      const at = snapshot as unknown as TableSnapshot; // every snapshot of this logic is made here
      if (event.type === 'xstate.stop') {
        stopAll(at.invoked, scope);
        return snapshotOf(at.leaf, at.context, nobody, 'stopped');
      }
      const args: StepArguments = { context: at.context, event };
      const chosen = chooseTransition(at.leaf, args);
      if (chosen === undefined) return snapshot;
      const stays = chosen.exits.length === 0 && chosen.enters.length === 0;
      const invoked = stays ? at.invoked : copyOf(at.invoked);
      try {
        carryOut(chosen, args, invoked, scope, (invoke) => invokedOf(invoke, known, args, scope.self, isBare));
      } catch (thrown) {
        // The actor dies of it; XState would leave its children running (statelyai/xstate#5153).
        stopAll(invoked, scope);
        throw thrown;
      }
      const leaf = chosen.target;
      if (leaf.isFinal && leaf.depth === 1) return snapshotOf(leaf, at.context, invoked, 'done', outputOf?.(args));
      return snapshotOf(leaf, at.context, invoked);
    },
    getPersistedSnapshot: (snapshot) => snapshot,
  };
}

/** One run through a chart without an actor. Events that a state does not know change nothing. */
export interface ChartRun<Event> {
  send(event: Event): void;
  getSnapshot(): { readonly value: unknown; readonly status: 'active' | 'done' };
}

/** Makes a starter of runs of a chart that has neither services nor actions. */
export function chartRuns<Event extends { readonly type: string }>(chart: ReadableChart): () => ChartRun<Event> {
  const first = tableOf(chart).initial.at(-1);
  if (first === undefined) throw new Error(`The chart "${chart.id}" has no states.`);
  return () => new BareRun(first);
}

class BareRun<Event extends { readonly type: string }> implements ChartRun<Event> {
  value: unknown;
  status: 'active' | 'done' = 'active';
  #leaf: TableNode;

  constructor(leaf: TableNode) {
    this.#leaf = leaf;
    this.value = leaf.value;
  }

  send(event: Event): void {
    if (this.status === 'done') return;
    const chosen = chooseTransition(this.#leaf, { context: undefined, event });
    if (chosen === undefined) return;
    this.#leaf = chosen.target;
    this.value = this.#leaf.value;
    if (this.#leaf.isFinal && this.#leaf.depth === 1) this.status = 'done';
  }

  getSnapshot(): this {
    return this;
  }
}

type Invoked = AnyActorRef | BareService;
type InvokedById = Map<string, Invoked>;
type Scope = Pick<AnyActorScope, 'defer' | 'self' | 'stopChild'>;

const nobody: InvokedById = new Map();

// A class of one shape: a turn makes a few of these per iteration. `leaf` stays out of what an inspector serialises.
class TableSnapshot {
  readonly status: 'active' | 'done' | 'stopped';
  readonly value: unknown;
  readonly context: unknown;
  readonly output: unknown;
  readonly error = undefined;
  readonly #leaf: TableNode;
  readonly #invoked: InvokedById;

  constructor(
    leaf: TableNode,
    context: unknown,
    invoked: InvokedById,
    status: 'active' | 'done' | 'stopped',
    output: unknown,
  ) {
    this.status = status;
    this.value = leaf.value;
    this.context = context;
    this.output = output;
    this.#leaf = leaf;
    this.#invoked = invoked;
  }

  get leaf(): TableNode {
    return this.#leaf;
  }

  get invoked(): InvokedById {
    return this.#invoked;
  }

  get children(): Readonly<Record<string, AnyActorRef>> {
    const children: Record<string, AnyActorRef> = {};
    for (const [id, child] of this.#invoked) if (!(child instanceof BareService)) children[id] = child;
    return children;
  }

  toJSON(): object {
    const { status, value, context, children, output } = this;
    return { status, value, context, children, output };
  }
}

function snapshotOf<Output>(
  leaf: TableNode,
  context: unknown,
  invoked: InvokedById,
  status: 'active' | 'done' | 'stopped' = 'active',
  output?: Output,
): ChartSnapshot<Output> {
  // Status and output go together as in XState's union, which TypeScript cannot see here.
  return new TableSnapshot(leaf, context, invoked, status, output) as unknown as ChartSnapshot<Output>;
}

function carryOut(
  { exits, actions, enters }: TableTransition,
  args: StepArguments,
  invoked: InvokedById,
  scope: Scope,
  make: (invoke: TableInvoke) => Invoked,
): void {
  for (let index = 0; index < exits.length; index++) leave(exits[index]?.invokes ?? [], invoked, scope);
  perform(actions, args, invoked, scope);
  for (let index = 0; index < enters.length; index++) {
    const { entry = [], invokes = [] } = enters[index] ?? {};
    perform(entry, args, invoked, scope);
    for (let each = 0; each < invokes.length; each++) {
      const invoke = invokes[each];
      if (invoke === undefined) continue;
      const child = make(invoke);
      invoked.set(invoke.id, child);
      scope.defer(() => child.start());
    }
  }
}

function leave(invokes: readonly TableInvoke[], invoked: InvokedById, scope: Scope): void {
  for (let index = 0; index < invokes.length; index++) {
    const id = invokes[index]?.id ?? '';
    const child = invoked.get(id);
    invoked.delete(id);
    if (child !== undefined) scope.defer(() => stop(child, scope));
  }
}

function copyOf(invoked: InvokedById): InvokedById {
  return invoked.size === 0 ? new Map() : new Map(invoked);
}

function perform(actions: readonly TableAction[], args: StepArguments, invoked: InvokedById, scope: Scope): void {
  for (let index = 0; index < actions.length; index++) {
    const action = actions[index];
    if (action === undefined) continue;
    if ('run' in action) {
      action.run(args);
      continue;
    }
    const child = invoked.get(action.child);
    const event = action.eventOf(args);
    if (child === undefined || child instanceof BareService) continue;
    scope.defer(() => {
      // One that has ended within this step is done with its events; XState would warn.
      if (child.getSnapshot().status === 'active') relay(scope.self, child, event);
    });
  }
}

function invokedOf(
  invoke: TableInvoke,
  known: Readonly<Record<string, ChosenLogic>>,
  args: StepArguments,
  parent: AnyActorRef,
  isBare: boolean,
): Invoked {
  const chosen = known[invoke.src];
  if (chosen === undefined) throw new Error(`The actor "${invoke.src}" is not provided.`);
  const input = invoke.input?.(args);
  const logic = typeof chosen === 'function' ? chosen(input) : chosen;
  return isBare && 'begin' in logic
    ? new BareService(logic.begin as BeginWork<unknown, unknown>, invoke.id, input, parent)
    : createActor(logic, { id: invoke.id, parent, input });
}

function stopAll(invoked: InvokedById, scope: Scope): void {
  for (const child of invoked.values()) stop(child, scope);
}

function stop(child: Invoked, scope: Scope): void {
  if (child instanceof BareService) child.stop();
  else scope.stopChild(child);
}
