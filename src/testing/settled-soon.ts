// A limit for work under test that may never end. Called by the trials of transformers.

import { nextMacrotask, settlesWithin } from './real-time.ts';

/** Work that awaits only promises settles long before this. */
const mostMacrotasks = 1000;

/** The work did not settle in time. */
export class NotSettled extends Error {}

/**
 * The result of the work, or what it throws. Without `timeoutMs` no timer is used: work that is still pending after a
 * thousand macrotasks waits for something that never comes, or for I/O. Throws `NotSettled`.
 */
export async function settledSoon<Value>(work: Value | PromiseLike<Value>, timeoutMs?: number): Promise<Value> {
  if (typeof work !== 'object' || work === null || !('then' in work)) return work;
  let isPending = true;
  const promise = Promise.resolve(work).finally(() => (isPending = false));
  promise.catch(() => undefined); // it may reject after nobody waits for it any more
  if (timeoutMs === undefined) {
    for (let turn = 0; isPending && turn < mostMacrotasks; turn++) {
      await (turn < 50 ? Promise.resolve() : nextMacrotask());
    }
  } else if (await settlesWithin(promise, timeoutMs)) return promise;
  if (!isPending) return promise;
  const bound = timeoutMs === undefined ? `${mostMacrotasks} macrotasks` : `${timeoutMs} ms`;
  throw new NotSettled(
    `it had not settled after ${bound}${timeoutMs === undefined ? '; if it waits for timers or I/O, pass "timeoutMs" to checkTransformer' : ''}`,
  );
}
