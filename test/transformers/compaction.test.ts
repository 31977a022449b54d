// Compaction in a whole operative: near the limit, after an overflow, and because somebody asks for it.

import { describe, expect, test } from 'vitest';
import { ModelError } from '../../src/contracts/errors.ts';
import type { ModelRequest } from '../../src/contracts/model.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import { assistantMessage, textOf, userMessage, type Message } from '../../src/conversation/message.ts';
import { pairingFault } from '../../src/conversation/pairing.ts';
import { tokensOf } from '../../src/conversation/tally.ts';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.ts';
import { autoCompact, defaultTransformers, snipHistory, windowHistory } from '../../src/transformers/index.ts';
import { startOperative, toolOf, type OperativeSetup } from '../runtime/operative/operative-bench.ts';

/** 100 tokens each. */
const long = (name: string) => `${name} ${'x'.repeat(400 - name.length)}`;

function history(pairs: number): Message[] {
  return Array.from({ length: pairs }, (_, index) => [
    userMessage(long(`question ${index}`), { id: `u${index}` }),
    assistantMessage(long(`answer ${index}`), { id: `a${index}` }),
  ]).flat();
}

const isSummaryRequest = ({ system, tools }: ModelRequest) =>
  tools.length === 0 && system.some((block) => block.type === 'text' && block.text.startsWith('Summarise'));

/** Summarises when it is asked to, and else says "ok". */
function answering(summary: ScriptedStep = { text: 'They talked.' }) {
  return (request: ModelRequest): ScriptedStep => (isSummaryRequest(request) ? summary : { text: 'ok' });
}

function start(pairs: number, setup: OperativeSetup = {}) {
  return startOperative({
    script: answering(),
    transformers: [windowHistory(), autoCompact({ atTokens: 1500, keepTokens: 400 })],
    conversation: createConversation({ messages: history(pairs) }),
    ...setup,
  });
}

const boundaries = (messages: readonly Message[]) => messages.filter(({ content }) => content[0]?.type === 'boundary');

describe('near the limit', () => {
  test('a boundary is appended, and the model sees the summary and the recent messages word for word', async () => {
    const bench = start(10);
    await bench.submit('now');
    await bench.rest();
    expect(bench.conversation.messages).toHaveLength(23);
    expect(boundaries(bench.conversation.messages)).toHaveLength(1);
    const seen = bench.requests.at(-1)?.messages ?? [];
    expect(textOf(seen[0] ?? userMessage(''))).toMatch(/^They talked\./);
    expect(seen.filter(({ id }) => /^[ua]\d/.test(id))).toEqual(history(10).slice(-3));
    expect(tokensOf(seen)).toBeLessThan(1000);
    expect(bench.events.some(({ type }) => type === 'transformer.applied')).toBe(true);
  });

  test('nothing is asked below it', async () => {
    const bench = start(5);
    await bench.submit('now');
    await bench.rest();
    expect(bench.requests).toHaveLength(1);
  });

  test('the summary is asked of the summarizer, with the instructions', async () => {
    const summarizer = scriptedModel([{ text: 'By another.' }]);
    const transformers = [autoCompact({ atTokens: 1500, summarizer, instructions: 'Mind the gap.' })];
    const bench = start(10, { transformers });
    await bench.submit('now');
    await bench.rest();
    expect(summarizer.requests).toHaveLength(1);
    expect(JSON.stringify(summarizer.requests[0]?.system)).toContain('Mind the gap.');
    expect(bench.requests).toHaveLength(1);
    expect(textOf(bench.requests[0]?.messages[0] ?? userMessage(''))).toContain('By another.');
  });

  test('what it costs counts for the turn', async () => {
    const usage = { inputTokens: 100, outputTokens: 10 };
    const bench = start(10, { script: (request) => ({ ...answering()(request), usage }) });
    await bench.submit('now');
    await bench.rest();
    expect(bench.results()[0]?.usage).toMatchObject({ inputTokens: 200, outputTokens: 20 });
  });

  test('a steer that comes while the summary is written is not lost', async () => {
    const bench = start(10, {
      script: (request) =>
        isSummaryRequest(request) ? { text: 'They talked.', delayMs: 100 } : { text: 'ok', delayMs: 10 },
    });
    await bench.submit('now');
    await bench.submit('and this');
    await bench.rest();
    expect(bench.fates()).toEqual(['startedTurn answered', 'injected answered']);
    expect(
      bench
        .asked()
        .at(-1)
        ?.some((text) => text.endsWith('and this') || text.includes('and this')),
    ).toBe(true);
  });

  test('the last request is in the summary word for word when a long loop has left it behind', async () => {
    let calls = 0;
    const look = toolOf('look', () => 'y'.repeat(600));
    const bench = start(0, {
      tools: [look],
      script: (request) => {
        if (isSummaryRequest(request)) return { text: 'Looked around.' };
        return calls++ < 30 ? { calls: [{ name: 'look' }] } : { text: 'done' };
      },
    });
    await bench.submit('Find the 7 lost keys.');
    await bench.rest(60_000);
    const compactions = boundaries(bench.conversation.messages);
    expect(compactions.length).toBeGreaterThan(1);
    for (const { content } of compactions) expect(JSON.stringify(content)).toContain('Find the 7 lost keys.');
    for (const { messages } of bench.requests) expect(pairingFault(messages)).toBeUndefined();
  });

  test('removing the boundary brings everything back', async () => {
    const transformers = [windowHistory(), autoCompact({ atTokens: 2200, keepTokens: 400 })];
    const bench = start(12, { transformers });
    await bench.submit('now');
    await bench.rest();
    const [boundary] = boundaries(bench.conversation.messages);
    expect(boundary).toBeDefined();
    bench.conversation.messages.splice(bench.conversation.messages.indexOf(boundary ?? userMessage('')), 1);
    await bench.operative.submit('again');
    await bench.host.advance(1000);
    expect(
      bench.requests
        .at(-1)
        ?.messages.map(({ id }) => id)
        .slice(0, 2),
    ).toEqual(['u0', 'a0']);
  });
});

describe('a summary that fails', () => {
  const broken = new ModelError('model.rejected', 'no', { retryable: false });

  test('is announced, and old groups are dropped instead', async () => {
    const bench = start(10, { script: answering({ throw: broken }) });
    await bench.submit('now');
    await bench.rest();
    expect(bench.events.find(({ type }) => type === 'transformer.failed')).toMatchObject({
      name: 'autoCompact',
      error: { message: expect.stringContaining('no') },
    });
    expect(boundaries(bench.conversation.messages)).toEqual([]);
    expect(tokensOf(bench.requests.at(-1)?.messages ?? [])).toBeLessThan(1500);
    expect(bench.results()[0]?.reason).toBe('completed');
  });

  test('is not asked for again as long as what is to be kept is the same', async () => {
    const bench = start(10, { script: answering({ throw: broken }) });
    for (const text of ['one', 'two', 'three']) {
      await bench.submit(text);
      await bench.rest();
    }
    expect(bench.requests.filter(isSummaryRequest)).toHaveLength(1);
  });

  test('is given up after three times', async () => {
    let calls = 0;
    const bench = start(10, {
      tools: [toolOf('look', () => 'y'.repeat(1600))],
      script: (request) => {
        if (isSummaryRequest(request)) return { throw: broken };
        return calls++ < 40 ? { calls: [{ name: 'look' }] } : { text: 'done' };
      },
    });
    await bench.submit('now');
    await bench.rest(60_000);
    expect(bench.requests.filter(isSummaryRequest)).toHaveLength(3);
    expect(bench.results()[0]).toMatchObject({ reason: 'completed', iterations: 41 });
  });

  test.each([
    ['empty', { text: '' }],
    ['refused', { text: 'I cannot.', stopReason: 'refusal' as const }],
    ['longer than what it replaces', { text: 'z'.repeat(20_000) }],
  ])('because it is %s', async (_, step) => {
    const bench = start(10, { script: answering(step) });
    await bench.submit('now');
    await bench.rest();
    expect(boundaries(bench.conversation.messages)).toEqual([]);
    expect(bench.events.some(({ type }) => type === 'transformer.failed')).toBe(true);
  });
});

describe('a context overflow', () => {
  const tooLong = new ModelError('model.contextOverflow', 'too long', { retryable: false });
  /** A provider whose window is smaller than the model says. */
  const narrow =
    (limit: number, summary: ScriptedStep) =>
    (request: ModelRequest): ScriptedStep => {
      if (isSummaryRequest(request)) return summary;
      return tokensOf(request.messages) > limit ? { throw: tooLong } : { text: 'ok' };
    };

  test('is answered by a compaction, and the turn continues', async () => {
    const script = narrow(1500, { text: 'They talked.' });
    const bench = start(10, { script, transformers: defaultTransformers() });
    await bench.submit('now');
    await bench.submit('and now', { policy: 'queue' });
    await bench.rest();
    expect(bench.results().map(({ reason }) => reason)).toEqual(['completed', 'completed']);
    expect(boundaries(bench.conversation.messages)).toHaveLength(1);
    expect(bench.requests).toHaveLength(4); // too long, the summary, the answer, and the next turn's at once
  });

  test('is answered by dropping old groups where no summary can be had, and they stay dropped', async () => {
    const script = narrow(1500, { throw: new ModelError('model.rejected', 'no', { retryable: false }) });
    const bench = start(10, { script, transformers: defaultTransformers() });
    await bench.submit('now');
    await bench.submit('and now', { policy: 'queue' });
    await bench.rest();
    expect(bench.results().map(({ reason }) => reason)).toEqual(['completed', 'completed']);
    expect(bench.requests).toHaveLength(4);
    expect(
      bench
        .asked()
        .at(-1)
        ?.some((text) => text.includes('earlier messages are left out')),
    ).toBe(true);
  });

  test('is reported when nothing can go', async () => {
    const bench = start(0, { script: narrow(0, { text: 'They talked.' }), transformers: defaultTransformers() });
    await bench.submit('now');
    await bench.rest();
    expect(bench.results()[0]).toMatchObject({ reason: 'contextOverflow' });
  });
});

describe('operative.compact()', () => {
  test('appends a boundary, says so, and leaves nothing to answer', async () => {
    const bench = start(10);
    expect(bench.operative.can('compact')).toEqual({ allowed: true });
    const asked = bench.operative.compact({ instructions: 'Keep the numbers.' });
    expect(bench.operative.state).toBe('compacting');
    expect(bench.operative.can('compact').allowed).toBe(false);
    await bench.host.advance(10);
    expect(await asked).toBe(true);
    expect(JSON.stringify(bench.requests[0]?.system)).toContain('Keep the numbers.');
    expect(bench.events.map(({ type }) => type)).toContain('message.appended');
    expect((await bench.operative.resume()).outcome).toBe('nothingToDo');
    expect(bench.operative.can('resume').allowed).toBe(false);
    await bench.rest();
    await bench.submit('now');
    await bench.rest();
    expect(bench.asked().at(-1)?.[0]).toMatch(/^They talked\./);
  });

  test('is false when there is nothing to summarise', async () => {
    const bench = start(0);
    expect(await bench.operative.compact()).toBe(false);
    expect(bench.requests).toEqual([]);
    await bench.rest();
  });

  test('is false and announces why when the summary fails', async () => {
    const bench = start(10, {
      script: answering({ throw: new ModelError('model.rejected', 'no', { retryable: false }) }),
    });
    const asked = bench.operative.compact();
    await bench.host.advance(10);
    expect(await asked).toBe(false);
    expect(bench.events).toMatchObject([{ type: 'transformer.failed', name: 'autoCompact' }]);
    await bench.rest();
  });

  test('is false, with the reason from can, where no transformer can compact', async () => {
    const bench = start(10, { transformers: [snipHistory()] });
    expect(await bench.operative.compact()).toBe(false);
    expect(bench.operative.can('compact')).toMatchObject({ why: 'No transformer of this engine can compact.' });
    await bench.rest();
  });

  test('makes messages that come meanwhile wait; they start a turn that sees the summary', async () => {
    const bench = start(10, { script: (request) => ({ ...answering()(request), delayMs: 50 }) });
    const asked = bench.operative.compact();
    await bench.submit('now');
    await bench.rest();
    expect(await asked).toBe(true);
    expect(bench.fates()).toEqual(['startedTurn answered']);
    expect(bench.asked().at(-1)?.[0]).toMatch(/^They talked\./);
  });

  test('ends with a cancel, and what the model says later is dropped', async () => {
    const bench = start(10, { script: () => ({ text: 'They talked.', delayMs: 50 }) });
    const asked = bench.operative.compact();
    await bench.host.advance(10);
    await bench.operative.cancel();
    expect(await asked).toBe(false);
    await bench.rest();
    expect(bench.conversation.messages).toHaveLength(20);
  });

  test('ends with a close', async () => {
    const bench = start(10, { script: () => ({ text: 'They talked.', delayMs: 50 }) });
    const asked = bench.operative.compact();
    await bench.host.advance(10);
    await bench.operative.close();
    expect(await asked).toBe(false);
    await expect(bench.operative.compact()).rejects.toMatchObject({ code: 'operative.closed' });
    await bench.rest();
  });
});
