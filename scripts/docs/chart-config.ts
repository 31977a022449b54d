// A chart's config read for showing it: states, transitions and services in the order in which they are written.

import type { AnyStateMachine } from 'xstate';

/** A state, leaf or compound. */
export interface ShownState {
  readonly name: string;
  /** From the root: `active.running`. */
  readonly key: string;
  readonly description: string;
  readonly isFinal: boolean;
  readonly initial: string | undefined;
  readonly service: string | undefined;
  readonly entry: readonly string[];
  readonly children: readonly ShownState[];
  readonly transitions: readonly ShownTransition[];
}

/** One candidate. Without a target the state stays. */
export interface ShownTransition {
  readonly from: string;
  readonly event: string;
  readonly guard: string | undefined;
  readonly target: string | undefined;
  readonly actions: readonly string[];
}

interface Config {
  readonly id?: string;
  readonly description?: string;
  readonly type?: string;
  readonly initial?: string;
  readonly entry?: unknown;
  readonly invoke?: { readonly id: string; readonly onDone?: unknown; readonly onError?: unknown };
  readonly on?: Readonly<Record<string, unknown>>;
  readonly states?: Readonly<Record<string, Config>>;
}

/** The states of a chart; the root is the first level's parent and not among them. */
export function shownStates({ config }: AnyStateMachine): readonly ShownState[] {
  const root = config as Config;
  return childrenOf(root, '');
}

/** Every state, parents first. */
export function flatten(states: readonly ShownState[]): readonly ShownState[] {
  return states.flatMap((state) => [state, ...flatten(state.children)]);
}

/** `xstate.done.actor.reload` as people say it. */
function shownEvent(event: string): string {
  return event.replace(/^xstate\.done\.actor\.(.+)$/, '$1 settled').replace(/^xstate\.error\.actor\.(.+)$/, '$1 broke');
}

function childrenOf(config: Config, above: string): readonly ShownState[] {
  return Object.entries(config.states ?? {}).map(([name, child]) => stateOf(name, child, above));
}

function stateOf(name: string, config: Config, above: string): ShownState {
  const key = above === '' ? name : `${above}.${name}`;
  const { invoke } = config;
  const handlers: (readonly [string, unknown])[] = Object.entries(config.on ?? {});
  if (invoke !== undefined) {
    handlers.push(
      [`xstate.done.actor.${invoke.id}`, invoke.onDone],
      [`xstate.error.actor.${invoke.id}`, invoke.onError],
    );
  }
  return {
    name,
    key,
    description: config.description ?? '',
    isFinal: config.type === 'final',
    initial: config.initial,
    service: invoke?.id,
    entry: listOf(config.entry).map(actionName),
    children: childrenOf(config, key),
    transitions: handlers.flatMap(([event, given]) => listOf(given).map((one) => transitionOf(key, above, event, one))),
  };
}

function transitionOf(from: string, above: string, event: string, given: unknown): ShownTransition {
  const { target, guard, actions } = (typeof given === 'string' ? { target: given } : given) as {
    readonly target?: string;
    readonly guard?: string;
    readonly actions?: unknown;
  };
  const path = target?.startsWith('#') === true ? target.replace(/^#\w+\./, '') : target;
  const isSibling = target !== undefined && !target.startsWith('#') && above !== '';
  return {
    from,
    event: shownEvent(event),
    guard,
    target: isSibling ? `${above}.${String(path)}` : path,
    actions: listOf(actions).map(actionName),
  };
}

function actionName(action: unknown): string {
  if (typeof action === 'string') return action;
  const { type, params } = action as { readonly type: string; readonly params?: object };
  return params === undefined ? type : `${type}(${Object.values(params).join(', ')})`;
}

function listOf(given: unknown): readonly unknown[] {
  return given === undefined ? [] : Array.isArray(given) ? given : [given];
}
