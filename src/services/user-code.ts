// Calls user code, which may throw or return a promise. Used wherever tools, steps and approvals are called.

import { atOnce, isThenable } from '../contracts/at-once.ts';
import { messageOf, TurnchartError } from '../contracts/errors.ts';

/** The value that `ask` returns. If it throws or returns a promise: `otherwise`, and `onError` gets the error. */
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

/** The value that a step of the engine returns. Throws `turn.broken` if it throws or returns a promise. */
export function stepAnswer<Value>(step: string, ask: () => Value): Value {
  try {
    return atOnce(ask(), 'It');
  } catch (thrown) {
    throw new TurnchartError('turn.broken', `The step "${step}" failed: ${messageOf(thrown)}`, { cause: thrown });
  }
}

/**
 * Calls `work` and passes on its value to `took`, or what it throws to `threw`: one of them, once. In the same tick, or
 * when its promise settles, and then through `enter`, which handles what they throw. True if it was a promise.
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
    if (isThenable(given)) later = Promise.resolve(given); // guards against thenables that call back synchronously or twice
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
