// Runs a chart from its table: as an actor with invoked services, or without an actor if it has neither services nor
// actions. Makes the same decisions as XState's own interpreter at a fraction of the cost.

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
  type TableInvoke,
  type TableState,
  type TableTransition,
} from './chart-table.ts';
import { relay } from './relay.ts';
import { BareService, type BeginWork } from './service.ts';

/** A snapshot with those fields of XState's snapshots that others read. */
export type ChartSnapshot<Output> = Snapshot<Output> & {
  readonly value: unknown;
  readonly context: unknown;
  readonly children: Readonly<Record<string, AnyActorRef>>;
};

/** Actor logic of a chart. */
export type ChartLogic<Event extends { type: string }, Input, Output> = ActorLogic<ChartSnapshot<Output>, Event, Input>;

/** The parts of a machine with context, input and output that are read here. */
export interface RunnableChart extends ReadableChart {
  readonly config: {
    readonly context?: unknown;
    readonly output?: unknown;
  };
  readonly implementations: ReadableChart['implementations'] & { readonly actors?: unknown };
}

/** Logic to invoke, or a function that chooses it by the invoke's input. */
export type ChosenLogic = AnyActorLogic | ((input: unknown) => AnyActorLogic);

/**
 * Actor logic that runs the chart from its table. `actors` provides the invoked logic by name, like `.provide()`. Steps
 * follow XState: custom actions run at once and in order; children start, stop and get events after the step. With
 * `services: 'bare'` (default `'actors'`) logic made by `serviceLogic` runs without an actor and is not among the
 * children.
 */
export function chartLogic<Event extends { type: string }, Input, Output>(
  chart: RunnableChart,
  actors: Readonly<Record<string, ChosenLogic>> = {},
  options: { readonly services?: 'actors' | 'bare' } = {},
): ChartLogic<Event, Input, Output> {
  let first: TableState | undefined; // built on first use: a program may never run some of its charts
  const contextOf = chart.config.context as (args: { readonly input: Input }) => unknown;
  const parts: Parts = {
    known: { ...(chart.implementations.actors as Parts['known']), ...actors },
    outputOf: chart.config.output as Parts['outputOf'],
    isBare: options.services === 'bare',
  };
  const logic = {
    config: chart.config,
    getInitialSnapshot: (_scope: unknown, input: Input) =>
      new TableSnapshot(parts, (first ??= tableOf(chart)), contextOf({ input }), nobody),
    transition: TableSnapshot.after,
    getPersistedSnapshot: (snapshot: TableSnapshot) => snapshot,
  };
  // TypeScript cannot see that a snapshot's status and output belong together; they are made together, here alone.
  return logic as unknown as ChartLogic<Event, Input, Output>;
}

/** One run of a chart without an actor. Events that the current state does not handle change nothing. */
export interface ChartRun<Event> {
  send(event: Event): void;
  getSnapshot(): { readonly value: unknown; readonly status: 'active' | 'done' };
}

/** Returns a function that starts runs of a chart that has neither services nor actions. */
export function chartRuns<Event extends { readonly type: string }>(chart: ReadableChart): () => ChartRun<Event> {
  let first: TableState | undefined;
  return () => new BareRun((first ??= tableOf(chart)));
}

class BareRun<Event extends { readonly type: string }> implements ChartRun<Event> {
  #leaf: TableState;

  constructor(leaf: TableState) {
    this.#leaf = leaf;
  }

  send(event: Event): void {
    this.#leaf = chooseTransition(this.#leaf, { context: undefined, event })?.target ?? this.#leaf;
  }

  getSnapshot(): ReturnType<ChartRun<Event>['getSnapshot']> {
    const { value, isFinal } = this.#leaf;
    return { value, status: isFinal ? 'done' : 'active' };
  }
}

type Invoked = AnyActorRef | BareService;
type InvokedById = Map<string, Invoked>;
type Scope = Pick<AnyActorScope, 'defer' | 'self' | 'stopChild'>;

const nobody: InvokedById = new Map();

// What all snapshots of one logic share.
interface Parts {
  readonly known: Readonly<Record<string, ChosenLogic>>;
  readonly outputOf: ((args: StepArguments) => unknown) | undefined;
  readonly isBare: boolean;
}

// A class, so that all have one shape: a turn makes a few per iteration. What is private is not shown by inspectors.
class TableSnapshot {
  readonly status: 'active' | 'done' | 'stopped';
  readonly value: unknown;
  readonly context: unknown;
  readonly output: unknown;
  readonly error = undefined;
  readonly #parts: Parts;
  readonly #leaf: TableState;
  readonly #invoked: InvokedById;

  constructor(
    parts: Parts,
    leaf: TableState,
    context: unknown,
    invoked: InvokedById,
    output?: unknown,
    status: TableSnapshot['status'] = leaf.isFinal ? 'done' : 'active',
  ) {
    this.status = status;
    this.value = leaf.value;
    this.context = context;
    this.output = output;
    this.#parts = parts;
    this.#leaf = leaf;
    this.#invoked = invoked;
  }

  /** The snapshot after an event; the same one if the state does not handle the event. */
  static after(this: void, before: TableSnapshot, event: StepArguments['event'], scope: Scope): TableSnapshot {
    const { context } = before;
    const parts = before.#parts;
    if (event.type === 'xstate.stop') {
      stopAll(before.#invoked, scope);
      return new TableSnapshot(parts, before.#leaf, context, nobody, undefined, 'stopped');
    }
    const args: StepArguments = { context, event };
    const chosen = chooseTransition(before.#leaf, args);
    if (chosen === undefined) return before;
    const invoked = new Map(before.#invoked);
    try {
      carryOut(chosen, args, invoked, scope, parts);
    } catch (thrown) {
      // This kills the actor; XState would leave its children running (statelyai/xstate#5153).
      stopAll(invoked, scope);
      throw thrown;
    }
    const { target } = chosen;
    const output = target.isFinal ? parts.outputOf?.(args) : undefined;
    return new TableSnapshot(parts, target, context, invoked, output);
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

function carryOut(
  { stops, steps }: TableTransition,
  args: StepArguments,
  invoked: InvokedById,
  scope: Scope,
  parts: Parts,
): void {
  for (let index = 0; index < stops.length; index++) {
    const id = stops[index] ?? '';
    const child = invoked.get(id);
    invoked.delete(id);
    const isOver = child === undefined || (child instanceof BareService && child.hasSettled);
    if (!isOver) scope.defer(() => stop(child, scope));
  }
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index];
    if (step?.type === 'action') {
      step.run(args, step.params);
    } else if (step?.type === 'invoke') {
      const child = invokedOf(step, parts, args, scope.self);
      invoked.set(step.id, child);
      scope.defer(() => child.start());
    } else if (step !== undefined) {
      const child = invoked.get(step.child);
      const event = step.eventOf(args);
      if (child === undefined || child instanceof BareService) continue;
      scope.defer(() => {
        // A child that ended within this step takes no more events; XState would warn.
        if (child.getSnapshot().status === 'active') relay(scope.self, child, event);
      });
    }
  }
}

function invokedOf(
  { id, src, inputOf }: TableInvoke,
  { known, isBare }: Parts,
  args: StepArguments,
  parent: AnyActorRef,
): Invoked {
  const chosen = known[src];
  if (chosen === undefined) throw new Error(`The actor "${src}" is not provided.`);
  const input = inputOf(args);
  const logic = typeof chosen === 'function' ? chosen(input) : chosen;
  return isBare && 'begin' in logic
    ? new BareService(logic.begin as BeginWork<unknown, unknown>, id, input, parent)
    : createActor(logic, { id, parent, input });
}

function stopAll(invoked: InvokedById, scope: Scope): void {
  for (const child of invoked.values()) stop(child, scope);
}

function stop(child: Invoked, scope: Scope): void {
  if (child instanceof BareService) child.stop();
  else scope.stopChild(child);
}
