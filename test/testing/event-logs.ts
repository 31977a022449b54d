// Logs that keep the event grammar, one for each way a turn can go, and the pieces they are built from.

import { ModelError, TurnchartError } from '../../src/contracts/errors.ts';
import type { EngineEvent, OperativeEvent, TurnReason, TurnResult } from '../../src/contracts/events.ts';
import type { StopReason, StreamEvent } from '../../src/contracts/model.ts';
import type { Stage } from '../../src/contracts/transformer.ts';
import type { Block, ToolCallBlock, ToolResultStatus } from '../../src/conversation/block.ts';
import { assistantMessage, userMessage, type Message } from '../../src/conversation/message.ts';
import { noUsage } from '../../src/conversation/usage.ts';

export type Log = readonly OperativeEvent[];

/** Puts pieces after each other and numbers the appends, from the first index on. */
export function logOf(...pieces: readonly (OperativeEvent | Log)[]): OperativeEvent[] {
  let next = 0;
  return pieces.flat().map((event) => {
    if (event.type === 'turn.reloaded' || event.type === 'transcript.replaced') next = event.messages;
    return event.type === 'message.appended' ? { ...event, index: next++ } : event;
  });
}

export const user = (id: string): Message => userMessage('hi', { id });
export const lost = new ModelError('model.connection', 'lost', { retryable: true });
const tooLong = new ModelError('model.contextOverflow', 'too long', { retryable: false });

export const started = (turnId = 'turn_1'): EngineEvent => ({ type: 'turn.started', turnId });
export const appended = (message: Message): EngineEvent => ({ type: 'message.appended', message, index: -1 });
export const injected = (message: Message, iteration: number): EngineEvent => ({
  type: 'message.injected',
  message,
  iteration,
});
export const queued = (message: Message): OperativeEvent => ({ type: 'message.queued', message });
export const applied = (name: string, stage: Stage, iteration: number): EngineEvent => ({
  type: 'transformer.applied',
  name,
  stage,
  iteration,
  messagesBefore: 1,
  messagesAfter: 1,
});
export const failedTransformer = (name: string, stage: Stage): EngineEvent => ({
  type: 'transformer.failed',
  name,
  stage,
  error: new TurnchartError('transformer.failed', 'failed'),
});
export const replaced = (by: string, messages: number): EngineEvent => ({ type: 'transcript.replaced', by, messages });
export const retrying = (attempt: number, delayMs = 500): EngineEvent => ({
  type: 'stream.retrying',
  attempt,
  delayMs,
  error: lost,
});
export const reset: EngineEvent = { type: 'stream.reset' };
export const closed: OperativeEvent = { type: 'operative.closed' };
export const completed = (
  reason: TurnReason,
  iterations: number,
  rest: Partial<TurnResult> & { readonly message?: Message | undefined } = {},
): EngineEvent => {
  const { message, ...others } = rest;
  return {
    type: 'turn.completed',
    turnId: 'turn_1',
    reason,
    iterations,
    usage: noUsage,
    ...(message === undefined ? {} : { message }),
    ...others,
  };
};

export const begin: StreamEvent = { type: 'message.start' };
export const end = (stopReason: StopReason = 'endTurn'): StreamEvent => ({ type: 'message.end', stopReason });
export const usage: StreamEvent = { type: 'usage', usage: { inputTokens: 1, outputTokens: 1 } };
export const raw: StreamEvent = { type: 'raw', provider: 'p', event: {} };

/** The deltas of one text block. */
export function text(index: number, ...pieces: string[]): StreamEvent[] {
  return [
    { type: 'text.start', index },
    ...pieces.map((piece): StreamEvent => ({ type: 'text.delta', index, text: piece })),
    { type: 'text.end', index },
  ];
}

export function callInput(index: number, id: string, ...pieces: string[]): StreamEvent[] {
  return [
    { type: 'toolInput.start', index, id, name: 'look' },
    ...pieces.map((json): StreamEvent => ({ type: 'toolInput.delta', index, json })),
    { type: 'toolInput.end', index },
  ];
}

export const call = (id: string): ToolCallBlock => ({ type: 'toolCall', id, name: 'look', args: { at: 1 } });
export const argsText = ['{"at"', ':1}'];

/** An assistant message of one text, or of the given blocks. */
export const said = (id: string, content: string | readonly Block[] = 'Hello'): Message =>
  assistantMessage(content, { id });
export const cut = (id: string): Message => assistantMessage('Hel', { id, meta: { cut: 'aborted' } });

export const settled = (message: Message, stopReason: StopReason = 'endTurn'): EngineEvent[] => [
  appended(message),
  { type: 'assistant.settled', message, stopReason },
];

/** A whole answer of one text. */
export const answer = (id: string): EngineEvent[] => [
  begin,
  ...text(0, 'Hel', 'lo'),
  usage,
  end(),
  ...settled(said(id)),
];

/** A whole answer that makes calls. */
export const calling = (id: string, ...ids: string[]): EngineEvent[] => [
  begin,
  ...ids.flatMap((callId, index) => callInput(index, callId, ...argsText)),
  end('toolUse'),
  ...settled(said(id, ids.map(call)), 'toolUse'),
];

export const startedCall = (id: string): EngineEvent => ({ type: 'toolCall.started', call: call(id) });
export const awaiting = (id: string): EngineEvent => ({ type: 'toolCall.awaitingApproval', call: call(id) });
export const progress = (callId: string): EngineEvent => ({ type: 'toolCall.progress', callId, update: 1 });
export const backgrounded = (id: string): EngineEvent => ({
  type: 'toolCall.backgrounded',
  call: call(id),
  taskId: 'task_1',
});
export const resultOf = (id: string, status: ToolResultStatus = 'completed') =>
  ({ type: 'toolResult', callId: id, status, content: [] }) as const;
export const settledCall = (id: string, status: ToolResultStatus = 'completed'): EngineEvent => ({
  type: 'toolCall.settled',
  call: call(id),
  result: resultOf(id, status),
  durationMs: 1,
});
export const ran = (id: string): EngineEvent[] => [startedCall(id), settledCall(id)];

/** The message of results and its event. */
export function results(
  id: string,
  ...outcomes: readonly (string | readonly [string, ToolResultStatus])[]
): EngineEvent[] {
  const content = outcomes.map((outcome) => (typeof outcome === 'string' ? resultOf(outcome) : resultOf(...outcome)));
  const message: Message = { id, role: 'tool', content };
  return [appended(message), { type: 'toolResults.settled', message }];
}

const truncatedTurn = (id: string) => [
  begin,
  ...callInput(0, 'c1', '{"at"'),
  end('maxTokens'),
  ...settled(said(id, [{ type: 'toolCall', id: 'c1', name: 'look', rawArgs: '{"at"' }]), 'maxTokens'),
  settledCall('c1', 'truncated'),
];

/** Good logs by what happens in them. */
export const goodLogs: Readonly<Record<string, OperativeEvent[]>> = {
  'one answer': logOf(
    started(),
    appended(user('u1')),
    answer('a1'),
    completed('completed', 1, { message: said('a1') }),
  ),
  'an answer of many kinds of blocks': logOf(
    started(),
    raw,
    begin,
    { type: 'thinking.start', index: 0 },
    { type: 'thinking.delta', index: 0, text: 'Hm' },
    { type: 'thinking.end', index: 0, block: { type: 'thinking', text: 'Hm', signature: 's' } },
    { type: 'text.start', index: 1 },
    { type: 'text.delta', index: 1, text: 'Hel' },
    { type: 'block', index: 3, block: { type: 'provider', provider: 'p', kind: 'k', data: 1 } },
    { type: 'text.delta', index: 1, text: 'lo' },
    { type: 'text.end', index: 1 },
    text(2),
    usage,
    end(),
    raw,
    settled(
      said('a1', [
        { type: 'thinking', text: 'Hm', signature: 's' },
        { type: 'text', text: 'Hello' },
        { type: 'provider', provider: 'p', kind: 'k', data: 1 },
      ]),
    ),
    completed('completed', 1, { message: said('a1') }),
  ),
  'two tools, then an answer': logOf(
    started(),
    calling('a1', 'c1', 'c2'),
    awaiting('c1'),
    startedCall('c2'),
    progress('c2'),
    startedCall('c1'),
    progress('c1'),
    settledCall('c2', 'failed'),
    settledCall('c1'),
    results('r1', 'c1', ['c2', 'failed']),
    answer('a2'),
    completed('completed', 2, { message: said('a2') }),
  ),
  'calls that never ran': logOf(
    started(),
    calling('a1', 'c1', 'c2', 'c3'),
    awaiting('c1'),
    settledCall('c1', 'denied'),
    settledCall('c2', 'unknownTool'),
    settledCall('c3', 'invalidArguments'),
    results('r1', ['c1', 'denied'], ['c2', 'unknownTool'], ['c3', 'invalidArguments']),
    answer('a2'),
    completed('completed', 2, { message: said('a2') }),
  ),
  'a call that goes to the background': logOf(
    started(),
    calling('a1', 'c1'),
    startedCall('c1'),
    backgrounded('c1'),
    settledCall('c1'),
    results('r1', 'c1'),
    answer('a2'),
    completed('completed', 2, { message: said('a2') }),
  ),
  'call ids made unique': logOf(
    started(),
    begin,
    callInput(0, 'c1', ...argsText),
    callInput(1, 'c1', ...argsText),
    end('toolUse'),
    settled(said('a1', [call('c1'), call('c1_2')]), 'toolUse'),
    ran('c1'),
    ran('c1_2'),
    results('r1', 'c1', 'c1_2'),
    completed('maxIterations', 1, { message: said('a1') }),
  ),
  'calls cut by the token limit, twice': logOf(
    started(),
    truncatedTurn('a1'),
    results('r1', ['c1', 'truncated']),
    truncatedTurn('a2'),
    results('r2', ['c1', 'truncated']),
    completed('maxTokens', 2, { message: said('a2') }),
  ),
  'a steer at an iteration boundary': logOf(
    started(),
    calling('a1', 'c1'),
    ran('c1'),
    results('r1', 'c1'),
    appended(user('u1')),
    injected(user('u1'), 2),
    injected(user('u2'), 2),
    appended(user('u2')),
    answer('a2'),
    completed('completed', 2, { message: said('a2') }),
  ),
  'a steer while the model gives its answer': logOf(
    started(),
    answer('a1'),
    appended(user('u1')),
    injected(user('u1'), 2),
    answer('a2'),
    completed('completed', 2, { message: said('a2') }),
  ),
  'transformers of every stage': logOf(
    started(),
    appended(user('u1')),
    replaced('t1', 3),
    applied('t1', 'beforeTurn', 0),
    failedTransformer('t2', 'beforeTurn'),
    appended(user('u2')),
    applied('t1', 'beforeIteration', 1),
    calling('a1', 'c1'),
    applied('t1', 'afterIteration', 1),
    ran('c1'),
    results('r1', 'c1'),
    applied('t1', 'beforeIteration', 2),
    failedTransformer('t2', 'beforeIteration'),
    answer('a2'),
    applied('t1', 'afterIteration', 2),
    replaced('t1', 1),
    applied('t1', 'afterTurn', 2),
    replaced('t2', 2),
    applied('t2', 'afterTurn', 2),
    completed('completed', 2, { message: said('a2') }),
  ),
  'an answer whose calls are rewritten': logOf(
    started(),
    calling('a1', 'c1', 'c2'),
    replaced('t', 2),
    applied('t', 'afterIteration', 1),
    ran('c3'),
    ran('c2'),
    results('r1', 'c2', 'c3'),
    calling('a2', 'c1'),
    applied('t', 'afterIteration', 2),
    replaced('t', 2),
    completed('completed', 2, { message: said('a2') }),
  ),
  'retries, the first before anything was shown, and a fallback model': logOf(
    started(),
    raw,
    usage,
    retrying(1),
    begin,
    { type: 'text.start', index: 0 },
    { type: 'text.delta', index: 0, text: 'He' },
    retrying(2),
    reset,
    retrying(0, 0),
    begin,
    retrying(1),
    reset,
    answer('a1'),
    completed('completed', 1, { message: said('a1') }),
  ),
  'a turn that gives up': logOf(
    started(),
    appended(user('u1')),
    begin,
    retrying(1),
    reset,
    begin,
    text(0, 'Hel'),
    reset,
    completed('failed', 1, { error: lost }),
  ),
  'a turn that gives up without a word': logOf(
    started(),
    appended(user('u1')),
    completed('failed', 1, { error: lost }),
  ),
  'an overflow, shaped again': logOf(
    started(),
    applied('t', 'beforeIteration', 1),
    begin,
    end('contextOverflow'),
    reset,
    applied('t', 'beforeIteration', 1),
    answer('a1'),
    completed('completed', 1, { message: said('a1') }),
  ),
  'an overflow for good, thrown': logOf(
    started(),
    applied('t', 'beforeIteration', 1),
    applied('t', 'beforeIteration', 1),
    applied('t', 'afterTurn', 1),
    completed('contextOverflow', 1, { error: tooLong }),
  ),
  'an overflow for good after an iteration': logOf(
    started(),
    calling('a1', 'c1'),
    ran('c1'),
    results('r1', 'c1'),
    applied('t', 'afterTurn', 2),
    completed('contextOverflow', 2, { message: said('a1'), error: tooLong }),
  ),
  'an overflow whose text is kept': logOf(
    started(),
    begin,
    text(0, 'Hel'),
    callInput(1, 'c1', '{"a'),
    end('contextOverflow'),
    settled(cut('a1'), 'contextOverflow'),
    completed('contextOverflow', 1, { message: cut('a1'), error: tooLong }),
  ),
  'an abort while the model speaks': logOf(
    started(),
    begin,
    { type: 'text.start', index: 0 },
    { type: 'text.delta', index: 0, text: 'Hel' },
    appended(cut('a1')),
    appended(user('u1')),
    queued(user('u1')),
    completed('aborted', 1, { message: cut('a1') }),
  ),
  'an abort before anything was said': logOf(
    started(),
    begin,
    appended(user('u1')),
    queued(user('u1')),
    completed('aborted', 1),
  ),
  'an abort after the message ended': logOf(
    started(),
    begin,
    text(0, 'Hel'),
    end(),
    appended(cut('a1')),
    completed('aborted', 1, { message: cut('a1') }),
  ),
  'an abort between two attempts': logOf(started(), begin, retrying(1), reset, completed('aborted', 1)),
  'an abort while tools run': logOf(
    started(),
    calling('a1', 'c1', 'c2', 'c3'),
    ran('c1'),
    startedCall('c2'),
    settledCall('c2', 'interrupted'),
    settledCall('c3', 'notStarted'),
    results('r1', 'c1', ['c2', 'interrupted'], ['c3', 'notStarted']),
    completed('aborted', 1, { message: said('a1') }),
  ),
  'an abort before tools start': logOf(
    started(),
    calling('a1', 'c1'),
    settledCall('c1', 'notStarted'),
    results('r1', ['c1', 'notStarted']),
    completed('aborted', 1, { message: said('a1') }),
  ),
  'an abort while the context is shaped': logOf(
    started(),
    appended(user('u1')),
    injected(user('u1'), 1),
    completed('aborted', 1),
  ),
  'a reload': logOf(
    started(),
    { type: 'turn.reloaded', messages: 4 },
    appended(user('u1')),
    answer('a1'),
    completed('completed', 1, { message: said('a1') }),
  ),
  'a reload that fails': logOf(
    started(),
    appended(user('u1')),
    queued(user('u1')),
    completed('failed', 0, { error: new TurnchartError('reload.failed', 'no') }),
  ),
  "an operative's life": logOf(
    appended(user('u0')),
    queued(user('u0')),
    started(),
    appended(user('u1')),
    queued(user('u2')),
    answer('a1'),
    queued(user('u3')),
    { type: 'message.withdrawn', messageId: 'u3' },
    appended(user('u2')),
    appended(user('u4')),
    queued(user('u4')),
    completed('completed', 1, { message: said('a1') }),
    { type: 'message.withdrawn', messageId: 'u9' },
    replaced('compact', 2),
    started('turn_2'),
    answer('a2'),
    completed('completed', 1, { turnId: 'turn_2', message: said('a2') }),
    closed,
  ),
};
