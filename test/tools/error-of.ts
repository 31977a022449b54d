// The TurnchartError a function throws.

import { isTurnchartError, type TurnchartError } from '../../src/contracts/errors.ts';

/** The error; fails when there is none or it is of another kind. */
export function errorOf(action: () => unknown): TurnchartError {
  try {
    action();
  } catch (thrown) {
    if (isTurnchartError(thrown)) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
}
