// Recorded conversations of several calls: rebuilt from our decoded answers and encoded again, each next request must
// be the recorded one in everything the server looks at.

import { describe, expect, test } from 'vitest';
import { encodeChatRequest } from '../../../../src/adapters/openai/chat/encode.ts';
import { openai } from '../../../../src/adapters/openai/index.ts';
import { targetOf } from '../../../../src/adapters/openai/target.ts';
import type { Message } from '../../../../src/conversation/message.ts';
import { userMessage } from '../../../../src/conversation/message.ts';
import { collect } from '../../collect.ts';
import { readRecordings, replaying, type Recording } from '../../recordings.ts';
import type { Wire } from './wire.ts';

const baseURL = 'https://models.example/v1';
const recordings = readRecordings('openai-chat').filter((recording) => messagesOf(recording).length > 0);

function messagesOf(recording: Recording): readonly Wire[] {
  return ((recording.request?.body as Wire | undefined)?.['messages'] ?? []) as readonly Wire[];
}

const count = (recording: Recording, role: string): number =>
  messagesOf(recording).filter((message) => message['role'] === role).length;

// A request is a follow-up where it holds the answer of the step before. Two recorded ones are not: they put a failed
// answer's text back by hand.
const byHand = ['chat-e366828205', 'chat-c13868cf4f'];
const followUps = recordings.flatMap((recording) => {
  const before = recordings.find((one) => one.group === recording.group && one.step === recording.step - 1);
  const isNext = before !== undefined && count(recording, 'assistant') === count(before, 'assistant') + 1;
  return isNext && !byHand.includes(recording.id) ? [{ id: recording.id, recording }] : [];
});

async function conversationBefore(recording: Recording): Promise<readonly Message[]> {
  const sent = messagesOf(recording);
  const before = recordings.find((one) => one.group === recording.group && one.step === recording.step - 1);
  if (before === undefined)
    return sent.filter((message) => message['role'] !== 'system').map((message) => userMessage(textOf(message)));
  const model = openai({
    model: 'recorded',
    api: 'chat',
    baseURL,
    apiKey: 'sk-none',
    fetch: replaying(before, 1).fetch,
  });
  const { content, meta } = await collect(
    model.stream({ system: [], messages: [], tools: [] }, { signal: new AbortController().signal }),
  );
  const trailing = sent.slice(sent.findLastIndex((message) => message['role'] === 'assistant') + 1);
  const results = trailing.filter((message) => message['role'] === 'tool');
  const users = trailing.filter((message) => message['role'] === 'user');
  const answer: Message = { id: before.id, role: 'assistant', content, ...(meta === undefined ? {} : { meta }) };
  const tools: Message = {
    id: `${before.id}-results`,
    role: 'tool',
    content: results.map((message) => ({
      type: 'toolResult',
      callId: message['tool_call_id'] as string,
      status: 'completed',
      content: [{ type: 'text', text: textOf(message) }],
    })),
  };
  return [
    ...(await conversationBefore(before)),
    answer,
    ...(results.length > 0 ? [tools] : []),
    ...users.map((message) => userMessage(textOf(message))),
  ];
}

function textOf(message: Wire): string {
  const { content } = message;
  return typeof content === 'string' ? content : (content as Wire[]).map((part) => part['text'] as string).join('');
}

/**
 * The accepted differences between a recorded request and ours:
 * - system messages: not part of the conversation;
 * - `content: ''` or `content: ' '` beside calls: says nothing, we leave it out;
 * - a text of which one recorder kept only the blank after it (`content: ' '`): we send the whole;
 * - reasoning under two names: one recorder sends the same text as `reasoning` and `reasoning_content`, we under the one
 *   it came in;
 * - reasoning of a server that gave it: some recorders drop it, we send it back;
 * - empty fields of a `thinking` part (`closed`): one recorder drops them, we send back what came.
 */
function accepted(message: Wire, recorded: Wire): Wire {
  const { reasoning, reasoning_content, reasoning_details, content, ...rest } = message as Record<string, unknown>;
  const thoughts = reasoning ?? reasoning_content;
  const isGiven = recorded['reasoning'] !== undefined || recorded['reasoning_content'] !== undefined;
  const said = Array.isArray(content) ? (content as Wire[]).map(({ closed: _, ...part }) => part) : content;
  return {
    ...rest,
    ...(isGiven && thoughts !== undefined ? { thoughts } : {}),
    ...(recorded['reasoning_details'] === undefined ? {} : { reasoning_details }),
    ...(isBlank(said) || recorded['content'] === ' ' ? {} : { content: said }),
  };
}

const isBlank = (content: unknown): boolean => typeof content === 'string' && content.trim() === '';

test('there are 14 recorded follow-ups', () => {
  expect(followUps).toHaveLength(14);
});

describe.each(followUps)('$id', ({ recording }) => {
  test('is the request we would send', async () => {
    const target = targetOf({ model: 'recorded', api: 'chat' }, baseURL);
    const request = { system: [], messages: await conversationBefore(recording), tools: [] };
    const ours = encodeChatRequest(request, target, {})['messages'] as readonly Wire[];
    const recorded = messagesOf(recording).filter((message) => message['role'] !== 'system');
    expect(ours.map((message, position) => accepted(message, recorded[position] ?? {}))).toEqual(
      recorded.map((message) => accepted(message, message)),
    );
  });
});
