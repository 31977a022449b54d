// Calls of user code, which may throw or give a promise. Whoever calls tools, steps, approvals and listeners does it by these.

import { atOnce, isThenable } from '../contracts/at-once.ts';
import { messageOf, TurnchartError } from '../contracts/errors.ts';

/** What `ask` gives at once; where it throws or gives a promise, `onError` hears of it and `otherwise` counts. */
export function answerOr<Value>(
  otherwise: Value,
  ask: () => Value,
  who: string,
  onError: (thrown: unknown) => void,
): Value {
  try {
    return atOnce(ask(), who);
  } catch (thrown) {
    onError(thrown);
    return otherwise;
  }
}

/** What a step of the engine gives at once. Throws `turn.broken` where it throws or gives a promise. */
export function stepAnswer<Value>(step: string, ask: () => Value): Value {
  try {
    return atOnce(ask(), 'It');
  } catch (thrown) {
    throw new TurnchartError('turn.broken', `The step "${step}" failed: ${messageOf(thrown)}`, { cause: thrown });
  }
}

/**
 * Calls `work` and takes what it gives: in the same tick, or when its promise settles, and then through `enter`, for
 * nobody would hear of what they throw. One of `took` and `threw` is called, once. True where it was a promise.
 */
export function whenGiven(
  work: () => unknown,
  took: (value: unknown) => void,
  threw: (thrown: unknown) => void,
  enter: (work: () => void) => void = (work) => work(),
): boolean {
  let given: unknown;
  let later: Promise<unknown> | undefined;
  try {
    given = work();
    if (isThenable(given)) later = Promise.resolve(given); // tames thenables that call back at once or twice
  } catch (thrown) {
    threw(thrown);
    return false;
  }
  if (later === undefined) took(given);
  else
    later.then(
      (value) => enter(() => took(value)),
      (thrown) => enter(() => threw(thrown)),
    );
  return later !== undefined;
}
