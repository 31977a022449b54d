// Names the states an operative's charts are in. The chat's /state and the guided demo print it.

import { actorOf } from '../../embedding/index.ts';
import type { Operative } from '../../index.ts';

/** `operative: active.running · turn: streaming`; without the turn where none runs. */
export function activeStates(operative: Operative): string {
  const { value, children } = actorOf(operative).getSnapshot();
  const turn: unknown = children['turn']?.getSnapshot();
  const operativeState = `operative: ${stateName(value)}`;
  return hasValue(turn) ? `${operativeState} · turn: ${stateName(turn.value)}` : operativeState;
}

function hasValue(snapshot: unknown): snapshot is { readonly value: unknown } {
  return typeof snapshot === 'object' && snapshot !== null && 'value' in snapshot;
}

// A state within a state is an object with one field in XState; parallel ones are several.
function stateName(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([parent, child]) => `${parent}.${stateName(child)}`)
    .join(', ');
}
