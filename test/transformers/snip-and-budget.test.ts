// What snipping and budgeting leave, message by message.

import { describe, expect, test } from 'vitest';
import type { Block, ResultContent } from '../../src/conversation/block.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import { assistantMessage, textOf, userMessage, type Message } from '../../src/conversation/message.ts';
import { tokensOf } from '../../src/conversation/tally.ts';
import { Trial } from '../../src/testing/properties/index.ts';
import { budgetToolResults, snipHistory, windowHistory } from '../../src/transformers/index.ts';

const shownBy = async (transformer: Trial['transformers'][number], messages: readonly Message[], overflow = false) => {
  const trial = new Trial([transformer], createConversation(), 100_000);
  return (await trial.run('beforeIteration', createConversation({ messages }), { overflow })).after.messages;
};
/** 100 tokens. */
const said = (id: string) => userMessage('x'.repeat(384), { id });
const called = (id: string, name: string, content: readonly ResultContent[]): Message[] => [
  assistantMessage([{ type: 'toolCall', id: 'c', name, args: {} }], { id: `${id}-call` }),
  { id, role: 'tool', content: [{ type: 'toolResult', callId: 'c', status: 'completed', content }] },
];
const text = (value: string): ResultContent => ({ type: 'text', text: value });

describe('snipHistory', () => {
  const marks = { highTokens: 1000, lowTokens: 600 };
  const many = Array.from({ length: 60 }, (_, index) => said(`m${index}`));

  test('leaves a history below the high mark as it is', async () => {
    const messages = many.slice(0, 9);
    expect(await shownBy(snipHistory(marks), messages)).toEqual(messages);
  });

  test('goes down to the low mark in one step, and puts one line where something went', async () => {
    const shown = await shownBy(snipHistory(marks), many.slice(0, 11));
    expect(tokensOf(shown)).toBeLessThanOrEqual(700);
    expect(shown[0]?.id).toBe('m0');
    expect(textOf(shown[1] ?? said(''))).toMatch(/^\[\d earlier messages are left out here to save space\.\]$/);
  });

  test('changes the prefix rarely as the history grows', async () => {
    const transformer = snipHistory(marks);
    let changes = 0;
    let seen: readonly Message[] = [];
    for (let count = 1; count <= many.length; count++) {
      const shown = await shownBy(transformer, many.slice(0, count));
      if (seen.some((message, index) => message.id !== shown[index]?.id)) changes++;
      seen = shown;
    }
    expect(changes).toBeGreaterThan(5);
    expect(changes).toBeLessThanOrEqual(many.length / 4);
  });

  test.each([
    [9, []],
    [10, ['A1', 'A2', 'A3', 'A4', 'A5']],
    [13, ['A1', 'A2', 'A3', 'A4', 'A5']],
    [14, ['A1', 'A2', 'A3', 'A4', 'A5', 'A6', 'A7', 'A8', 'A9']],
  ])('of a request and %i answers of 100 tokens each drops %j', async (count, dropped) => {
    const answers = Array.from({ length: count }, (_, index) =>
      called(`A${index + 1}`, 'look', [text('x'.repeat(328))]),
    );
    const messages = [said('R'), ...answers.flat()];
    const ids = new Set((await shownBy(snipHistory(marks), messages)).map(({ id }) => id));
    expect(tokensOf(messages)).toBe(100 * (count + 1));
    expect(ids).toContain('R');
    expect(messages.flatMap(({ id, role }) => (role === 'tool' && !ids.has(id) ? [id] : []))).toEqual(dropped);
  });

  test('keeps the first user message and the last task list', async () => {
    const messages = [
      assistantMessage('Hello.', { id: 'hello' }),
      said('first'),
      ...called('old', 'TodoWrite', [text('old list')]),
      ...called('list', 'TodoWrite', [text('list')]),
      ...many.slice(0, 12),
    ];
    const ids = (await shownBy(snipHistory(marks), messages)).map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(['first', 'list-call', 'list']));
    expect(ids).not.toContain('old');
  });

  test('quotes of a summary that is too long also the request it ends with', async () => {
    const summary = `${'They talked. '.repeat(300)}\n\nThe last request, word for word:\nFind the 7 lost keys. ${'Now. '.repeat(300)}`;
    const messages = [
      ...many.slice(0, 2),
      userMessage([{ type: 'boundary', summary, keepFrom: 'm1' }], { id: 'b' }),
      ...Array.from({ length: 12 }, (_, index) => called(`r${index}`, 'look', [text('x'.repeat(384))])).flat(),
    ];
    const shown = await shownBy(snipHistory(marks), messages);
    expect(textOf(shown[0] ?? said(''))).toMatch(/left out here.*They talked.*Find the 7 lost keys/);
  });

  test('drops about half after an overflow, whatever the marks are', async () => {
    const shown = await shownBy(snipHistory({ highTokens: 100_000 }), many.slice(0, 20), true);
    expect(tokensOf(shown)).toBeLessThanOrEqual(1050);
    expect(tokensOf(shown)).toBeGreaterThan(700);
  });
});

describe('budgetToolResults', () => {
  const big = called('big', 'read', [text(`head ${'x'.repeat(5000)} tail`)]);
  const block = (messages: readonly Message[], id: string): Block | undefined =>
    messages.find((message) => message.id === id)?.content[0];

  test('shows head and tail with byte counts and how to get the rest', async () => {
    const shown = await shownBy(budgetToolResults({ perResultBytes: 1000, keepRecent: 0 }), big);
    const result = JSON.stringify(block(shown, 'big'));
    expect(result).toMatch(/head xxx.*\d+ of 5010 bytes left out.*xxx tail.*Call the tool again/);
    expect(result.length).toBeLessThan(1200);
  });

  test('leaves recent results untouched', async () => {
    const messages = [...big, ...called('new', 'read', [text('y'.repeat(5000))])];
    const shown = await shownBy(budgetToolResults({ perResultBytes: 1000, keepRecent: 1 }), messages);
    expect(block(shown, 'new')).toBe(messages[3]?.content[0]);
    expect(JSON.stringify(block(shown, 'big'))).toContain('left out');
  });

  test('shortens harder after an overflow, recent results as well', async () => {
    const results = called('new', 'read', [text('y'.repeat(3000))]);
    const budget = budgetToolResults({ perResultBytes: 4000 });
    expect(await shownBy(budget, results)).toEqual(results);
    const [, shown] = await shownBy(budget, results, true);
    expect(JSON.stringify(shown)).toContain('of 3000 bytes left out');
    expect(tokensOf(shown ?? said(''))).toBeLessThanOrEqual(260);
  });

  test('leaves out images and documents of a large result, with a note', async () => {
    const image: ResultContent = {
      type: 'image',
      source: { type: 'base64', mediaType: 'image/png', data: 'A'.repeat(8000) },
    };
    const shown = await shownBy(
      budgetToolResults({ perResultBytes: 1000, keepRecent: 0 }),
      called('seen', 'look', [text('A cat.'), image]),
    );
    const result = JSON.stringify(block(shown, 'seen'));
    expect(result).toContain('A cat.');
    expect(result).toContain('[1 images or documents (6000 bytes) left out]');
  });

  test('makes stubs of the oldest results first when all together are too much', async () => {
    const messages = Array.from({ length: 10 }, (_, index) =>
      called(`r${index}`, 'read', [text('z'.repeat(3000))]),
    ).flat();
    const shown = await shownBy(
      budgetToolResults({ perResultBytes: 4000, totalBytes: 20_000, keepRecent: 2 }),
      messages,
    );
    const shortened = Array.from({ length: 10 }, (_, index) => JSON.stringify(block(shown, `r${index}`)).length < 1000);
    expect(shortened.indexOf(false)).toBeGreaterThan(3);
    expect(shortened.slice(shortened.indexOf(false))).not.toContain(true);
  });

  test.each([
    [2, 0],
    [3, 2],
    [4, 2],
    [5, 4],
  ])('of %i results of 3,000 bytes, where 8,000 are allowed, makes stubs of %i', async (count, stubs) => {
    const results = Array.from({ length: count }, (_, index) => called(`r${index}`, 'read', [text('z'.repeat(3000))]));
    const shown = await shownBy(
      budgetToolResults({ perResultBytes: 4000, totalBytes: 8000, keepRecent: 1 }),
      results.flat(),
    );
    const sizes = results.map((_, index) => JSON.stringify(block(shown, `r${index}`)).length);
    expect(sizes.map((size) => size < 1000)).toEqual(sizes.map((_, index) => index < stubs));
  });

  test('changes the prefix rarely as results come', async () => {
    const budget = budgetToolResults({ perResultBytes: 4000, totalBytes: 60_000 });
    const messages = Array.from({ length: 60 }, (_, index) => called(`r${index}`, 'read', [text('z'.repeat(3000))]));
    let changes = 0;
    let seen: readonly Message[] = [];
    for (let count = 1; count <= messages.length; count++) {
      const shown = await shownBy(budget, messages.slice(0, count).flat());
      if (seen.some((message, index) => message !== shown[index])) changes++;
      seen = shown;
    }
    expect(changes).toBeGreaterThan(2);
    expect(changes).toBeLessThanOrEqual(messages.length / 10);
  });

  test('leaves several results that fit together as they are, also when another one is shortened later', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const results = ids.map((callId): Block => ({
      type: 'toolResult',
      callId,
      status: 'completed',
      content: [text('z'.repeat(callId === 'a' ? 3000 : 300))],
    }));
    const calls = ids.map((id): Block => ({ type: 'toolCall', id, name: 'read', args: {} }));
    const several: Message[] = [
      assistantMessage(calls, { id: 'calls' }),
      { id: 'several', role: 'tool', content: results },
    ];
    const transformer = budgetToolResults({ perResultBytes: 4000, totalBytes: 16_000, keepRecent: 0 });
    expect(await shownBy(transformer, several)).toEqual(several);
    expect((await shownBy(transformer, [...several, ...big])).slice(0, 2)).toEqual(several);
  });

  test('leaves a stub a stub when a compaction makes room, so that the prefix stays', async () => {
    const messages = Array.from({ length: 10 }, (_, index) =>
      called(`r${index}`, 'read', [text('z'.repeat(3000))]),
    ).flat();
    const conversation = createConversation({ messages });
    const budget = budgetToolResults({ perResultBytes: 4000, totalBytes: 20_000, keepRecent: 2 });
    const trial = new Trial([windowHistory(), budget], conversation, 100_000);
    const before = (await trial.run('beforeIteration', conversation)).after.messages;
    expect(JSON.stringify(block(before, 'r3')).length).toBeLessThan(1000);
    conversation.messages.push(userMessage([{ type: 'boundary', summary: 'So far.', keepFrom: 'r2-call' }]));
    const after = (await trial.run('beforeIteration', conversation)).after.messages;
    expect(after.slice(1)).toEqual(before.slice(4));
  });

  test('shortens the same result always in the same way', async () => {
    const transformer = budgetToolResults({ perResultBytes: 1000, keepRecent: 0 });
    const one = block(await shownBy(transformer, big), 'big');
    const two = block(await shownBy(transformer, [said('before'), ...structuredClone(big), said('after')]), 'big');
    expect(two).toEqual(one);
  });
});
