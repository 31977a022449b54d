// Names the active states of an operative's charts. Printed by /state and the guided demo.

import { actorOf } from '../../embedding/index.ts';
import type { Operative } from '../../index.ts';

/** `operative: active.running · turn: streaming`; without the turn if none runs. */
export function activeStates(operative: Operative): string {
  const { value, children } = actorOf(operative).getSnapshot();
  const turn: unknown = children['turn']?.getSnapshot();
  const operativeState = `operative: ${stateName(value)}`;
  return hasValue(turn) ? `${operativeState} · turn: ${stateName(turn.value)}` : operativeState;
}

function hasValue(snapshot: unknown): snapshot is { readonly value: unknown } {
  return typeof snapshot === 'object' && snapshot !== null && 'value' in snapshot;
}

// In XState a nested state is an object with one field, parallel states are several fields.
function stateName(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([parent, child]) => `${parent}.${stateName(child)}`)
    .join(', ');
}
