// Options that callers give, checked by tables at set-up: which names there are, and what each may be. Called by whatever
// takes options.

import { TurnchartError } from '../contracts/errors.ts';
import { describeValue } from './describe-value.ts';

/** What a value must be, to follow "must be", and whether it is. Undefined is never asked: it means "not given". */
export type Check = readonly [expected: string, fits: (value: unknown) => boolean];

/** Checks by the name of the option; a table is an object with options of its own. */
export interface OptionTable {
  readonly [name: string]: Check | OptionTable;
}

/** Throws `options.invalid` on what is no object, on a name that is not in the table, and on a value that does not fit. */
export function checkOptions(of: string, options: unknown, table: OptionTable, prefix = ''): void {
  if (!isObject(options)) {
    if (prefix !== '') throw invalidOption(prefix.slice(0, -1), 'an object', options);
    throw new TurnchartError('options.invalid', `${of} takes an object of options, got ${describeValue(options)}.`);
  }
  for (const [name, value] of Object.entries(options)) {
    const check = Object.hasOwn(table, name) ? table[name] : undefined;
    if (check === undefined) {
      const names = Object.keys(table).join(', ');
      throw new TurnchartError('options.invalid', `${of} has no option "${prefix}${name}"; it has ${names}.`);
    }
    if (value === undefined) continue;
    if (!isCheck(check)) checkOptions(of, value, check, `${prefix}${name}.`);
    else if (!check[1](value)) throw invalidOption(prefix + name, check[0], value);
  }
}

/** The error for an option whose value makes no sense. */
export function invalidOption(name: string, expected: string, got: unknown): TurnchartError {
  return new TurnchartError('options.invalid', `The option "${name}" must be ${expected}, got ${describeValue(got)}.`);
}

/** Any string, an empty one too. */
export const aText: Check = ['a string', (value) => typeof value === 'string'];

/** A number, or no bound at all. */
export const numberFrom = (least: number): Check => [
  `a number of at least ${least}`,
  (value) => typeof value === 'number' && value >= least,
];

/** True for objects, arrays too. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isCheck(check: Check | OptionTable): check is Check {
  return Array.isArray(check);
}
