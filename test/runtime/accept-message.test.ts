import { describe, expect, test } from 'vitest';
import type { Block } from '../../src/conversation/block.ts';
import { assistantMessage, userMessage, type Message } from '../../src/conversation/message.ts';
import { acceptMessage } from '../../src/runtime/accept-message.ts';
import { simulatedHost } from '../../src/testing/index.ts';

const noneTaken = () => false;

describe('acceptMessage', () => {
  test('makes a user message of a text', () => {
    expect(acceptMessage(' Hi ', simulatedHost(), noneTaken)).toEqual({
      id: 'msg_1',
      role: 'user',
      content: [{ type: 'text', text: ' Hi ' }],
    });
  });

  test('takes a user message as it is, as a copy', () => {
    const image: Block = { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } };
    const message = userMessage([image], { meta: { from: 'me' } });
    const accepted = acceptMessage(message, simulatedHost(), noneTaken);
    expect(accepted).toEqual(message);
    expect(accepted.content[0]).not.toBe(image);
  });

  const call: Block = { type: 'toolCall', id: 'c', name: 'look', args: {} };
  const result: Block = { type: 'toolResult', callId: 'c', status: 'completed', content: [] };
  test.each<[string, unknown, string]>([
    ['an empty text', '', 'it is empty'],
    ['blanks', ' \n\t', 'it is empty'],
    ['a message of blanks', userMessage([{ type: 'text', text: ' ' }]), 'it is empty'],
    ['no content', userMessage([]), 'its content is not a non-empty array'],
    ['content that is no array', { id: 'x', role: 'user', content: 'Hi' }, 'its content is not a non-empty array'],
    ['an assistant’s message', assistantMessage('Hi'), 'its role is "assistant"'],
    ['a tool’s message', { id: 'x', role: 'tool', content: [result] }, 'its role is "tool"'],
    ['a call', userMessage([call]), 'it holds a block of type "toolCall"'],
    ['a result', userMessage([{ type: 'text', text: 'x' }, result]), 'it holds a block of type "toolResult"'],
    ['a block without type', { id: 'x', role: 'user', content: [{}] }, 'a block has no type'],
    ['a text that is none', userMessage([{ type: 'text', text: 5 } as never]), 'a text block needs a text'],
    ['an image without source', userMessage([{ type: 'image' } as never]), 'image needs a source'],
    ['an unknown block', userMessage([{ type: 'video' } as never]), 'its type is unknown'],
    ['a boundary without end', userMessage([{ type: 'boundary', summary: 's' } as never]), 'a boundary block needs'],
    ['a block that is null', { id: 'x', role: 'user', content: [null] }, 'a block has no type'],
    ['no id', { role: 'user', content: [{ type: 'text', text: 'x' }] }, 'its id is not a non-empty string'],
    ['an empty id', userMessage('x', { id: '' }), 'its id is not a non-empty string'],
    ['null', null, 'it is null'],
    ['undefined', undefined, 'it is a undefined'],
    ['a number', 7, 'it is a number'],
  ])('refuses %s', (_what, input, fault) => {
    let thrown: { code?: string; message?: string } = {};
    try {
      acceptMessage(input as Message, simulatedHost(), noneTaken);
    } catch (error) {
      thrown = error as typeof thrown;
    }
    expect(thrown.code).toBe('message.invalid');
    expect(thrown.message).toContain(`cannot be submitted: ${fault}`);
  });
});
