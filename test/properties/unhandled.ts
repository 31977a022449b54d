// Notes rejections nobody handled: promise P6 allows none. Called at the top of a test file.

import { afterAll, afterEach, beforeAll, expect } from 'vitest';

/** Fails each test of the file during which a rejection was not handled. */
export function expectNothingUnhandled(): void {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  beforeAll(() => void process.on('unhandledRejection', note));
  afterAll(() => void process.off('unhandledRejection', note));
  afterEach(() => {
    expect(unhandled.splice(0)).toEqual([]);
  });
}
