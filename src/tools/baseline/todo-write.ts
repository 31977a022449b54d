// The TodoWrite tool: the model's plan as a list. The list is the last such call in the transcript, so it survives a
// resume.

import type { Conversation } from '../../conversation/conversation.ts';
import type { Message } from '../../conversation/message.ts';
import type { Tool } from '../../contracts/tool.ts';
import { defineTool } from '../define-tool.ts';
import { lenientArguments } from './lenient-arguments.ts';

/** One thing to do. */
export interface Todo {
  /** What to do, as an instruction. */
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
  /** What is being done while it is in progress. */
  readonly activeForm?: string;
}

const name = 'TodoWrite';

const description = `Keeps the list of what is to be done in this conversation. Send the whole list each time: it replaces the old one.
- Use it for work of three steps or more; mark a step completed as soon as it is done, and have one step in progress at a time.
- content says what to do ("Run the tests"), activeForm what is being done ("Running the tests").`;

const parameters = lenientArguments<{ readonly todos: readonly Todo[] }>({
  type: 'object',
  properties: {
    todos: {
      type: 'array',
      description: 'The whole list',
      items: {
        type: 'object',
        properties: {
          content: { type: 'string', minLength: 1, description: 'What to do' },
          status: { type: 'string', enum: ['pending', 'in_progress', 'completed'] },
          activeForm: { type: 'string', description: 'What is being done while it is in progress' },
        },
        required: ['content', 'status'],
      },
    },
  },
  required: ['todos'],
});

const todoWrite: Tool = defineTool({
  name,
  description,
  parameters,
  isConcurrencySafe: false,
  needsApproval: false,
  replay: 'safe',
  execute: ({ todos }, { conversation, callId }) => report(todosBefore(conversation, callId), todos),
});

/** TodoWrite: runs alone, never needs approval, may be run again after a crash. */
export function todoWriteTool(): Tool {
  return todoWrite;
}

/**
 * The list according to the transcript: that of the last TodoWrite call that was carried out; empty before the first.
 */
export function todosOf(conversation: Readonly<Conversation>): readonly Todo[] {
  return lastList(conversation.messages, (index, id) => isCompleted(conversation.messages[index + 1], id)) ?? [];
}

// Earlier calls of the same message have been carried out, although their results are not in the transcript yet.
function todosBefore(conversation: Readonly<Conversation>, callId: string): readonly Todo[] {
  const { messages } = conversation;
  const mine = messages.findLastIndex((message) => callsOf(message).some((call) => call.id === callId));
  if (mine < 0) return todosOf(conversation);
  const siblings = callsOf(messages[mine]);
  const own = siblings.findIndex((call) => call.id === callId);
  const earlier = new Set(siblings.slice(0, own).map((call) => call.id));
  const isDone = (index: number, id: string): boolean =>
    index === mine ? earlier.has(id) : isCompleted(messages[index + 1], id);
  return lastList(messages.slice(0, mine + 1), isDone) ?? [];
}

function lastList(
  messages: readonly Message[],
  isDone: (index: number, callId: string) => boolean,
): readonly Todo[] | undefined {
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message === undefined) continue;
    for (const call of callsOf(message).toReversed()) {
      if (call.name !== name || !isDone(index, call.id)) continue;
      const todos = readTodos(call.args);
      if (todos !== undefined) return todos;
    }
  }
  return undefined;
}

// By the tool's own reader, so that a list sent as text counts as it did when it was carried out.
function readTodos(args: unknown): readonly Todo[] | undefined {
  const read = todoWrite.parse(args);
  // A parse boundary: `parse` has just checked it against the parameters.
  return read.ok ? (read.args as { readonly todos: readonly Todo[] }).todos : undefined;
}

function callsOf(
  message: Message | undefined,
): readonly { readonly id: string; readonly name: string; readonly args?: unknown }[] {
  return message?.role === 'assistant' ? message.content.filter((block) => block.type === 'toolCall') : [];
}

function isCompleted(answers: Message | undefined, callId: string): boolean {
  if (answers?.role !== 'tool') return false;
  return answers.content.some(
    (block) => block.type === 'toolResult' && block.callId === callId && block.status === 'completed',
  );
}

function report(before: readonly Todo[], after: readonly Todo[]): string {
  const count = (status: Todo['status']): number => after.filter((todo) => todo.status === status).length;
  const active = after.filter((todo) => todo.status === 'in_progress');
  const lines = [
    `The list has ${after.length} item${after.length === 1 ? '' : 's'}: ${count('completed')} completed, ${active.length} in progress, ${count('pending')} pending.`,
    ...changes(before, after),
  ];
  if (active.length > 1) {
    lines.push(
      `Warning: ${active.length} items are in progress at once. Work on one at a time and set the others to pending.`,
    );
  }
  return lines.join('\n');
}

// What is different from the old list, item by item.
function changes(before: readonly Todo[], after: readonly Todo[]): string[] {
  const old = new Map(before.map((todo) => [todo.content, todo.status]));
  const kept = new Set(after.map((todo) => todo.content));
  const lines: string[] = [];
  for (const { content, status } of after) {
    const was = old.get(content);
    if (was === undefined) lines.push(`+ ${content} (${status})`);
    else if (was !== status) lines.push(`  ${content}: ${was} → ${status}`);
  }
  for (const { content, status } of before) if (!kept.has(content)) lines.push(`- ${content} (was ${status})`);
  return lines;
}
