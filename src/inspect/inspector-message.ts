// The three messages inspectors understand, in the format of @statelyai/inspect 0.7, made from XState's inspection
// events.

import type { JsonValue } from '../conversation/json.ts';
import { boundedJson, type JsonBounds } from './bounded-json.ts';

// The version of the protocol, as its own client states it.
const protocolVersion = '0.7.2';

interface MessageBase {
  readonly _version: string;
  /** Milliseconds since the epoch, as a text. */
  readonly createdAt: string;
  /** Null until a server has given it a place in its order. */
  readonly id: string | null;
  readonly rootId: string;
  /** The actor that is registered, receives the event, or has the snapshot. */
  readonly sessionId: string;
}

/** An actor was created. `definition` is its chart's config as JSON text. */
export interface ActorMessage extends MessageBase {
  readonly type: '@xstate.actor';
  readonly name: string;
  readonly parentId?: string;
  readonly definition: string;
  readonly snapshot: JsonValue;
}

/** An actor was sent an event. Without `sourceId`, the sender is not an actor. */
export interface EventMessage extends MessageBase {
  readonly type: '@xstate.event';
  readonly sourceId?: string;
  readonly event: JsonValue;
}

/** An actor took a step. */
export interface SnapshotMessage extends MessageBase {
  readonly type: '@xstate.snapshot';
  readonly event: JsonValue;
  readonly snapshot: JsonValue;
}

/** Any of the three. */
export type InspectorMessage = ActorMessage | EventMessage | SnapshotMessage;

// About 64 kB a message: a page shows thousands of them.
const payloadBounds: JsonBounds = { text: 8_000, texts: 60_000, items: 200, depth: 12, values: 4_000 };
const definitionBounds: JsonBounds = { text: 2_000, texts: 200_000, items: 500, depth: 40, values: 20_000 };

interface Actor {
  readonly id: string;
  readonly sessionId: string;
  readonly _parent?: Actor;
  readonly logic?: { readonly config?: unknown };
}

interface Inspection {
  readonly type: string;
  readonly rootId: string;
  readonly actorRef: Actor;
  readonly sourceRef?: Actor;
  readonly event?: unknown;
  readonly snapshot?: unknown;
}

/**
 * The message for one of XState's inspection events; undefined for the kinds inspectors do not show (microsteps,
 * actions, transitions). Payloads are cut to about 64 kB.
 */
export function inspectorMessage(inspectionEvent: unknown, now: number): InspectorMessage | undefined {
  const { type, rootId, actorRef, sourceRef, event, snapshot } = inspectionEvent as Inspection; // what XState sends
  const base = { _version: protocolVersion, createdAt: String(now), id: null, rootId, sessionId: actorRef.sessionId };
  switch (type) {
    case '@xstate.actor':
      return {
        ...base,
        type,
        name: nameOf(actorRef),
        ...(actorRef._parent === undefined ? {} : { parentId: actorRef._parent.sessionId }),
        definition: definitionOf(actorRef),
        snapshot: { status: 'active' },
      };
    case '@xstate.event':
      return {
        ...base,
        type,
        ...(sourceRef === undefined ? {} : { sourceId: sourceRef.sessionId }),
        event: payloadOf(event),
      };
    case '@xstate.snapshot':
      return { ...base, type, event: payloadOf(event), snapshot: payloadOf(snapshot) };
    default:
      return undefined;
  }
}

function payloadOf(value: unknown): JsonValue {
  return boundedJson(value, payloadBounds, (given) =>
    'atLength' in given && typeof given.atLength === 'function' ? given.atLength() : undefined,
  );
}

// An actor without an id is named after its chart.
function nameOf({ id, sessionId, logic }: Actor): string {
  const config = logic?.config;
  if (id !== sessionId || typeof config !== 'object' || config === null || !('id' in config)) return id;
  return String(config.id);
}

const definitions = new WeakMap<object, string>();

function definitionOf(actor: Actor): string {
  const config = actor.logic?.config;
  if (typeof config !== 'object' || config === null) return JSON.stringify({ id: nameOf(actor) });
  let definition = definitions.get(config);
  if (definition === undefined) {
    // The context in a config is data of the program, not part of the chart.
    const shown = 'context' in config ? { ...config, context: { type: 'context' } } : config;
    definition = JSON.stringify(boundedJson(shown, definitionBounds));
    definitions.set(config, definition);
  }
  return definition;
}
