// Histories that do not fit: what is larger than the window, what is asked while they are cut, what is remembered of
// it.

import { describe, expect, test } from 'vitest';
import { ModelError } from '../../src/contracts/errors.ts';
import type { Model, ModelRequest, StopReason } from '../../src/contracts/model.ts';
import type { Transformer } from '../../src/contracts/transformer.ts';
import type { Block } from '../../src/conversation/block.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import { assistantMessage, textOf, userMessage, type Message } from '../../src/conversation/message.ts';
import { tokensOf } from '../../src/conversation/tally.ts';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.ts';
import { autoCompact, defaultTransformers, snipHistory, windowHistory } from '../../src/transformers/index.ts';
import { summaryRequest } from '../../src/transformers/summary-request.ts';
import { windowed } from '../../src/transformers/window.ts';
import { startOperative, toolOf, type OperativeSetup } from '../runtime/operative/operative-bench.ts';

const tooLong = new ModelError('model.contextOverflow', 'too long', { retryable: false });
const broken = new ModelError('model.rejected', 'no', { retryable: false });
const isSummaryRequest = ({ system, tools }: ModelRequest) =>
  tools.length === 0 && JSON.stringify(system).includes('Summarise');
const boundaries = (messages: readonly Message[]) => messages.filter(({ content }) => content[0]?.type === 'boundary');
const told = (request: ModelRequest | undefined) => JSON.stringify(request?.messages ?? []);
/** A provider that takes this many tokens and not one more. */
const taking =
  (limit: number, step: (request: ModelRequest) => ScriptedStep = () => ({ text: 'ok' })) =>
  (request: ModelRequest): ScriptedStep =>
    tokensOf(request.messages) > limit ? { throw: tooLong } : step(request);
/** 100 tokens each. */
const long = (name: string) => `${name} ${'x'.repeat(400 - name.length)}`;
const history = (pairs: number): Message[] =>
  Array.from({ length: pairs }, (_, index) => [
    userMessage(long(`question ${index}`), { id: `u${index}` }),
    assistantMessage(long(`answer ${index}`), { id: `a${index}` }),
  ]).flat();
const start = (setup: OperativeSetup) =>
  startOperative({ transformers: defaultTransformers({ contextTokens: 2000 }), ...setup });

describe('a message larger than the window', () => {
  test('ends its turn, and the next one continues after a marker that quotes it', async () => {
    const bench = start({
      script: taking(2000, (request) => (isSummaryRequest(request) ? { throw: broken } : { text: 'ok' })),
    });
    await bench.submit(`Read this. ${'x'.repeat(12_000)} What is it?`);
    await bench.submit('Well, then something else.', { policy: 'queue' });
    await bench.rest();
    expect(bench.results().map(({ reason }) => reason)).toEqual(['contextOverflow', 'completed']);
    expect(told(bench.requests.at(-1))).toMatch(/left out here to save space.*Read this.*What is it\?/);
  });

  test('does not hold the place of the first one forever, with snipHistory alone', async () => {
    const messages = [userMessage('y'.repeat(12_000), { id: 'first' }), assistantMessage('Hm.'), ...history(3)];
    const bench = start({
      script: taking(2000),
      transformers: [snipHistory({ highTokens: 1800 })],
      conversation: createConversation({ messages }),
    });
    await bench.submit('now');
    await bench.rest();
    expect(bench.results()[0]?.reason).toBe('completed');
    expect(bench.requests).toHaveLength(1);
  });

  test('as a result of a tool is shortened before it is sent', async () => {
    const script = taking(8000, ({ messages }) =>
      messages.at(-1)?.role === 'tool' ? { text: 'done' } : { calls: [{ name: 'read' }] },
    );
    const bench = start({
      script,
      tools: [toolOf('read', () => `${'word '.repeat(20_000)}${'word '.repeat(20_000)}`)],
      transformers: defaultTransformers({ contextTokens: 8000 }),
    });
    await bench.submit('Read it.');
    await bench.rest();
    expect(bench.results()[0]?.reason).toBe('completed');
    expect(bench.requests).toHaveLength(2);
    expect(told(bench.requests.at(-1))).toContain('left out');
  });

  test('as many results at once are shortened before they are sent', async () => {
    const calls = Array.from({ length: 20 }, () => ({ name: 'read' }));
    const script = taking(8000, ({ messages }) => (messages.at(-1)?.role === 'tool' ? { text: 'done' } : { calls }));
    const bench = start({
      script,
      tools: [toolOf('read', () => 'word '.repeat(380))],
      transformers: defaultTransformers({ contextTokens: 8000 }),
    });
    await bench.submit('Read them.');
    await bench.rest();
    expect(bench.results()[0]?.reason).toBe('completed');
    expect(bench.requests).toHaveLength(2);
  });
});

describe('a request under way, when something was steered in after it', () => {
  const run = async (request: string, summary: ScriptedStep) => {
    let calls = 0;
    const bench = start({
      tools: [toolOf('look', () => 'y'.repeat(800))],
      script: (asked) => {
        if (isSummaryRequest(asked)) return summary;
        return calls++ < 30 ? { calls: [{ name: 'look' }], delayMs: 10 } : { text: 'done' };
      },
    });
    await bench.submit('Hello there.');
    await bench.rest();
    calls = 0;
    await bench.submit(request);
    await bench.host.advance(15);
    await bench.submit('Mind the red ones.');
    await bench.rest(60_000);
    expect(bench.fates().at(-1)).toBe('injected answered');
    return bench.requests
      .filter((asked) => !isSummaryRequest(asked))
      .slice(-25)
      .map(told);
  };

  test('stays when old groups are dropped', async () => {
    const asked = await run('Find the 7 lost keys.', { throw: broken });
    expect(asked.some((text) => text.includes('left out here'))).toBe(true);
    for (const text of asked) expect(text).toMatch(/Find the 7 lost keys.*Mind the red ones/);
  });

  test('is quoted by the marker when it is too long to stay', async () => {
    const asked = await run(`Find the 7 lost keys. ${'z'.repeat(4000)}`, { throw: broken });
    expect(asked.some((text) => text.includes('left out here'))).toBe(true);
    for (const text of asked) expect(text).toMatch(/Find the 7 lost keys.*Mind the red ones/);
  });

  test('is in the summary word for word, and so is what was steered in', async () => {
    const asked = await run('Find the 7 lost keys.', { text: 'Looked around.' });
    expect(asked.some((text) => text.includes('Looked around.'))).toBe(true);
    for (const text of asked) expect(text).toMatch(/Find the 7 lost keys.*Mind the red ones/);
  });
});

describe('a request after a turn that broke off at its results', () => {
  const run = async (summary: ScriptedStep) => {
    let calls = 0;
    const bench = start({
      tools: [toolOf('look', () => 'y'.repeat(800))],
      script: (asked) => {
        if (isSummaryRequest(asked)) return summary;
        if (calls++ === 1) return { throw: new ModelError('model.failed', 'down', { retryable: false }) };
        return calls < 40 ? { calls: [{ name: 'look' }], delayMs: 10 } : { text: 'done' };
      },
    });
    await bench.submit('Hello there.');
    await bench.rest();
    expect(bench.conversation.messages.at(-1)?.role).toBe('tool');
    await bench.submit('Find the 7 lost keys.');
    for (const steer of ['Mind the red ones.', 'And the blue ones.', 'Never mind the green ones.']) {
      await bench.host.advance(25);
      await bench.submit(steer);
    }
    await bench.rest(60_000);
    const asked = bench.requests.filter((request) => !isSummaryRequest(request)).map(told);
    return asked.slice(-25);
  };

  test('is not a steer: it stays when old groups are dropped', async () => {
    const asked = await run({ throw: broken });
    expect(asked.every((text) => text.includes('left out here'))).toBe(true);
    for (const text of asked) expect(text).toMatch(/Find the 7 lost keys/);
  });

  test('is not a steer: it is in the summary word for word', async () => {
    const asked = await run({ text: 'Looked around.' });
    expect(asked.every((text) => text.includes('Looked around.'))).toBe(true);
    for (const text of asked) expect(text).toMatch(/Find the 7 lost keys/);
  });
});

test('a last request that is an image is named in the summary, and none before it taken for it', async () => {
  const image: Block = { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } };
  const messages = [
    ...history(8),
    userMessage([image], { id: 'picture' }),
    assistantMessage([{ type: 'toolCall', id: 'c', name: 'look', args: {} }]),
  ];
  const result: Message = {
    id: 'r',
    role: 'tool',
    content: [
      { type: 'toolResult', callId: 'c', status: 'completed', content: [{ type: 'text', text: 'y'.repeat(800) }] },
    ],
  };
  const bench = start({
    script: (request) => (isSummaryRequest(request) ? { text: 'They talked.' } : { text: 'ok' }),
    transformers: [windowHistory(), autoCompact({ atTokens: 1000, keepTokens: 100 })],
    conversation: createConversation({ messages: [...messages, result] }),
  });
  await bench.operative.resume();
  await bench.rest();
  const [boundary] = boundaries(bench.conversation.messages);
  expect(JSON.stringify(boundary)).toContain('word for word:\\n[image image/png]');
});

describe('the request for a summary', () => {
  const model = (info: NonNullable<Model['info']>): Model => ({ ...scriptedModel([]), info });
  const part = (messages: readonly Message[]) => ({ older: messages, tail: [], isStored: () => true });
  const pdf = (data: string): Block => ({
    type: 'document',
    title: 'Plan',
    source: { type: 'base64', mediaType: 'application/pdf', data },
  });
  const note: Block = { type: 'document', title: 'Note', source: { type: 'text', text: 'Buy milk.' } };
  const image: Block = { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'A'.repeat(4000) } };

  test.each([1000, 4000, 32_000, 128_000])(
    'fits into a context of %i tokens, whatever is to be summarised',
    (contextTokens) => {
      const messages = Array.from({ length: 300 }, (_, index) =>
        userMessage(`🦊 ${'wörter '.repeat(600)}`, { id: `${index}` }),
      );
      const request = summaryRequest(part(messages), model({ contextTokens }));
      expect(tokensOf(request.messages)).toBeLessThan(contextTokens / 2);
      expect(tokensOf(request.messages)).toBeGreaterThan(contextTokens / 5);
    },
  );

  test('has documents that are text, and names those that are not', () => {
    const [message] = summaryRequest(
      part([userMessage([note, pdf('AAAA'), image])]),
      model({ contextTokens: 100_000 }),
    ).messages;
    expect(message?.content).toHaveLength(1);
    expect(JSON.stringify(message)).toContain('[document \\"Note\\"]\\nBuy milk.');
    expect(JSON.stringify(message)).toContain('[document \\"Plan\\" application/pdf]\\n[image image/png]');
  });

  test('has images and documents attached for a model that takes them, also from results', () => {
    const result: Message = {
      id: 'r',
      role: 'tool',
      content: [{ type: 'toolResult', callId: 'c', status: 'completed', content: [image as never] }],
    };
    const takes = model({ contextTokens: 100_000, input: ['text', 'image', 'document'] });
    const [message] = summaryRequest(part([userMessage([pdf('AAAA')]), result]), takes).messages;
    expect(message?.content.slice(1)).toEqual([pdf('AAAA'), image]);
    expect(textOf(message ?? userMessage(''))).toMatch(
      /"Plan" application\/pdf, attachment 1.*image\/png, attachment 2/s,
    );
  });

  test('has no more of them attached than an eighth of the context', () => {
    const takes = model({ contextTokens: 16_000, input: ['text', 'image', 'document'] });
    const many = Array.from({ length: 40 }, (_, index) => userMessage([image], { id: `${index}` }));
    const [message] = summaryRequest(part([userMessage([pdf('A'.repeat(200_000))]), ...many]), takes).messages;
    expect(message?.content.slice(1).every(({ type }) => type === 'image')).toBe(true);
    expect(tokensOf(userMessage(message?.content.slice(1) ?? []))).toBeLessThanOrEqual(2004);
  });

  test('is asked of the turn’s model with its own size when there is no summarizer', async () => {
    const bench = start({
      script: (request) => (isSummaryRequest(request) ? { text: 'They talked.' } : { text: 'ok' }),
      transformers: [autoCompact({ atTokens: 3000 })],
      conversation: createConversation({ messages: history(20) }),
    });
    await bench.submit('now');
    await bench.rest();
    expect(tokensOf(bench.requests[0]?.messages ?? [])).toBeLessThan(64_000);
    expect(bench.requests).toHaveLength(2);
  });
});

describe('a summary that cannot be used', () => {
  test.each<[StopReason]>([['maxTokens'], ['pause'], ['refusal'], ['contextOverflow'], ['toolUse']])(
    'because it stopped with %s never becomes durable',
    async (stopReason) => {
      const bench = start({
        script: (request) => (isSummaryRequest(request) ? { text: 'Half of it', stopReason } : { text: 'ok' }),
        conversation: createConversation({ messages: history(10) }),
      });
      await bench.submit('now');
      await bench.rest();
      expect(boundaries(bench.conversation.messages)).toEqual([]);
      expect(JSON.stringify(bench.events)).toContain(stopReason);
      expect(bench.results()[0]?.reason).toBe('completed');
    },
  );
});

test('a compaction that was cancelled is tried again in the next turn', async () => {
  const bench = start({
    script: (request) => (isSummaryRequest(request) ? { text: 'They talked.', delayMs: 100 } : { text: 'ok' }),
    conversation: createConversation({ messages: history(10) }),
  });
  await bench.submit('one');
  await bench.host.advance(50);
  await bench.operative.cancel();
  expect(boundaries(bench.conversation.messages)).toEqual([]);
  await bench.submit('two');
  await bench.rest();
  expect(bench.requests.filter(isSummaryRequest)).toHaveLength(2);
  expect(boundaries(bench.conversation.messages)).toHaveLength(1);
});

describe('with a reload before every turn', () => {
  const reloading = (summary: ScriptedStep) => {
    const conversation = createConversation({ messages: history(10) });
    return start({
      script: (request) => (isSummaryRequest(request) ? summary : { text: 'ok' }),
      conversation,
      own: { reloadBeforeStart: () => structuredClone(conversation) },
    });
  };

  test('a failed summary is not asked for again for the same tail', async () => {
    const bench = reloading({ throw: broken });
    for (const text of ['one', 'two', 'three']) {
      await bench.submit(text);
      await bench.rest();
    }
    expect(bench.requests.filter(isSummaryRequest)).toHaveLength(1);
    expect(bench.results().map(({ reason }) => reason)).toEqual(['completed', 'completed', 'completed']);
  });

  test('it is given up after three failures', async () => {
    const bench = reloading({ throw: broken });
    for (let turn = 0; turn < 40; turn++) {
      await bench.submit(long(`turn ${turn}`));
      await bench.rest();
    }
    expect(bench.requests.filter(isSummaryRequest)).toHaveLength(3);
  });

  test('what was cut stays away, and the prefix as it was', async () => {
    const bench = reloading({ throw: broken });
    for (const text of ['one', 'two', 'three']) {
      await bench.submit(text);
      await bench.rest();
    }
    const [one, two, three] = bench.requests.filter((request) => !isSummaryRequest(request));
    expect(two?.messages.slice(0, one?.messages.length)).toEqual(one?.messages);
    expect(three?.messages.slice(0, two?.messages.length)).toEqual(two?.messages);
  });

  test('a compaction that was undone is not made again at once', async () => {
    const bench = reloading({ text: 'They talked.' });
    await bench.submit('one');
    await bench.rest();
    const index = bench.conversation.messages.findIndex(({ content }) => content[0]?.type === 'boundary');
    bench.conversation.messages.splice(index, 1);
    await bench.operative.submit('two');
    await bench.host.advance(1000);
    expect(bench.requests.filter(isSummaryRequest)).toHaveLength(1);
  });
});

test('a history whose compactions were undone still fits, also when it was cut before them', async () => {
  let summary: ScriptedStep = { throw: broken };
  const bench = start({
    script: (request) => (isSummaryRequest(request) ? summary : { text: long('answer') }),
    conversation: createConversation({ messages: history(10) }),
  });
  await bench.submit('one');
  await bench.rest();
  summary = { text: 'They talked.' };
  for (let turn = 0; turn < 40 && boundaries(bench.conversation.messages).length < 3; turn++) {
    await bench.submit(long(`turn ${turn}`));
    await bench.rest();
  }
  const { messages } = bench.conversation;
  const undone = boundaries(messages);
  expect(undone).toHaveLength(3);
  for (const boundary of undone) messages.splice(messages.indexOf(boundary), 1);
  const before = bench.requests.length;
  await bench.operative.submit('and now');
  await bench.host.advance(1000);
  const sizes = bench.requests.slice(before).map((request) => tokensOf(request.messages));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(2000);
  expect(sizes).toHaveLength(1);
});

test('compacts again and again after a transformer that ends every view with a reminder', async () => {
  const reminder: Transformer = {
    name: 'reminder',
    alters: ['addsMarker'],
    beforeIteration: ({ messages }) => ({ messages: [...messages, userMessage('Be kind.', { id: 'reminder' })] }),
  };
  const bench = start({
    script: (request) => (isSummaryRequest(request) ? { text: 'They talked.' } : { text: long('answer') }),
    transformers: [windowHistory(), reminder, ...defaultTransformers({ contextTokens: 2000 })],
  });
  for (let turn = 0; turn < 30; turn++) {
    await bench.submit(long(`turn ${turn}`));
    await bench.rest();
  }
  expect(boundaries(bench.conversation.messages).length).toBeGreaterThan(2);
  expect(bench.events.filter(({ type }) => type === 'transformer.failed')).toEqual([]);
  for (const { keepFrom } of bench.conversation.messages
    .flatMap(({ content }) => content)
    .filter((block) => block.type === 'boundary')) {
    expect(bench.conversation.messages.map(({ id }) => id)).toContain(keepFrom);
  }
});

test('boundaries that keep from nothing there cost no more than one look at each message', () => {
  const count = 2000;
  let looks = 0;
  const messages = new Proxy(
    Array.from({ length: count }, (_, index) =>
      index % 2 === 0
        ? userMessage('Hi.', { id: `m${index}` })
        : userMessage([{ type: 'boundary', summary: 'None.', keepFrom: `gone${index}` }], { id: `m${index}` }),
    ),
    {
      get(target, key, receiver) {
        if (typeof key === 'string' && /^\d+$/.test(key)) looks++;
        return Reflect.get(target, key, receiver);
      },
    },
  );
  expect(windowed(messages)).toBe(messages);
  expect(looks).toBeLessThan(count * 6);
});

test('a failed compaction that somebody asked for says so, and speaks of no turn', async () => {
  const bench = start({
    script: () => ({ throw: broken }),
    conversation: createConversation({ messages: history(10) }),
  });
  const asked = bench.operative.compact();
  await bench.host.advance(10);
  expect(await asked).toBe(false);
  expect(bench.events).toMatchObject([
    { error: { message: 'The transformer "autoCompact" (compact) failed: no. Nothing was compacted.' } },
  ]);
  await bench.rest();
});
