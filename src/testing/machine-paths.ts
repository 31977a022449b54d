// Paths through a state machine, for tests that execute them on real actors. The only file that uses @xstate/graph.

import type { AnyEventObject, AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';
import { TurnchartError } from '../contracts/errors.ts';

/** One event to send. Several cases of one type are payloads that guards may treat differently. */
export interface PathCase {
  readonly event: AnyEventObject;
  /** Unique among the cases. Default: the event's type. */
  readonly name?: string;
  /**
   * Sent only while this invoked actor is running. Default for `xstate.done.actor.<id>` and `xstate.error.actor.<id>`:
   * `<id>`.
   */
  readonly while?: string;
  /** False leaves the case out of simple paths, whose number grows exponentially with the cases. Default true. */
  readonly inSimplePaths?: boolean;
}

/** Options of `machinePaths`. */
export interface MachinePathCases {
  /** The machine's input. Entry and transition actions do not run; `assign`, context and the inputs of invokes do. */
  readonly input?: unknown;
  readonly cases: readonly PathCase[];
  /** States with the same key count as one. Default: the state value as text (`active.running`), for machines whose guards do not read context. */
  readonly stateKey?: (snapshot: AnyMachineSnapshot) => string;
  /** Exploring throws after this many traversals. Default 100,000. */
  readonly limit?: number;
}

/** One event and the states before and after it. */
export interface PathStep {
  readonly from: string;
  /** The case's name. */
  readonly name: string;
  readonly event: AnyEventObject;
  /** The same as `from` if the event changes nothing. */
  readonly to: string;
}

/** Steps from the initial state on. */
export type MachinePath = readonly PathStep[];

/** The graph of a machine, and two ways through it. */
export interface MachinePaths {
  /** Keys of the reachable states, the initial one first. */
  readonly states: readonly string[];
  /** Every case in every state where it is sent. */
  readonly edges: readonly PathStep[];
  /** For each edge, the shortest path to its state followed by the edge. */
  readonly edgeCover: readonly MachinePath[];
  /** Every path that visits no state twice, to each state. Computed by the call. */
  simplePaths(): readonly MachinePath[];
}

/**
 * Explores a machine. Its invoked actors are never started: cases stand for what they would report. Guards must not
 * throw on the given cases and must read only context and event. Rejects with `peer.missing` if @xstate/graph is not
 * installed, and with an Error if a step leaves the machine in an error.
 */
export async function machinePaths(machine: AnyStateMachine, given: MachinePathCases): Promise<MachinePaths> {
  const { getAdjacencyMap, getShortestPaths, getSimplePaths } = await importGraph();
  const named = new Map<EventObject, string>(given.cases.map((one) => [one.event, nameOf(one)]));
  if (new Set(named.values()).size < given.cases.length)
    throw new RangeError('machinePaths: two cases have the same name; give each of them a unique name.');
  const keyOf = given.stateKey ?? ((snapshot: AnyMachineSnapshot) => stateKeyOf(snapshot.value));
  const options = (cases: readonly PathCase[]) => ({
    ...('input' in given ? { input: given.input } : {}),
    limit: given.limit ?? 100_000,
    serializeState: (snapshot: AnyMachineSnapshot) => {
      if (snapshot.status === 'error') throw new Error('machinePaths: a step failed.', { cause: snapshot.error });
      return keyOf(snapshot);
    },
    serializeEvent: (event: EventObject) => named.get(event) ?? event.type,
    // Filtered by hand, because some versions ignore `filterEvents`.
    events: (snapshot: AnyMachineSnapshot) => cases.filter((one) => isFed(one, snapshot)).map(({ event }) => event),
  });
  const explored = options(given.cases);
  const graph = getAdjacencyMap(machine, explored) as object as Readonly<Record<string, Vertex>>; // its keys are branded strings
  const edges = Object.entries(graph).flatMap(([from, { transitions }]) =>
    Object.values(transitions).map(({ event, state }) => stepOf(from, event, state)),
  );
  const shortest = new Map(getShortestPaths(machine, explored).map((path) => [keyOf(path.state), pathOf(path.steps)]));
  return {
    states: [...shortest.keys()],
    edges,
    edgeCover: edges.map((edge) => [...(shortest.get(edge.from) ?? []), edge]),
    simplePaths: () => {
      const cases = given.cases.filter((one) => one.inSimplePaths !== false);
      return getSimplePaths(machine, options(cases)).map((path) => pathOf(path.steps));
    },
  };

  function stepOf(from: string, event: EventObject, to: AnyMachineSnapshot): PathStep {
    return { from, name: named.get(event) ?? event.type, event, to: keyOf(to) };
  }

  // The library's first step is the start.
  function pathOf(steps: readonly { readonly state: AnyMachineSnapshot; readonly event: EventObject }[]) {
    return steps.slice(1).map(({ event, state }, index) => stepOf(keyOf(steps[index]?.state ?? state), event, state));
  }
}

/** A state value as text: `idle`, `active.running`, regions joined by a bar. */
export function stateKeyOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return Object.entries(value as Readonly<Record<string, unknown>>) // XState's state value: names of states
    .map(([name, child]) => (isEmpty(child) ? name : `${name}.${stateKeyOf(child)}`))
    .toSorted()
    .join('|');
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function nameOf({ name, event }: PathCase): string {
  return name ?? event.type;
}

interface Vertex {
  readonly transitions: Readonly<Record<string, { readonly event: EventObject; readonly state: AnyMachineSnapshot }>>;
}

const settlement = /^xstate\.(?:done|error)\.actor\.(.+)$/;

function isFed(one: PathCase, snapshot: AnyMachineSnapshot): boolean {
  const actor = one.while ?? settlement.exec(one.event.type)?.[1];
  return actor === undefined || (snapshot.status === 'active' && snapshot.children[actor] !== undefined);
}

async function importGraph(): Promise<typeof import('@xstate/graph')> {
  try {
    return await import('@xstate/graph');
  } catch (cause) {
    throw new TurnchartError(
      'peer.missing',
      'machinePaths(…) needs the package @xstate/graph, which could not be loaded. Install it: npm install --save-dev @xstate/graph@3',
      { cause },
    );
  }
}
