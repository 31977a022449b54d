import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { listenForInterrupts } from '../../src/cli/interrupts.ts';

function doneAfter(...signals: readonly string[]): readonly string[] {
  const source = new EventEmitter();
  const done: string[] = [];
  listenForInterrupts(
    { cancel: (code) => done.push(`cancel ${code}`), leave: (code) => done.push(`leave ${code}`) },
    source,
  );
  for (const signal of signals) source.emit(signal);
  return done;
}

describe('listenForInterrupts', () => {
  test('the first signal cancels, further ones leave', () => {
    expect(doneAfter('SIGINT')).toEqual(['cancel 130']);
    expect(doneAfter('SIGINT', 'SIGINT', 'SIGINT')).toEqual(['cancel 130', 'leave 130', 'leave 130']);
  });

  test('a termination signal counts like an interrupt', () => {
    expect(doneAfter('SIGTERM', 'SIGINT')).toEqual(['cancel 143', 'leave 130']);
  });
});
