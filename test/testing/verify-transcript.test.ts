import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Block } from '../../src/conversation/block.ts';
import { createConversation, type Conversation } from '../../src/conversation/conversation.ts';
import { assistantMessage, userMessage, type Message } from '../../src/conversation/message.ts';
import { repair } from '../../src/conversation/repair.ts';
import { conversations } from '../../src/testing/properties/index.ts';
import { verifyTranscript } from '../../src/testing/index.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

const call: Block = { type: 'toolCall', id: 'c1', name: 'look', args: {} };
const result: Block = {
  type: 'toolResult',
  callId: 'c1',
  status: 'completed',
  content: [{ type: 'text', text: 'ok' }],
};
const results = (...content: readonly Block[]): Message => ({ id: 'r1', role: 'tool', content });
const of = (...messages: readonly Message[]): Conversation => createConversation({ messages });
/** A block as a store or a foreign model may bring it. */
const broken = (block: object) => block as Block;

test('a whole conversation is accepted', () => {
  const messages = [userMessage('hi'), assistantMessage([call]), results(result), assistantMessage('done')];
  expect(() => verifyTranscript(createConversation({ system: 'Be kind.', messages }))).not.toThrow();
});

test('calls of the last message may be open only when that is said', () => {
  const conversation = of(userMessage('hi'), assistantMessage([call]));
  expect(() => verifyTranscript(conversation, { openTail: true })).not.toThrow();
  expect(() => verifyTranscript(conversation)).toThrow('messages[1]: the call "c1" has no result');
});

test.each<[string, Conversation, string]>([
  ['a result without its call', of(userMessage('hi'), results(result)), 'messages[1]'],
  ['an id used twice', of(userMessage('a', { id: 'u' }), userMessage('b', { id: 'u' })), 'taken by an earlier message'],
  [
    'text in a tool message',
    of(assistantMessage([call]), results(result, { type: 'text', text: 'a' })),
    'must hold only results',
  ],
  [
    'a boundary beside text',
    of(
      userMessage([
        { type: 'boundary', summary: '', keepFrom: 'x' },
        { type: 'text', text: 'a' },
      ]),
    ),
    'boundary must be alone',
  ],
  [
    'a boundary of the model',
    of(assistantMessage([{ type: 'boundary', summary: '', keepFrom: 'x' }])),
    'boundary must be alone',
  ],
  [
    'text that is no string',
    of(userMessage([broken({ type: 'text', text: 3 })])),
    'messages[0].content[0]: text.text must be a string',
  ],
  ['an unknown block', of(userMessage([broken({ type: 'hologram' })])), 'expected a block'],
  ['an image without a source', of(userMessage([broken({ type: 'image' })])), 'image without a source'],
  [
    'a call without arguments',
    of(assistantMessage([broken({ type: 'toolCall', id: 'c1', name: 'look' })]), results(result)),
    'neither args nor rawArgs',
  ],
  [
    'a call with arguments twice',
    of(assistantMessage([{ ...call, rawArgs: '{' }]), results(result)),
    'both args and rawArgs',
  ],
  [
    'a result of no status',
    of(assistantMessage([call]), results(broken({ ...result, status: 'fine' }))),
    'unknown status, "fine"',
  ],
  [
    'a call in a result',
    of(assistantMessage([call]), results(broken({ ...result, content: [call] }))),
    'results cannot contain',
  ],
  [
    'a provider block without kind',
    of(assistantMessage([broken({ type: 'provider', provider: 'p' })])),
    'provider.kind must be a string',
  ],
  ['a system that is text', { system: 'Be kind.' as unknown as Block[], messages: [] }, 'system: expected an array'],
])('%s is refused', (_title, conversation, expected) => {
  expect(() => verifyTranscript(conversation)).toThrow(expected);
});

test('arbitrary conversations and repaired ones are accepted', () => {
  fc.assert(
    fc.property(conversations(), fc.nat(), (conversation, cut) => {
      verifyTranscript(conversation);
      const messages = conversation.messages.toSpliced(cut % (conversation.messages.length + 1), 1);
      verifyTranscript(repair({ ...conversation, messages }).conversation);
    }),
    { numRuns: 100 * runs },
  );
});
