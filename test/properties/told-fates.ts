// Whether outcome and delivery of every message are what the events, the requests and the transcript say happened.
// Knows nothing of the reference models.

import assert from 'node:assert/strict';
import type { OperativeEvent } from '../../src/contracts/events.ts';
import type { Delivery, SubmitOutcome, SubmitPolicy } from '../../src/contracts/operative.ts';
import type { Message } from '../../src/conversation/message.ts';

/** One submission and what was said about it. */
export interface Told {
  readonly id: string;
  readonly policy: SubmitPolicy;
  readonly outcome: SubmitOutcome;
  readonly delivery: Delivery;
}

/** Throws if what was reported is not what happened. The log holds every event since before the first submission. */
export function expectToldTrue(
  told: readonly Told[],
  events: readonly OperativeEvent[],
  transcript: readonly Message[],
): void {
  for (const one of told) {
    const { id, outcome, delivery } = one;
    const appends = indices(events, (event) => event.type === 'message.appended' && event.message.id === id);
    const queued = indices(events, (event) => event.type === 'message.queued' && event.message.id === id);
    const injected = indices(events, (event) => event.type === 'message.injected' && event.message.id === id);
    const stands = transcript.filter((message) => message.id === id).length;
    const isIn = delivery.status !== 'rejected' && delivery.status !== 'withdrawn';
    const text = JSON.stringify(one);
    assert.equal(stands, isIn ? 1 : 0, `in the transcript: ${text}`);
    assert.equal(appends.length, isIn ? 1 : 0, `appended: ${text}`);
    assert.equal(outcome.outcome === 'rejected', delivery.status === 'rejected', text);
    assert.ok(queued.length + injected.length <= 1, `told once: ${text}`);
    if (delivery.status === 'queued') assert.equal(queued.length, 1, `told as queued: ${text}`);
    if (injected.length > 0) assert.equal(outcome.outcome, 'injected', text);
    if (delivery.status === 'answered' || delivery.status === 'unanswered') {
      expectInTurn(delivery, appends[0] ?? -1, events, text);
    }
  }
  const order = transcript.map(({ id }) => id);
  expectOrder(told, order, (one) => one.policy === 'queue');
  expectOrder(told, order, (one) => one.policy === 'steer' || one.policy === 'reject');
}

// A message is answered by the settled answer of that iteration, and unanswered in a turn that had no more answer.
function expectInTurn(
  delivery: Extract<Delivery, { turnId: string }>,
  appended: number,
  events: readonly OperativeEvent[],
  text: string,
): void {
  const begin = events.findIndex((event) => event.type === 'turn.started' && event.turnId === delivery.turnId);
  const end = events.findIndex((event) => event.type === 'turn.completed' && event.turnId === delivery.turnId);
  assert.ok(begin >= 0 && end > begin, `a turn that began and ended: ${text}`);
  const answers = indices(events, (event) => event.type === 'assistant.settled').filter(
    (index) => index > begin && index < end,
  );
  const after = answers.filter((index) => index > appended);
  if (delivery.status === 'unanswered') return assert.deepEqual(after, [], `no answer after it: ${text}`);
  assert.equal(
    after[0],
    answers[delivery.iteration - 1],
    `the answer of that iteration is the first after it: ${text}`,
  );
}

// Order of acceptance holds within a lane; the log of submissions is in order of the calls.
function expectOrder(told: readonly Told[], transcript: readonly string[], isInLane: (one: Told) => boolean): void {
  const places = told.filter(isInLane).flatMap(({ id }) => indices(transcript, (other) => other === id));
  assert.deepEqual(
    places,
    places.toSorted((left, right) => left - right),
    'in order of acceptance',
  );
}

function indices<Item>(items: readonly Item[], isWanted: (item: Item) => boolean): readonly number[] {
  return [...items.entries()].flatMap(([index, item]) => (isWanted(item) ? [index] : []));
}
