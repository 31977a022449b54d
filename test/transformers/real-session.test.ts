// The default stack over a real session: every view is valid and fits, and what was read once is not read again.

import { beforeAll, describe, expect, test } from 'vitest';
import { createConversation } from '../../src/conversation/conversation.ts';
import { atomicGroups } from '../../src/conversation/groups.ts';
import type { Message } from '../../src/conversation/message.ts';
import { pairingFault } from '../../src/conversation/pairing.ts';
import { repair } from '../../src/conversation/repair.ts';
import { tokensOf } from '../../src/conversation/tally.ts';
import { createEngine } from '../../src/runtime/engine.ts';
import { createOperative } from '../../src/runtime/operative.ts';
import { scriptedModel, simulatedHost } from '../../src/testing/index.ts';
import { Trial } from '../../src/testing/properties/index.ts';
import { defaultTransformers } from '../../src/transformers/index.ts';
import { toolOf } from '../runtime/turn-bench.ts';
import { countingReads, realSession } from './real-session.ts';

const contextTokens = 32_000;

interface Step {
  readonly reads: number;
  readonly newMessages: number;
  /** Messages that were there before and were read anyway. */
  readonly oldRead: number;
  readonly fault: string | undefined;
  readonly tokens: number;
  readonly isCompacted: boolean;
}

describe('a real session, before every model call', () => {
  const steps: Step[] = [];
  let messages: readonly Message[] = [];

  beforeAll(async () => {
    const reads = countingReads();
    messages = repair(createConversation({ messages: realSession() })).conversation.messages.map(reads.wrap);
    const transcript: Message[] = [];
    const growing = { system: [], messages: transcript };
    const trial = new Trial(defaultTransformers(), createConversation(), contextTokens);
    for (const { start, end } of atomicGroups(messages)) {
      transcript.push(...messages.slice(start, end));
      const before = reads.count();
      reads.messages();
      const { after, appended } = await trial.run('beforeIteration', growing);
      transcript.push(...appended);
      steps.push({
        reads: reads.count() - before,
        newMessages: end - start,
        oldRead: [...reads.messages()].filter((id) => messages.findIndex((each) => each.id === id) < start).length,
        fault: pairingFault(after.messages),
        tokens: tokensOf(after.messages),
        isCompacted: appended.length > 0,
      });
    }
  });

  test('is the size of one', () => {
    expect(messages.length).toBeGreaterThan(700);
    expect(tokensOf(messages)).toBeGreaterThan(100_000);
    expect(steps.filter(({ isCompacted }) => isCompacted).length).toBeGreaterThan(2);
  });

  test('every view is valid', () => {
    expect(steps.filter(({ fault }) => fault !== undefined)).toEqual([]);
  });

  test('every view fits', () => {
    expect(Math.max(...steps.map(({ tokens }) => tokens))).toBeLessThanOrEqual(contextTokens);
  });

  test('a call reads no old message, unless it compacts', () => {
    const plain = steps.filter(({ isCompacted }) => !isCompacted);
    expect(plain.filter(({ oldRead }) => oldRead > 0)).toEqual([]);
  });

  test('the cost of a call is flat: only the first reading of a message and a compaction read it', () => {
    const plain = steps.filter(({ isCompacted }) => !isCompacted);
    // A message is read when it is new, and once more when its results are shortened.
    const perMessage = plain.map(({ reads, newMessages }) => reads / newMessages);
    expect(Math.max(...perMessage)).toBeLessThanOrEqual(40);
    const half = Math.floor(plain.length / 2);
    const sum = (some: readonly Step[]) => some.reduce((total, { reads }) => total + reads, 0) / some.length;
    expect(sum(plain.slice(half))).toBeLessThanOrEqual(1.5 * sum(plain.slice(0, half)));
  });
});

describe.each([
  ['that fits', 1_000_000],
  ['that was compacted', 32_000],
])('an operative with a history %s', (_, size) => {
  test('reads no old message again, whatever it is asked', async () => {
    const host = simulatedHost();
    const reads = countingReads();
    const history = repair(createConversation({ messages: realSession().slice(0, 400) })).conversation.messages;
    const conversation = createConversation({ messages: history });
    let calls = 0;
    const model = scriptedModel(
      ({ tools }) => {
        calls++;
        return tools.length > 0 && calls % 3 !== 0 ? { calls: [{ name: 'look' }] } : { text: 'In short.' };
      },
      { info: { contextTokens: size } },
    );
    const engine = createEngine({ model, tools: [toolOf('look')], host });
    const first = createOperative({ engine, conversation });
    await first.submit('Begin.');
    await host.advance(1000);
    await first.close();
    conversation.messages = conversation.messages.map(reads.wrap);
    await using operative = createOperative({ engine, conversation });
    await operative.submit('Look around.');
    await host.advance(1000);
    const before = reads.count();
    for (let turn = 0; turn < 5; turn++) {
      await operative.submit(`And now ${turn}?`);
      await host.advance(1000);
    }
    expect(calls).toBeGreaterThan(15);
    // What is asked of the last message before a turn: its role and content.
    expect(reads.count() - before).toBeLessThanOrEqual(10);
  });
});
