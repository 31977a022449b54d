// Plays an operative in virtual time and checks what must hold of every life. Used by the tests of operatives.

import { expect } from 'vitest';
import type { EngineOptions } from '../../../src/contracts/engine.ts';
import { isStreamEvent, type OperativeEvent, type TurnResult } from '../../../src/contracts/events.ts';
import type {
  Delivery,
  Operative,
  OperativeOptions,
  SubmitPolicy,
  SubmitResult,
} from '../../../src/contracts/operative.ts';
import type { Block } from '../../../src/conversation/block.ts';
import { createConversation, type Conversation } from '../../../src/conversation/conversation.ts';
import { textOf, userMessage, type Message } from '../../../src/conversation/message.ts';
import { createEngine } from '../../../src/runtime/engine.ts';
import { createOperative } from '../../../src/runtime/operative.ts';
import {
  scriptedModel,
  simulatedHost,
  verifyEvents,
  verifyTranscript,
  type ScriptedModel,
  type SimulatedHost,
} from '../../../src/testing/index.ts';
import { interpreters, type Interpreter } from '../turn-bench.ts';

export { deferred, never, toolOf, type Interpreter } from '../turn-bench.ts';

export interface OperativeSetup extends Partial<EngineOptions> {
  /** Steps of a scripted model, or one function that answers every call. */
  readonly script?: Parameters<typeof scriptedModel>[0];
  readonly interpreter?: Interpreter;
  readonly host?: SimulatedHost;
  readonly conversation?: Conversation;
  /** The operative's own options. */
  readonly own?: Partial<OperativeOptions>;
}

export interface Sent {
  readonly messageId: string;
  result: SubmitResult | undefined;
  delivery: Delivery | undefined;
}

export interface OperativeBench {
  readonly operative: Operative;
  readonly host: SimulatedHost;
  readonly conversation: Conversation;
  readonly requests: ScriptedModel['requests'];
  /** Every event since the operative was made. */
  readonly events: OperativeEvent[];
  readonly sent: Sent[];
  /** Submits a message whose id is its text. */
  submit(
    message: string | Message,
    options?: { readonly policy?: SubmitPolicy; readonly turnContext?: unknown },
  ): Promise<SubmitResult>;
  /** The log in short, without streams and appends: `turn.started`, `queued B`, `completed aborted`. */
  log(): string[];
  /** The transcript in short: `user A`, `assistant Hi`, `call look`, `completed look done`. */
  lines(): string[];
  /** What the model was asked at each call: the texts of the request's messages. */
  asked(): string[][];
  results(): TurnResult[];
  /** The outcome of each submission and its fate, as `injected answered`. */
  fates(): string[];
  /** Advances the clock (default 10 s); everything must have come to rest then. Checks what must hold of every life. */
  rest(ms?: number): Promise<void>;
}

const rejections: unknown[] = [];
process.on('unhandledRejection', (reason) => rejections.push(reason));

export function startOperative(setup: OperativeSetup = {}): OperativeBench {
  const { script, interpreter, conversation: given, own, ...options } = setup;
  const host = setup.host ?? simulatedHost();
  const conversation = given ?? createConversation();
  const model = scriptedModel(script ?? answerAll, { host });
  const engine = createEngine({ transformers: [], model, ...options, host });
  const operative = createOperative({ engine, conversation, ...inspected(interpreter), ...own });
  const events: OperativeEvent[] = [];
  const sent: Sent[] = [];
  operative.subscribe((event) => events.push(event));
  return {
    operative,
    host,
    conversation,
    requests: model.requests,
    events,
    sent,
    async submit(input, submitOptions) {
      const message = typeof input === 'string' ? userMessage(input, { id: input }) : input;
      const note: Sent = { messageId: message.id, result: undefined, delivery: undefined };
      sent.push(note);
      const result = await operative.submit(message, submitOptions);
      note.result = result;
      void result.delivery.then((delivery) => (note.delivery = delivery));
      return result;
    },
    log: () => logOf(events),
    lines: () => linesOf(conversation.messages),
    asked: () => model.requests.map(({ messages }) => messages.map(textOf)),
    results: () =>
      events.flatMap((event) => {
        if (event.type !== 'turn.completed') return [];
        const { type: _type, ...result } = event;
        return [result];
      }),
    fates: () => sent.map(({ result, delivery }) => `${result?.outcome} ${delivery?.status}`),
    async rest(ms = 10_000) {
      await host.advance(ms);
      expect(['idle', 'closed']).toContain(operative.state);
      verifyEvents(events);
      verifyTranscript(conversation);
      expectExactlyOnce(sent, conversation);
      expect(host.pendingTimers()).toBe(0);
      expect(rejections).toEqual([]);
      model.verify();
    },
  };
}

/** Runs the tests on the table and under an inspector. */
export const bothWays = interpreters.map((interpreter) => [interpreter] as const);

/** Answers every call with the number of messages it saw. */
export const answerAll = ({ messages }: { readonly messages: readonly Message[] }) => ({
  text: `read ${messages.length}`,
});

/** Collects what a reader gets; `isDone` once its stream has ended. */
export function readAll(events: AsyncIterable<OperativeEvent>): {
  readonly events: OperativeEvent[];
  isDone: boolean;
} {
  const read = { events: [] as OperativeEvent[], isDone: false };
  void (async () => {
    for await (const event of events) read.events.push(event);
    read.isDone = true;
  })();
  return read;
}

export function logOf(events: readonly OperativeEvent[]): string[] {
  return events.flatMap((event) => {
    if (isStreamEvent(event)) return [];
    switch (event.type) {
      case 'message.appended':
        return [];
      case 'turn.completed':
        return [`completed ${event.reason}`];
      case 'message.injected':
        return [`injected ${event.message.id}`];
      case 'message.queued':
        return [`queued ${event.message.id}`];
      case 'message.withdrawn':
        return [`withdrawn ${event.messageId}`];
      case 'turn.reloaded':
        return [`reloaded ${event.messages}`];
      case 'assistant.settled':
        return [`said ${textOf(event.message)}`.trim()];
      case 'toolCall.settled':
        return [`${event.call.name} ${event.result.status}`];
      case 'turn.started':
      case 'operative.closed':
      case 'transcript.replaced':
      case 'transformer.applied':
      case 'transformer.failed':
      case 'toolCall.awaitingApproval':
        return [event.type];
      default:
        return [];
    }
  });
}

export function linesOf(messages: readonly Message[]): string[] {
  return messages.flatMap(({ role, content }) => content.map((block) => lineOf(role, block)));
}

function lineOf(role: string, block: Block): string {
  if (block.type === 'text') return `${role} ${block.text}`;
  if (block.type === 'toolCall') return `call ${block.name}`;
  if (block.type !== 'toolResult') return `${role} ${block.type}`;
  return block.status === 'completed' ? `completed ${textIn(block.content)}` : block.status;
}

function textIn(content: readonly Block[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : block.type)).join('');
}

// P1: what was accepted and not withdrawn is there once, everything else never.
function expectExactlyOnce(sent: readonly Sent[], { messages }: Conversation): void {
  for (const { messageId, result, delivery } of sent) {
    if (result === undefined) throw new Error(`The submit of ${messageId} was never decided.`);
    if (delivery === undefined) throw new Error(`The fate of ${messageId} was never told.`);
  }
  for (const id of new Set(sent.map(({ messageId }) => messageId))) {
    const isThere = sent.some(
      ({ messageId, delivery }) =>
        messageId === id && delivery?.status !== 'rejected' && delivery?.status !== 'withdrawn',
    );
    const times = messages.filter((message) => message.id === id).length;
    expect(`${id} ${times} times`).toBe(`${id} ${isThere ? 1 : 0} times`);
  }
}

function inspected(interpreter: Interpreter | undefined): Partial<OperativeOptions> {
  return interpreter === 'inspected' ? { inspect: () => undefined } : {};
}
