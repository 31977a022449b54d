// Plays one bare turn in virtual time and checks what must hold of every turn. Used by the tests of runtime and
// services.

import { expect } from 'vitest';
import type { EngineOptions, TurnRun } from '../../src/contracts/engine.ts';
import type { EngineEvent, TurnResult } from '../../src/contracts/events.ts';
import type { Model, StreamEvent } from '../../src/contracts/model.ts';
import type { Tool } from '../../src/contracts/tool.ts';
import type { Block, ToolResultBlock } from '../../src/conversation/block.ts';
import { createConversation, type Conversation } from '../../src/conversation/conversation.ts';
import { userMessage } from '../../src/conversation/message.ts';
import { engineWith, type EngineCharts } from '../../src/embedding/engine-with.ts';
import { withTranscript } from '../../src/inspect/index.ts';
import { createEngine } from '../../src/runtime/engine.ts';
import {
  scriptedModel,
  simulatedHost,
  verifyEvents,
  verifyTranscript,
  type ScriptedModel,
  type ScriptedStepSource,
  type SimulatedHost,
} from '../../src/testing/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';

/** How the charts run: by their tables, or as XState machines under an inspector. */
export const interpreters = ['table', 'inspected'] as const;
export type Interpreter = (typeof interpreters)[number];

export interface TurnSetup extends Partial<EngineOptions> {
  /** Steps of a scripted model, or a model by `model`. Steps nobody used fail the test. */
  readonly script?: readonly ScriptedStepSource[];
  readonly interpreter?: Interpreter;
  /** Charts with replaced parts. */
  readonly charts?: EngineCharts;
  readonly host?: SimulatedHost;
  /** Default: one user message, `go`. */
  readonly conversation?: Conversation;
  readonly turnContext?: unknown;
  readonly signal?: AbortSignal;
  /** Called with each event as it is read. */
  readonly onEvent?: (event: EngineEvent, turn: Turn) => void;
}

export interface Turn {
  readonly run: TurnRun;
  readonly host: SimulatedHost;
  readonly conversation: Conversation;
  readonly model: Model;
  /** What was asked of the scripted model. */
  readonly requests: ScriptedModel['requests'];
  readonly events: EngineEvent[];
  /** Ids of the actors an inspector saw. */
  readonly actors: Set<string>;
  has(type: EngineEvent['type']): boolean;
  all<Type extends EngineEvent['type']>(type: Type): Extract<EngineEvent, { type: Type }>[];
  /** The results in the transcript, in order. */
  results(): ToolResultBlock[];
  /** The transcript in short: `user`, `assistant: text`, `call name`, `completed: text`. */
  lines(): string[];
  /** Advances this many milliseconds, in which the turn must end, and checks what must hold of every turn. */
  end(withinMs?: number): Promise<TurnResult>;
}

const rejections: unknown[] = [];
process.on('unhandledRejection', (reason) => rejections.push(reason));

const actorIds = /^(turn|prepare|shape|streamModel|delay|review|dispatchTools|close|toolCall:\d+|task_\d+|transcript)$/;

export function startTurn(setup: TurnSetup): Turn {
  const { script, interpreter, charts, conversation: given, turnContext, signal, onEvent, ...options } = setup;
  const host = setup.host ?? simulatedHost();
  const conversation = given ?? createConversation({ messages: [userMessage('go', { id: 'u1' })] });
  const scripted = scriptedModel(script ?? [], { host });
  const model = setup.model ?? scripted;
  const actors = new Set<string>();
  const inspect =
    interpreter === 'inspected'
      ? { inspect: withTranscript((event) => actors.add((event as { actorRef: { id: string } }).actorRef.id)) }
      : {};
  const all = { transformers: [], ...inspect, ...options, model, host };
  const engine = charts === undefined ? createEngine(all) : engineWith(all, charts);
  const run = engine.run(conversation, { turnContext, ...(signal === undefined ? {} : { signal }) });
  const events: EngineEvent[] = [];
  let result: TurnResult | undefined;
  void run.result.then((value) => (result = value));
  const turn: Turn = {
    run,
    host,
    conversation,
    model,
    requests: scripted.requests,
    events,
    actors,
    has: (type) => events.some((event) => event.type === type),
    all: <Type extends EngineEvent['type']>(type: Type) =>
      events.filter((event): event is Extract<EngineEvent, { type: Type }> => event.type === type),
    results: () =>
      conversation.messages.flatMap(({ content }) => content.filter((block) => block.type === 'toolResult')),
    lines: () => conversation.messages.flatMap(({ role, content }) => content.map((block) => lineOf(role, block))),
    async end(withinMs = 0) {
      await host.advance(withinMs);
      if (result === undefined) {
        throw new Error(`The turn has not ended within ${withinMs} ms. Its events: ${events.map(typeOf).join(', ')}`);
      }
      await readAll;
      expect(events.at(-1)).toEqual({ type: 'turn.completed', ...result });
      verifyEvents(events);
      verifyTranscript(conversation);
      expect(host.pendingTimers()).toBe(0);
      scripted.verify();
      expect(rejections.splice(0)).toEqual([]);
      for (const id of actors) expect(id).toMatch(actorIds);
      return result;
    },
  };
  const readAll = read();
  async function read(): Promise<void> {
    for await (const event of run) {
      events.push(event);
      onEvent?.(event, turn);
    }
  }
  return turn;
}

/** Plays a turn that needs nobody's help to its end. */
export async function playTurn(setup: TurnSetup, withinMs?: number): Promise<Turn & { readonly result: TurnResult }> {
  const turn = startTurn(setup);
  const result = await turn.end(withinMs);
  return { ...turn, result };
}

/** A tool by its name and what it does. */
export function toolOf(
  name: string,
  execute: Tool['execute'] = () => `${name} done`,
  more: Partial<Omit<Tool, 'name' | 'execute'>> = {},
): Tool {
  const tool = defineTool({ name, description: name, parameters: { type: 'object' }, execute });
  return { ...tool, ...more };
}

/** A model that yields exactly these values and ends. */
export function modelOf(...events: readonly unknown[]): Model {
  return {
    id: 'odd',
    async *stream() {
      for (const event of events) yield event as StreamEvent;
    },
  };
}

/** An object with this `then`, which promises call and tools should not return. */
export function withThen(then: PropertyDescriptor): object {
  return Object.defineProperty({}, 'then', then); // oxlint-disable-line unicorn/no-thenable -- that is what it is for
}

/** An object whose `then` throws when it is read. */
export function withoutThen(): object {
  return withThen({
    get: () => {
      throw new Error('no then');
    },
  });
}

/** A promise that never settles. */
export function never<Value = never>(): Promise<Value> {
  return new Promise(() => undefined);
}

/** A promise and its handles. */
export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (reason: unknown) => void;
}

/** A promise that settles when the test says so. */
export function deferred<Value>(): Deferred<Value> {
  let resolve: Deferred<Value>['resolve'] = () => undefined;
  let reject: Deferred<Value>['reject'] = () => undefined;
  const promise = new Promise<Value>((accept, refuse) => {
    resolve = accept;
    reject = refuse;
  });
  return { promise, resolve, reject };
}

function lineOf(role: string, block: Block): string {
  switch (block.type) {
    case 'text':
      return `${role}: ${block.text}`;
    case 'toolCall':
      return `call ${block.name}`;
    case 'toolResult':
      return `${block.status}: ${block.content.map((part) => (part.type === 'text' ? part.text : part.type)).join('')}`;
    default:
      return `${role} ${block.type}`;
  }
}

function typeOf(event: EngineEvent): string {
  return event.type;
}
