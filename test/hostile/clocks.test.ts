// Hosts whose clock and timers are not to be relied on: a turn still ends, and nothing spins.

import { expect, test } from 'vitest';
import type { Model } from '../../src/contracts/model.ts';
import { createConversation, createEngine, userMessage, type Host } from '../../src/index.ts';
import { simulatedHost } from '../../src/testing/index.ts';

const silent: Model = {
  id: 'silent',
  async *stream() {
    yield { type: 'message.start' };
    await new Promise(() => undefined);
  },
};

const idleTimeoutMs = 100;

function startSilent(back: number) {
  const simulated = simulatedHost();
  let offset = 0;
  const waits: number[] = [];
  const host: Host = {
    ...simulated,
    now: () => simulated.now() + offset,
    setTimeout: (fn, ms) => {
      waits.push(ms);
      return simulated.setTimeout(fn, ms);
    },
  };
  const engine = createEngine({ model: silent, host, idleTimeoutMs, retry: { attempts: 0 } });
  const run = engine.run(createConversation({ messages: [userMessage('Hi')] }));
  return {
    run,
    waits,
    setBack: () => {
      offset = -back;
    },
    advance: (ms: number) => simulated.advance(ms),
  };
}

// Sixty days are more than a timer can wait.
test.each([1, 3_600_000, 60 * 86_400_000])(
  'a clock set back by %d ms does not keep the watchdog from a silent stream',
  async (back) => {
    const turn = startSilent(back);
    await turn.advance(1);
    turn.setBack();
    await turn.advance(3 * idleTimeoutMs);
    const { reason, error } = await turn.run.result;
    expect([reason, error?.code]).toEqual(['failed', 'stream.idle']);
  },
);

test('a clock set back makes no timer longer than the limit', async () => {
  const turn = startSilent(60 * 86_400_000);
  await turn.advance(1);
  turn.setBack();
  await turn.advance(3 * idleTimeoutMs);
  await turn.run.result;
  expect(Math.max(...turn.waits)).toBe(idleTimeoutMs);
});
