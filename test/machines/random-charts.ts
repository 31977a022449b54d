// Arbitrary small charts in the part of XState that the table knows, and the world they act on. Used by
// chart-logic.test.ts.

import * as fc from 'fast-check';
import { setup } from 'xstate';
import { serviceLogic, type ServiceActor } from '../../src/machines/service.ts';

/** What guards decide on: bit n of the number that an event, an output or an error carries. */
export interface Bits {
  readonly bits: number;
}

interface TransitionPlan {
  readonly event: number;
  readonly guard: number | undefined;
  /** Which state, counted over all; undefined = none. */
  readonly target: number | undefined;
  readonly spelling: 'absolute' | 'relative';
  readonly reenter: boolean;
  readonly actions: readonly number[];
}

interface StatePlan {
  readonly isFinal: boolean;
  readonly entry: readonly number[];
  readonly service: ServicePlan | undefined;
  readonly on: readonly TransitionPlan[];
  readonly children: readonly StatePlan[];
}

interface ServicePlan {
  /** What it does when it is started. */
  readonly how: 'waits' | 'settles' | 'throws';
  readonly onDone: readonly TransitionPlan[];
  readonly onError: readonly TransitionPlan[];
}

/** A chart before it is made: data. */
export interface ChartPlan {
  readonly on: readonly TransitionPlan[];
  readonly children: readonly StatePlan[];
}

const index = fc.nat(3);
const transition = fc.record<TransitionPlan>({
  event: index,
  guard: fc.option(index, { nil: undefined }),
  target: fc.option(fc.nat(30), { nil: undefined }),
  spelling: fc.constantFrom('absolute', 'relative'),
  reenter: fc.boolean(),
  actions: fc.array(index, { maxLength: 2 }),
});
const transitions = fc.array(transition, { maxLength: 3 });

function states(depth: number, hasServices: boolean): fc.Arbitrary<readonly StatePlan[]> {
  const state = fc.record<StatePlan>({
    isFinal: fc.nat(9).map((chance) => chance === 0),
    entry: fc.array(index, { maxLength: 2 }),
    service: hasServices
      ? fc.option(
          fc.record<ServicePlan>({
            how: fc.constantFrom('waits', 'waits', 'settles', 'throws'),
            onDone: transitions,
            onError: transitions,
          }),
          { nil: undefined },
        )
      : fc.constant(undefined),
    on: transitions,
    children: depth === 0 ? fc.constant([]) : fc.oneof(fc.constant([]), states(depth - 1, hasServices)),
  });
  return fc.array(state, { minLength: 1, maxLength: 3 });
}

/** Charts of up to three levels. Without services they have no actions either. */
export function chartPlans(options: { readonly services: boolean }): fc.Arbitrary<ChartPlan> {
  return fc.record({ on: transitions, children: states(2, options.services) });
}

/** Something that happens to a chart: an event from outside, or a running service that settles. */
export type Happening = ({ readonly event: string } & Bits) | ({ readonly settles: number } & Bits);

export const happenings: fc.Arbitrary<readonly Happening[]> = fc.array(
  fc.oneof(
    fc.record({ event: index.map(eventName), bits: fc.nat(15) }),
    fc.record({ settles: fc.nat(3), bits: fc.nat(15) }),
  ),
  { maxLength: 12 },
);

/** What a running chart does and holds: the log of its actions and services, and the services that wait. */
export class World {
  readonly log: string[] = [];
  readonly #waiting = new Map<string, ServiceActor<Bits>>();
  // Services that settle by themselves could go round forever.
  #left = 20;

  readonly service = serviceLogic<{ readonly id: string; readonly how: ServicePlan['how'] }, Bits>(
    ({ id, how }, actor) => {
      this.log.push(`start ${id}`);
      const bits = this.#left--;
      if (bits > 0 && how === 'throws') throw { bits };
      if (bits > 0 && how === 'settles') {
        actor.settle({ bits });
        return undefined;
      }
      this.#waiting.set(id, actor);
      return () => {
        this.log.push(`stop ${id}`);
        if (this.#waiting.get(id) === actor) this.#waiting.delete(id);
      };
    },
  );

  /** Settles the n-th waiting service, if there is one. */
  settle(position: number, bits: number): void {
    const id = [...this.#waiting.keys()].toSorted().at(position % Math.max(1, this.#waiting.size));
    if (id === undefined) return;
    const actor = this.#waiting.get(id);
    this.#waiting.delete(id);
    actor?.settle({ bits });
  }
}

interface Placed {
  readonly plan: StatePlan;
  readonly path: readonly string[];
  /** Entered when the chart begins: such a state has neither entry actions nor services. */
  readonly isFirst: boolean;
}

/** The chart of a plan as a machine that acts on the world. */
export function machineOf(plan: ChartPlan, world: World) {
  const placed = placeAll(plan.children, [], true);
  const context = ({ input }: { readonly input: unknown }) => ({ input });
  const config = { id: 'chart', context, ...nodeOf(plan.children, [], true), on: onOf(plan.on, []) };
  const names = [0, 1, 2, 3];
  return setup({
    actors: { service: world.service },
    guards: Object.fromEntries(
      names.map((bit) => [`guard${bit}`, ({ event }: { event: object }) => (bitsOf(event) & (1 << bit)) !== 0]),
    ),
    actions: Object.fromEntries(
      names.map((name) => [
        `action${name}`,
        ({ event }: { event: { type: string } }, params: unknown) =>
          void world.log.push(`action ${name} ${event.type} ${JSON.stringify(params)}`),
      ]),
    ),
  }).createMachine(config as object); // arbitrary: types cannot check it

  function nodeOf(children: readonly StatePlan[], path: readonly string[], isFirst: boolean): object {
    if (children.length === 0) return {};
    const entries = children.map((child, position) => {
      const childPath = [...path, nameOf(position)];
      return [nameOf(position), stateOf(child, childPath, isFirst && position === 0)];
    });
    return { initial: nameOf(0), states: Object.fromEntries(entries) as object };
  }

  function stateOf(state: StatePlan, path: readonly string[], isFirst: boolean): object {
    if (isFinalState(state, path)) return { type: 'final', entry: isFirst ? [] : state.entry.map(actionOf) };
    return {
      ...nodeOf(state.children, path, isFirst),
      entry: isFirst ? [] : state.entry.map(actionOf),
      on: onOf(state.on, path),
      ...(isFirst || state.service === undefined ? {} : { invoke: invokeOf(state.service, path) }),
    };
  }

  function invokeOf(service: ServicePlan, path: readonly string[]): object {
    const id = `service ${path.join('.')}`;
    const input = ({ event }: { event: { type: string } }) => ({ id: `${id} for ${event.type}`, how: service.how });
    const onError = [...service.onError.map((step) => transitionOf(step, path)), {}]; // XState dies of an unhandled error
    return { id, src: 'service', input, onDone: service.onDone.map((step) => transitionOf(step, path)), onError };
  }

  function onOf(steps: readonly TransitionPlan[], path: readonly string[]): object {
    const on: Record<string, object[]> = {};
    for (const step of steps) (on[eventName(step.event)] ??= []).push(transitionOf(step, path));
    return on;
  }

  function transitionOf(step: TransitionPlan, path: readonly string[]): object {
    return {
      ...(step.guard === undefined ? {} : { guard: `guard${step.guard}` }),
      ...(step.target === undefined ? {} : { target: targetOf(step, path), reenter: step.reenter }),
      actions: step.actions.map(actionOf),
    };
  }

  // Spelled as a child or a sibling where it is one, else from the root.
  function targetOf({ target = 0, spelling }: TransitionPlan, from: readonly string[]): string {
    const to = placed[target % placed.length]?.path ?? [];
    if (spelling === 'relative' && startsWith(to, from) && to.length > from.length) {
      return `.${to.slice(from.length).join('.')}`;
    }
    const parent = from.slice(0, -1);
    if (spelling === 'relative' && from.length > 0 && startsWith(to, parent) && to.length > parent.length) {
      return to.slice(parent.length).join('.');
    }
    return `#chart.${to.join('.')}`;
  }
}

function placeAll(children: readonly StatePlan[], path: readonly string[], isFirst: boolean): readonly Placed[] {
  return children.flatMap((plan, position) => {
    const own = [...path, nameOf(position)];
    const first = isFirst && position === 0;
    const below = isFinalState(plan, own) ? [] : placeAll(plan.children, own, first);
    return [{ plan, path: own, isFirst: first }, ...below];
  });
}

// The first child of a state is entered by default, and a chart must not begin at its end.
function isFinalState(state: StatePlan, path: readonly string[]): boolean {
  return state.isFinal && path.at(-1) !== nameOf(0);
}

function startsWith(path: readonly string[], prefix: readonly string[]): boolean {
  return prefix.every((name, position) => path[position] === name);
}

function actionOf(name: number): object {
  return { type: `action${name}`, params: { n: name } };
}

function nameOf(position: number): string {
  return `s${position}`;
}

function eventName(event: number): string {
  return `event.${event}`;
}

function bitsOf(event: object): number {
  const { bits, output, error } = event as Partial<Bits> & { output?: Bits; error?: Bits };
  return bits ?? output?.bits ?? error?.bits ?? 0;
}
