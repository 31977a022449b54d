// Checks options at set-up by tables of their names and allowed values. Called by everything that takes options.

import { TurnchartError } from './errors.ts';

/**
 * What a value must be, as text after "must be", and the test for it. Undefined means "not given" and is not tested.
 */
export type Check = readonly [expected: string, fits: (value: unknown) => boolean];

/** Checks by the name of the option; a nested table is for an object with its own options. */
export interface OptionTable {
  readonly [name: string]: Check | OptionTable;
}

/** Throws `options.invalid` for anything but an object, for a name that is not in the table, and for an unfit value. */
export function checkOptions(of: string, options: unknown, table: OptionTable, prefix = ''): void {
  if (!isObject(options)) {
    if (prefix !== '') throw invalidOption(prefix.slice(0, -1), 'an object', options);
    throw new TurnchartError('options.invalid', `${of} takes an object of options, got ${describeGiven(options)}.`);
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

/** The error for an option with an invalid value. */
export function invalidOption(name: string, expected: string, got: unknown): TurnchartError {
  return new TurnchartError('options.invalid', `The option "${name}" must be ${expected}, got ${describeGiven(got)}.`);
}

/** What was given, by its type and size. Never its content: it may be a key in the wrong place. */
export function describeGiven(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `a string of ${value.length} characters`;
    case 'object':
      return value === null ? 'null' : describeObject(value);
    case 'undefined':
      return 'nothing';
    case 'function':
    case 'symbol':
      return `a ${typeof value}`;
    default:
      return String(value);
  }
}

function describeObject(value: object): string {
  try {
    return Array.isArray(value) ? `an array of ${value.length}` : 'an object';
  } catch {
    return 'an object that cannot be read'; // a hostile proxy
  }
}

/** Whatever is given: it is checked elsewhere, or not at all. */
export const anything: Check = ['', () => true];

/** Any string, also an empty one. */
export const aText: Check = ['a string', (value) => typeof value === 'string'];

/** A number of at least `least`; Infinity means no limit. */
export const numberFrom = (least: number): Check => [
  `a number of at least ${least}`,
  (value) => typeof value === 'number' && value >= least,
];

/** True for objects, also arrays. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isCheck(check: Check | OptionTable): check is Check {
  return Array.isArray(check);
}
