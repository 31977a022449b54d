import { describe, expect, test } from 'vitest';
import type { Block } from '../../src/conversation/block.ts';
import { assistantMessage, textOf, userMessage } from '../../src/conversation/message.ts';

describe.each([
  ['userMessage', userMessage, 'user'],
  ['assistantMessage', assistantMessage, 'assistant'],
] as const)('%s', (_, make, role) => {
  test('turns a string into one text block', () => {
    expect(make('hi', { id: 'm' })).toEqual({ id: 'm', role, content: [{ type: 'text', text: 'hi' }] });
  });

  test('turns an empty string into one text block', () => {
    expect(make('').content).toEqual([{ type: 'text', text: '' }]);
  });

  test('takes blocks as they are', () => {
    const content: readonly Block[] = [{ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }];
    expect(make(content).content).toBe(content);
  });

  test('gives each message an id of its own', () => {
    expect(make('hi').id).toMatch(/^msg_/);
    expect(make('hi').id).not.toBe(make('hi').id);
  });

  test('keeps meta', () => {
    expect(make('hi', { meta: { source: 'test' } }).meta).toEqual({ source: 'test' });
  });

  test('has no meta field when none is given', () => {
    expect(Object.keys(make('hi', { id: 'm' }))).toEqual(['id', 'role', 'content']);
  });
});

describe('textOf', () => {
  test('joins the text blocks and leaves out the others', () => {
    const message = assistantMessage([
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'one' },
      { type: 'toolCall', id: '1', name: 'look', args: {} },
      { type: 'text', text: ' two' },
    ]);
    expect(textOf(message)).toBe('one two');
  });

  test('of a message without text is empty', () => {
    expect(textOf(userMessage([]))).toBe('');
  });
});
