// The actors as rows of a tree, at a place of the log.

import { valueText } from './active-states.ts';
import { isObject, type Actor, type MessageLog } from './message-log.ts';

/** A row. */
export interface ActorRow {
  readonly actor: Actor;
  readonly depth: number;
  readonly status: ActorStatus;
  /** Its state, or what became of it. */
  readonly state: string;
  readonly isOpen: boolean;
  readonly hasChildren: boolean;
}

/** How an actor is. */
export type ActorStatus = 'active' | 'done' | 'error' | 'stopped';

/** What was opened and closed by hand. */
export type OpenActors = ReadonlyMap<string, boolean>;

/** Rows in order. What has ended is closed until somebody opens it, and so is what is wanted nowhere. */
export function actorRows(log: MessageLog, place: number, open: OpenActors, selected: Actor | undefined): ActorRow[] {
  const rows: ActorRow[] = [];
  const wanted = new Set<Actor>();
  for (let actor = selected?.parent; actor !== undefined; actor = actor.parent) wanted.add(actor);
  const add = (actor: Actor, depth: number) => {
    if (actor.born > place) return;
    const status = statusOf(actor, place);
    const hasChildren = actor.children.some((child) => child.born <= place);
    const isOpen = hasChildren && (open.get(actor.id) ?? (status === 'active' || wanted.has(actor)));
    rows.push({ actor, depth, status, state: stateText(actor, place, status), isOpen, hasChildren });
    if (isOpen && depth < 40) for (const child of actor.children) add(child, depth + 1);
  };
  for (const root of log.roots) add(root, 0);
  return rows;
}

/** How an actor is at a place. */
export function statusOf(actor: Actor, place: number): ActorStatus {
  const status = actor.snapshotAt(place)?.snapshot?.status;
  if (status === 'done' || status === 'error' || status === 'stopped') return status;
  return actor.hasEnded(place) ? 'stopped' : 'active';
}

/** The state of an actor as one line. */
export function stateText(actor: Actor, place: number, status: ActorStatus): string {
  const snapshot = actor.snapshotAt(place)?.snapshot;
  const value = valueText(snapshot?.value);
  if (value !== '') return value;
  if (actor.name === 'transcript' && isObject(snapshot?.context))
    return `${String(snapshot.context['messages'])} messages`;
  return status === 'active' ? 'working' : status;
}

/** How a row looks: an actor that has come to its end by failing looks like one that broke. */
export function toneOf(status: ActorStatus, state: string): ActorStatus {
  return status === 'done' && /^(failed|timedOut|invalidArguments|unknownTool)\b/.test(state) ? 'error' : status;
}

/** A name for people: `turn 3`, and of a tool call the tool. */
export function labelOf(actor: Actor, place: number): { readonly name: string; readonly detail: string } {
  if (/^toolCall:\d+$/.test(actor.name)) {
    const context = actor.snapshotAt(place)?.snapshot?.context;
    const tool = isObject(context) && typeof context['name'] === 'string' ? context['name'] : '';
    return tool === '' ? { name: actor.name, detail: '' } : { name: tool, detail: actor.name };
  }
  const isOneOfMany = actor.ordinal > 1 || (actor.parent?.counts.get(actor.name) ?? 1) > 1;
  return { name: isOneOfMany ? `${actor.name} ${actor.ordinal}` : actor.name, detail: '' };
}
