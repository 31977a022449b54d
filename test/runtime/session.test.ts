import { expect, test } from 'vitest';
import { createSession } from '../../src/runtime/session.ts';
import { simulatedHost } from '../../src/testing/index.ts';

test('a session has an id of its own', () => {
  const host = simulatedHost();
  expect([createSession(host).id, createSession(host).id]).toEqual(['session_1', 'session_2']);
});

test('a value is made at the first call and then stays', () => {
  const session = createSession(simulatedHost());
  const key = Symbol('cwd');
  const first = session.get(key, () => ({ path: '/' }));
  expect(session.get(key, () => ({ path: '/other' }))).toBe(first);
});

test('undefined is a value', () => {
  const session = createSession(simulatedHost());
  const key = Symbol('nothing');
  let made = 0;
  for (let time = 0; time < 2; time++) session.get(key, () => void made++);
  expect(made).toBe(1);
});

test('keys and sessions do not share values', () => {
  const host = simulatedHost();
  const [one, other] = [createSession(host), createSession(host)];
  const key = Symbol('same');
  one.get(key, () => 1);
  expect([one.get(Symbol('same'), () => 2), other.get(key, () => 3)]).toEqual([2, 3]);
});
