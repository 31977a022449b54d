// What XState keeps out of its declarations and an inspector's picture depends on: who sent an event, and whose child an
// actor is. Where it is gone, events are still sent, but without their sender.

import { createActor, createMachine } from 'xstate';
import { expect, test } from 'vitest';

test.each(['_relay', '_sendInspectionEvent'])('the system of an XState actor has %s', (name) => {
  const { system } = createActor(createMachine({}));
  expect(typeof Reflect.get(system, name)).toBe('function');
});

test('an XState actor names its parent as _parent', () => {
  const parent = createActor(createMachine({}));
  expect(createActor(createMachine({}), { parent })._parent).toBe(parent);
});
