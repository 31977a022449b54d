import { describe, expect, test } from 'vitest';
import { exchangeOf } from '../../../src/cli/demo/exchange.ts';
import { assistantMessage, userMessage, type Message } from '../../../src/index.ts';

const asked = (id: string): Message => assistantMessage([{ type: 'toolCall', id, name: 'read', args: {} }]);
const answered = (id: string): Message => ({
  id: `results-${id}`,
  role: 'tool',
  content: [{ type: 'toolResult', callId: id, status: 'completed', content: [{ type: 'text', text: `of ${id}` }] }],
});

describe('exchangeOf', () => {
  test('begins after the last answer without calls', () => {
    const { requests, evidence } = exchangeOf([
      userMessage('one'),
      asked('a'),
      answered('a'),
      assistantMessage('done'),
      userMessage('two'),
    ]);
    expect(requests).toEqual([{ words: 'two', steered: false }]);
    expect(evidence).toEqual([]);
  });

  test('takes no answer that was broken off for one', () => {
    const cut = assistantMessage('I wi', { meta: { cut: 'aborted' } });
    expect(exchangeOf([userMessage('one'), cut, userMessage('two')]).requests).toEqual([
      { words: 'one', steered: false },
      { words: 'two', steered: false, afterCut: true },
    ]);
  });

  test('pairs results with their calls', () => {
    const { evidence } = exchangeOf([userMessage('one'), asked('a'), answered('a'), asked('b'), answered('b')]);
    expect(evidence.map(({ call, outcome }) => [call.id, outcome.text])).toEqual([
      ['a', 'of a'],
      ['b', 'of b'],
    ]);
  });

  test('knows what was steered in, and whether anything was answered since', () => {
    const messages = [userMessage('one'), userMessage('more'), asked('a'), answered('a'), userMessage('other')];
    expect(exchangeOf(messages)).toMatchObject({
      requests: [
        { words: 'one', steered: false },
        { words: 'more', steered: false },
        { words: 'other', steered: true },
      ],
      fresh: true,
    });
    expect(exchangeOf([...messages, asked('b'), answered('b')]).fresh).toBe(false);
  });

  test('takes the frame off a steered message', () => {
    const content = [
      { type: 'text', text: '(Sent while you were working on the previous request.)' },
      { type: 'text', text: 'stop' },
    ] as const;
    expect(exchangeOf([userMessage(content)]).requests).toEqual([{ words: 'stop', steered: false }]);
    expect(exchangeOf([userMessage(content, { meta: { frame: 1 } })]).requests[0]?.words).toBe('stop');
  });

  test('keeps a first block in parentheses that is not a frame', () => {
    const message = userMessage([
      { type: 'text', text: '(hm) ' },
      { type: 'text', text: 'hello' },
    ]);
    expect(exchangeOf([message]).requests[0]?.words).toBe('(hm) hello');
  });

  test('leaves compaction marks and messages without text out', () => {
    const mark = userMessage([{ type: 'boundary', summary: 'before', keepFrom: 'x' }]);
    expect(exchangeOf([mark, userMessage('one')]).requests.map(({ words }) => words)).toEqual(['one']);
  });

  test('is empty for an empty transcript', () => {
    expect(exchangeOf([])).toEqual({ requests: [], evidence: [], fresh: false });
  });
});
