// What a tab knows of the conversation, and how an event changes it. Pure: the page renders it, the tests fold it.

import type { Message, OperativeEvent } from '../../src/index.ts';

/** The first thing a tab gets when it cannot be brought up to date by events alone. */
export interface Snapshot {
  readonly type: 'snapshot';
  readonly messages: readonly Message[];
  /** What was already said of the message under way. */
  readonly partial: Message | null;
  readonly approvals: readonly PendingApproval[];
  readonly isRunning: boolean;
}

/** A call somebody must decide about. */
export interface PendingApproval {
  readonly callId: string;
  readonly tool: string;
  readonly preview: unknown;
}

/** What the server sends besides the operative's own events. */
export type ChatEvent =
  | Snapshot
  | Exclude<OperativeEvent, { readonly type: 'raw' }>
  | { readonly type: 'approval.asked'; readonly approval: PendingApproval }
  | { readonly type: 'approval.settled'; readonly callId: string };

/** A tool call in the list. */
export interface ShownCall {
  readonly name: string;
  readonly status: string;
}

/** Everything a tab shows. */
export interface ChatState {
  readonly messages: readonly Message[];
  /** Text of the message under way, by block. */
  readonly partial: readonly string[];
  readonly calls: { readonly [callId: string]: ShownCall };
  /** `steered` or `late`, by message id. */
  readonly marks: { readonly [messageId: string]: 'steered' | 'late' };
  readonly approvals: readonly PendingApproval[];
  readonly isRunning: boolean;
  readonly note: string;
}

/** A tab that has heard nothing yet. */
export const emptyChat: ChatState = {
  messages: [],
  partial: [],
  calls: {},
  marks: {},
  approvals: [],
  isRunning: false,
  note: '',
};

/** The state after one event. */
export function reduceChat(state: ChatState, event: ChatEvent): ChatState {
  switch (event.type) {
    case 'snapshot': {
      const { messages, approvals, isRunning } = event;
      const partial = (event.partial?.content ?? []).map((block) => (block.type === 'text' ? block.text : ''));
      return { ...emptyChat, messages, approvals, isRunning, partial, calls: settledCalls(messages) };
    }
    case 'turn.started':
      return { ...state, isRunning: true, note: '' };
    case 'turn.completed':
      return { ...state, isRunning: false, partial: [], note: noteOf(event.reason, event.error?.message) };
    case 'message.appended': {
      const isAnswer = event.message.role === 'assistant';
      return { ...state, messages: [...state.messages, event.message], partial: isAnswer ? [] : state.partial };
    }
    case 'message.injected':
      return { ...state, marks: { ...state.marks, [event.message.id]: 'steered' } };
    case 'message.queued':
      return { ...state, marks: { ...state.marks, [event.message.id]: 'late' } };
    case 'message.start':
    case 'stream.reset':
      return { ...state, partial: [] };
    case 'text.delta': {
      const partial = [...state.partial];
      partial[event.index] = (partial[event.index] ?? '') + event.text;
      return { ...state, partial };
    }
    case 'stream.retrying':
      return { ...state, note: `The model is asked again: ${event.error.message}` };
    case 'toolCall.started':
      return withCall(state, event.call.id, { name: event.call.name, status: 'running' });
    case 'toolCall.settled':
      return withCall(state, event.call.id, { name: event.call.name, status: event.result.status });
    case 'approval.asked':
      return { ...state, approvals: [...state.approvals, event.approval] };
    case 'approval.settled':
      return { ...state, approvals: state.approvals.filter(({ callId }) => callId !== event.callId) };
    default:
      return state;
  }
}

function withCall(state: ChatState, id: string, call: ShownCall): ChatState {
  return { ...state, calls: { ...state.calls, [id]: call } };
}

function settledCalls(messages: readonly Message[]): ChatState['calls'] {
  const calls: Record<string, ShownCall> = {};
  for (const block of messages.flatMap(({ content }) => content)) {
    if (block.type === 'toolCall') calls[block.id] = { name: block.name, status: 'running' };
    if (block.type === 'toolResult') {
      calls[block.callId] = { name: calls[block.callId]?.name ?? 'tool', status: block.status };
    }
  }
  return calls;
}

function noteOf(reason: string, error: string | undefined): string {
  if (reason === 'completed') return '';
  return reason === 'aborted' ? 'Cancelled.' : `The turn ended: ${error ?? reason}.`;
}
