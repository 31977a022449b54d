// A bound for work under test that may never end. Called by the trials of transformers.

import { nextMacrotask, settlesWithin } from './real-time.ts';

/** What awaits nothing but promises has settled long before. */
const mostMacrotasks = 1000;

/** Work did not settle. */
export class NotSettled extends Error {}

/**
 * What the work gives or throws. Without `timeoutMs` no timer is used: work that is pending when a thousand macrotasks
 * have passed waits for nothing that could still come, unless it waits for the world outside. Throws `NotSettled`.
 */
export async function settledSoon<Value>(work: Value | PromiseLike<Value>, timeoutMs?: number): Promise<Value> {
  if (typeof work !== 'object' || work === null || !('then' in work)) return work;
  let isPending = true;
  const promise = Promise.resolve(work).finally(() => (isPending = false));
  promise.catch(() => undefined); // it may reject when nobody waits any more
  if (timeoutMs === undefined) {
    for (let turn = 0; isPending && turn < mostMacrotasks; turn++) {
      await (turn < 50 ? Promise.resolve() : nextMacrotask());
    }
  } else if (await settlesWithin(promise, timeoutMs)) return promise;
  if (!isPending) return promise;
  const bound = timeoutMs === undefined ? `${mostMacrotasks} macrotasks` : `${timeoutMs} ms`;
  throw new NotSettled(
    `it had not settled after ${bound}${timeoutMs === undefined ? '; if it waits for the world outside, give checkTransformer a "timeoutMs"' : ''}`,
  );
}
