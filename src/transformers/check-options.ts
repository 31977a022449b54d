// The check of a transformer's options when it is made. Called by every transformer that has some.

import { TurnchartError } from '../contracts/errors.ts';
import { describeValue } from '../tools/describe-value.ts';

/** Throws `options.invalid` for the first of these options that is there and no number of at least its bound. */
export function checkNumbers(by: string, options: object, bounds: Readonly<Record<string, number>>): void {
  for (const [name, least] of Object.entries(bounds)) {
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined && !(typeof value === 'number' && value >= least)) {
      throw invalidOption(by, name, `a number of at least ${least}`, value);
    }
  }
}

/** What is wrong with an option: what was expected, and what was given. */
export function invalidOption(by: string, name: string, expected: string, got: unknown): TurnchartError {
  return new TurnchartError('options.invalid', `${by}({ ${name} }) must be ${expected}, got ${describeValue(got)}.`);
}
