import { describe, expect, test } from 'vitest';
import { quietly } from '../../src/runtime/quietly.ts';

describe('quietly', () => {
  test('passes arguments on and keeps throws from the caller', () => {
    const seen: number[] = [];
    const thrown: unknown[] = [];
    const careful = quietly(
      (value: number) => {
        seen.push(value);
        throw new Error('no');
      },
      (error) => thrown.push(error),
    );
    careful(1);
    expect(seen).toEqual([1]);
    expect(thrown).toMatchObject([{ message: 'no' }]);
  });

  test('does nothing without a callback, and drops a throw if nobody wants to hear of it', () => {
    expect(quietly(undefined)(1)).toBeUndefined();
    const thrower = quietly(() => {
      throw new Error('no');
    });
    expect(thrower(1)).toBeUndefined();
  });
});
