// What the conformance suites share: running checks one by one, waiting with a limit, and deep freezing.

import { messageOf } from '../contracts/errors.ts';
import { expect } from './event-grammar/breach.ts';
import { settlesWithin } from './real-time.ts';

/** One thing a suite checks; it fails by throwing. */
export interface Check {
  readonly name: string;
  readonly run: () => Promise<void> | void;
}

/** Runs every check and resolves to the names of those that passed; rejects with an Error that lists all that failed. */
export async function runChecks(suite: string, checks: readonly Check[]): Promise<readonly string[]> {
  const passed: string[] = [];
  const failures: string[] = [];
  for (const { name, run } of checks) {
    try {
      await run();
      passed.push(name);
    } catch (error) {
      failures.push(`${name}: ${messageOf(error)}`);
    }
  }
  if (failures.length === 0) return passed;
  throw new Error(`${suite}: ${failures.length} of ${checks.length} checks failed:\n- ${failures.join('\n- ')}`);
}

/** The result of the work; throws if it takes longer. `what` completes "expected … within". */
export async function within<Value>(ms: number, what: string, work: Promise<Value>): Promise<Value> {
  expect(await settlesWithin(work, ms), `expected ${what} within ${ms} ms`);
  return work;
}

/** Freezes a value and everything in it: a write to it then throws in module code. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
}
