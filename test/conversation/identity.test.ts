import { describe, expect, test } from 'vitest';
import { createId } from '../../src/conversation/identity.ts';

describe('createId', () => {
  test.each([
    ['message', 'msg_'],
    ['turn', 'turn_'],
    ['task', 'task_'],
    ['call', 'call_'],
    ['session', 'session_'],
  ] as const)('of a %s begins with %s and has at least 24 small letters and digits behind it', (kind, prefix) => {
    for (let count = 0; count < 1000; count++) {
      const id = createId(kind);
      expect(id.slice(0, prefix.length)).toBe(prefix);
      expect(id.slice(prefix.length)).toMatch(/^[0-9a-z]{24,}$/);
    }
  });

  test('gives 100,000 different ids', () => {
    const ids = new Set(Array.from({ length: 100_000 }, () => createId('message')));
    expect(ids.size).toBe(100_000);
  });

  test('repeats no part of one id in another', () => {
    const parts = Array.from({ length: 1000 }, () => createId('call').slice(-24).match(/.{6}/g) ?? []).flat();
    expect(parts).toHaveLength(4000);
    // Of 4,000 draws of 30 bits two are equal about once in 130 runs; ten would be a broken source.
    expect(parts.length - new Set(parts).size).toBeLessThan(10);
  });
});
