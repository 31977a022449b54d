import { expect, it } from 'vitest';

import type { ToolCallBlock, ToolResultStatus } from '../../../src/conversation/block.ts';
import { createConversation, type Conversation } from '../../../src/conversation/conversation.ts';
import { assistantMessage, type Message } from '../../../src/conversation/message.ts';
import { todosOf, todoWriteTool, type Todo } from '../../../src/tools/index.ts';
import { callTool, newContext } from './workbench.ts';

const tool = todoWriteTool();
const todo = (content: string, status: Todo['status'] = 'pending'): Todo => ({
  content,
  status,
  activeForm: `${content}…`,
});
const call = (id: string, todos: unknown): ToolCallBlock => ({
  type: 'toolCall',
  id,
  name: 'TodoWrite',
  args: { todos } as never,
});
const results = (...all: [id: string, status: ToolResultStatus][]): Message => ({
  id: `results_${all.join()}`,
  role: 'tool',
  content: all.map(([callId, status]) => ({ type: 'toolResult', callId, status, content: [] })),
});

async function write(
  todos: unknown,
  conversation: Conversation = createConversation(),
  callId = 'now',
): Promise<string> {
  return (await callTool(tool, { todos }, newContext({ conversation, callId }))).text;
}

it('answers with counts and what is new', async () => {
  expect(await write([todo('a', 'completed'), todo('b', 'in_progress'), todo('c')])).toBe(
    'The list has 3 items: 1 completed, 1 in progress, 1 pending.\n+ a (completed)\n+ b (in_progress)\n+ c (pending)',
  );
});

it('understands a list sent as a JSON text', async () => {
  expect(await write(JSON.stringify([todo('a')]))).toContain('The list has 1 item');
});

it('warns of more than one item in progress', async () => {
  expect(await write([todo('a', 'in_progress'), todo('b', 'in_progress')])).toContain(
    'Warning: 2 items are in progress at once.',
  );
});

it.each([
  ['a status of its own', [{ content: 'a', status: 'doing' }], 'status'],
  ['an empty item', [{ content: '', status: 'pending' }], 'content'],
  ['no list', 'a, b', 'todos'],
])('refuses %s and names the field', async (_, todos, field) => {
  expect(await write(todos)).toContain(field);
});

it('compares with the last list in the transcript, whatever process wrote it', async () => {
  const conversation = createConversation({
    messages: [
      assistantMessage([call('1', [todo('a'), todo('b')])]),
      results(['1', 'completed']),
      assistantMessage([call('now', [])]),
    ],
  });
  const stored = JSON.parse(JSON.stringify(conversation)) as Conversation;
  expect(await write([todo('a', 'completed'), todo('c')], stored)).toBe(
    'The list has 2 items: 1 completed, 0 in progress, 1 pending.\n  a: pending → completed\n+ c (pending)\n- b (was pending)',
  );
});

it('compares with an earlier call of the same message', async () => {
  const conversation = createConversation({
    messages: [assistantMessage([call('first', [todo('a')]), call('now', [todo('a', 'completed')])])],
  });
  expect(await write([todo('a', 'completed')], conversation)).toContain('a: pending → completed');
});

it('reads the list of a transcript', () => {
  const conversation = createConversation({
    messages: [
      assistantMessage([call('1', [todo('old')]), call('2', JSON.stringify([todo('new')]))]),
      results(['1', 'completed'], ['2', 'completed']),
    ],
  });
  expect(todosOf(conversation)).toEqual([todo('new')]);
});

it.each(['failed', 'interrupted', 'notStarted', 'denied', 'invalidArguments'] as const)(
  'passes over a call that ended as %s',
  (status) => {
    const conversation = createConversation({
      messages: [
        assistantMessage([call('1', [todo('kept')])]),
        results(['1', 'completed']),
        assistantMessage([call('2', [todo('lost')])]),
        results(['2', status]),
      ],
    });
    expect(todosOf(conversation)).toEqual([todo('kept')]);
  },
);

it('has no list before the first call', () => {
  expect(todosOf(createConversation())).toEqual([]);
});
