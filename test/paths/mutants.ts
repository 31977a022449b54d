// Mutants of a chart: each transition dropped, retargeted or no longer reentering, each guard removed or negated, each
// action removed, one at a time. A mutant is a machine like any other, so that both runners run it.

import { not, StateMachine, type AnyStateMachine } from 'xstate';

/** One changed chart. */
export interface Mutant {
  /** Stable as long as the chart is: `streaming on xstate.done.actor.streamModel [0] (→ waiting): drop`. */
  readonly name: string;
  readonly machine: AnyStateMachine;
}

type Json = Record<string, unknown>;

/** A place in the config. */
type Path = readonly (string | number)[];

interface Site {
  readonly name: string;
  /** Where the list of transitions, or of actions, stands. */
  readonly path: Path;
  readonly index: number;
}

/** All mutants, in the order of the config. Those that XState cannot even make are left to whoever creates them. */
export function mutantsOf(machine: AnyStateMachine): readonly { readonly name: string; create(): Mutant }[] {
  const config = normalise(machine.config as Json);
  const leaves = leafTargets(config, String(config['id']));
  const found: { readonly name: string; create(): Mutant }[] = [];
  const add = (name: string, change: (copy: Json) => void, guards: Json = {}) => {
    const create = (): Mutant => {
      const copy = clone(config) as Json;
      change(copy);
      const implementations = machine.implementations;
      const all = { ...implementations, guards: { ...implementations.guards, ...guards } };
      // The config is the machine's own but for one place; its types are lost on the way.
      return { name, machine: new StateMachine(copy as never, all as never) };
    };
    found.push({ name, create });
  };
  for (const site of transitionSites(config)) {
    const transition = at(config, [...site.path, site.index]) as Json;
    const { target, guard, actions, reenter } = transition;
    const shown = `${site.name}${guard === undefined ? '' : ` if ${String(guard)}`} → ${target === undefined ? 'same state' : short(target)}`;
    add(`${shown}: drop`, (copy) => (at(copy, site.path) as unknown[]).splice(site.index, 1));
    if (target !== undefined) {
      const other = otherTarget(leaves, String(target), site.name);
      add(`${shown}: go to ${short(other)} instead`, (copy) => {
        (at(copy, [...site.path, site.index]) as Json)['target'] = other;
      });
    }
    if (reenter === true) {
      add(`${shown}: do not reenter`, (copy) => delete (at(copy, [...site.path, site.index]) as Json)['reenter']);
    }
    if (typeof guard === 'string') {
      add(`${shown}: remove the guard`, (copy) => delete (at(copy, [...site.path, site.index]) as Json)['guard']);
      const original = machine.implementations.guards as Readonly<Record<string, (...args: unknown[]) => unknown>>;
      const negated = `not ${guard}`;
      add(
        `${shown}: negate the guard`,
        (copy) => {
          (at(copy, [...site.path, site.index]) as Json)['guard'] = negated;
        },
        // One made of others, as `and(…)`, is only understood by XState.
        {
          [negated]: isComposed(original[guard])
            ? not(guard)
            : (...args: unknown[]) => original[guard]?.(...args) !== true,
        },
      );
    }
    for (const [index, action] of list(actions).entries()) {
      add(`${shown}: leave out ${actionName(action)}`, (copy) => {
        (at(copy, [...site.path, site.index, 'actions']) as unknown[]).splice(index, 1);
      });
    }
  }
  for (const site of entrySites(config)) {
    const action = at(config, [...site.path, site.index]);
    add(`${site.name}: leave out ${actionName(action)}`, (copy) => {
      (at(copy, site.path) as unknown[]).splice(site.index, 1);
    });
  }
  return found;
}

// Every transition as an object in a list, every set of actions as a list: then a place is a path.
function normalise(node: Json): Json {
  const result: Json = { ...node };
  const handlers = (given: unknown) =>
    list(given).map((one) => {
      const transition: Json = typeof one === 'string' ? { target: one } : { ...(one as Json) };
      if (transition['actions'] !== undefined) transition['actions'] = list(transition['actions']);
      return transition;
    });
  if (node['on'] !== undefined) result['on'] = mapValues(node['on'] as Json, handlers);
  if (node['entry'] !== undefined) result['entry'] = list(node['entry']);
  if (node['states'] !== undefined)
    result['states'] = mapValues(node['states'] as Json, (child) => normalise(child as Json));
  const invoke = node['invoke'] as Json | undefined;
  if (invoke !== undefined) {
    result['invoke'] = { ...invoke, onDone: handlers(invoke['onDone']), onError: handlers(invoke['onError']) };
  }
  return result;
}

function isComposed(guard: unknown): boolean {
  return typeof guard === 'function' && 'check' in guard;
}

function transitionSites(config: Json): readonly Site[] {
  return nodes(config).flatMap(({ node, path, name }) => {
    const invoke = node['invoke'] as Json | undefined;
    const lists: (readonly [string, Path])[] = Object.keys((node['on'] ?? {}) as Json).map((event) => [
      event,
      [...path, 'on', event],
    ]);
    if (invoke !== undefined) {
      lists.push([`done.${String(invoke['id'])}`, [...path, 'invoke', 'onDone']]);
      lists.push([`error.${String(invoke['id'])}`, [...path, 'invoke', 'onError']]);
    }
    return lists.flatMap(([event, where]) =>
      list(at(config, where)).map((_, index) => ({ name: `${name} on ${event} [${index}]`, path: where, index })),
    );
  });
}

function entrySites(config: Json): readonly Site[] {
  return nodes(config).flatMap(({ node, path, name }) =>
    list(node['entry']).map((_, index) => ({ name: `entry of ${name}`, path: [...path, 'entry'], index })),
  );
}

function nodes(config: Json, path: Path = [], name = ''): readonly { node: Json; path: Path; name: string }[] {
  const children = Object.entries((config['states'] ?? {}) as Json).flatMap(([child, node]) =>
    nodes(node as Json, [...path, 'states', child], name === '' ? child : `${name}.${child}`),
  );
  return name === '' ? children : [{ node: config, path, name }, ...children];
}

function leafTargets(config: Json, id: string): readonly string[] {
  return nodes(config)
    .filter(({ node }) => node['states'] === undefined)
    .map(({ name }) => `#${id}.${name}`);
}

// The next leaf in the order of the config that is not what the transition means already.
function otherTarget(leaves: readonly string[], target: string, site: string): string {
  const own = short(target);
  const index = leaves.findIndex(
    (leaf) => short(leaf) === own || short(leaf).startsWith(`${own}.`) || short(leaf).endsWith(`.${own}`),
  );
  const from = site.split(' ', 1)[0] ?? '';
  for (let step = 1; step <= leaves.length; step++) {
    const candidate = leaves[(index + step) % leaves.length] ?? target;
    const name = short(candidate);
    if (name !== own && name !== from && !name.startsWith(`${own}.`) && !name.endsWith(`.${own}`)) return candidate;
  }
  return target;
}

function short(target: unknown): string {
  return String(target).replace(/^#\w+\./, '');
}

function actionName(action: unknown): string {
  return typeof action === 'string' ? action : String((action as Json)['type']);
}

function list(given: unknown): unknown[] {
  return given === undefined ? [] : Array.isArray(given) ? [...given] : [given];
}

function at(config: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => (value as Json)[key], config);
}

function mapValues(values: Json, change: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
}

// Functions (context, output, input) stay what they are.
function clone(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clone);
  if (typeof value !== 'object' || value === null) return value;
  return mapValues(value as Json, clone);
}
