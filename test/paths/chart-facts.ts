// What a chart's config says: its leaf states, its events, where its services live. Read apart from any runner.

import type { AnyStateMachine } from 'xstate';

/** A state without children. */
export interface ChartLeaf {
  /** `active.running`. */
  readonly key: string;
  readonly description: string;
  readonly isFinal: boolean;
  /** Ids of the services that live in it. */
  readonly services: readonly string[];
}

interface NodeConfig {
  readonly description?: string;
  readonly type?: string;
  readonly states?: Readonly<Record<string, NodeConfig>>;
  readonly on?: Readonly<Record<string, unknown>>;
  readonly invoke?: { readonly id: string } | readonly { readonly id: string }[];
}

/** The leaves in the order of the config. */
export function leavesOf({ config }: AnyStateMachine): readonly ChartLeaf[] {
  const walk = (node: NodeConfig, path: readonly string[], above: readonly string[]): readonly ChartLeaf[] => {
    const services = [...above, ...[node.invoke ?? []].flat().map(({ id }) => id)];
    const children = Object.entries(node.states ?? {});
    if (children.length > 0) return children.flatMap(([name, child]) => walk(child, [...path, name], services));
    return [{ key: path.join('.'), description: node.description ?? '', isFinal: node.type === 'final', services }];
  };
  return walk(config as NodeConfig, [], []);
}

/** Every type of event the chart handles anywhere, and the settlements of its services. */
export function eventTypesOf({ config }: AnyStateMachine): readonly string[] {
  const own = new Set<string>();
  const services = new Set<string>();
  const walk = (node: NodeConfig): void => {
    for (const type of Object.keys(node.on ?? {})) own.add(type);
    for (const { id } of [node.invoke ?? []].flat()) services.add(id);
    for (const child of Object.values(node.states ?? {})) walk(child);
  };
  walk(config as NodeConfig);
  const settlements = [...services].flatMap((id) => [`xstate.done.actor.${id}`, `xstate.error.actor.${id}`]);
  return [...new Set([...own, ...settlements])];
}

/** `state event` for every state and every event. */
export function pairsOf(machine: AnyStateMachine): readonly string[] {
  const events = eventTypesOf(machine);
  return leavesOf(machine).flatMap(({ key }) => events.map((event) => `${key} ${event}`));
}
