// A world in which nothing happens until the test says so: model, tools, transformers, approvals and reloads wait at gates.
// It is the real side of the reference models; what they must agree on is told in short strings.

import type { EngineOptions } from '../../src/contracts/engine.ts';
import { ModelError } from '../../src/contracts/errors.ts';
import type { OperativeEvent } from '../../src/contracts/events.ts';
import type { Model, ModelCallOptions, StreamEvent } from '../../src/contracts/model.ts';
import type { Tool } from '../../src/contracts/tool.ts';
import type { Transformer } from '../../src/contracts/transformer.ts';
import type { Conversation } from '../../src/conversation/conversation.ts';
import { textOf, type Message } from '../../src/conversation/message.ts';
import { pairingFault } from '../../src/conversation/pairing.ts';
import { createEngine, type Engine } from '../../src/index.ts';
import { simulatedHost, type SimulatedHost } from '../../src/testing/index.ts';
import type { ModelMove } from './reference-model-end.ts';
import { bounds, type Answer, type Failure, type GateKind, type Release, type TurnSetup } from './world-terms.ts';

/**
 * A message in a few characters: `u:id`, with `~` where framed; `a:` model call, calls, `!` where cut; `t:` statuses; `b:id`
 * a compaction.
 */
export function shapeOf(message: Message): string {
  if (message.content[0]?.type === 'boundary') return `b:${message.id}`;
  if (message.role === 'user') return `u:${message.id}${message.meta?.['frame'] === undefined ? '' : '~'}`;
  if (message.role === 'tool') {
    return `t:${message.content.map((block) => (block.type === 'toolResult' ? block.status : block.type)).join(',')}`;
  }
  const calls = message.content.flatMap((block) => (block.type === 'toolCall' ? [block.name] : []));
  const cut = message.meta?.['cut'] === undefined ? '' : '!';
  return `a:${textOf(message)}${calls.length === 0 ? '' : `[${calls.join(',')}]`}${cut}`;
}

/** An event in a few characters; undefined for those the reference models do not predict. */
export function logOf(event: OperativeEvent): string | undefined {
  switch (event.type) {
    case 'turn.started':
    case 'message.start':
    case 'text.delta':
    case 'message.end':
    case 'stream.reset':
    case 'toolResults.settled':
    case 'operative.closed':
      return event.type;
    case 'turn.completed':
      return `${event.type} ${event.reason}`;
    case 'turn.reloaded':
      return `${event.type} ${event.messages}`;
    case 'message.appended':
    case 'assistant.settled':
      return `${event.type} ${shapeOf(event.message)}`;
    case 'message.injected':
    case 'message.queued':
      return `${event.type} ${event.message.id}`;
    case 'message.withdrawn':
      return `${event.type} ${event.messageId}`;
    case 'transcript.replaced':
      return event.type;
    case 'transformer.applied':
    case 'transformer.failed':
      return `${event.type} ${event.stage}`;
    case 'stream.retrying':
      return `${event.type} ${event.attempt}`;
    case 'toolCall.started':
    case 'toolCall.awaitingApproval':
      return `${event.type} ${event.call.name}`;
    default:
      return undefined;
  }
}

type Listed = StreamEvent | 'end' | Error;

class LiveCall implements AsyncIterator<StreamEvent> {
  readonly number: number;
  readonly signal: AbortSignal;
  isStarted = false;
  hasSaid = false;
  isOver = false;
  #listed: Listed[] = [];
  #wake: (() => void) | undefined;

  constructor(number: number, signal: AbortSignal) {
    this.number = number;
    this.signal = signal;
  }

  push(...listed: Listed[]): void {
    this.#listed.push(...listed);
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<StreamEvent>> {
    // Deaf to its signal, as the worst of models are.
    while (this.#listed.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const listed = this.#listed.shift();
    if (listed instanceof Error) throw listed;
    if (listed === undefined || listed === 'end') return { done: true, value: undefined };
    return { done: false, value: listed };
  }
}

const failures: Readonly<Record<Failure, () => Listed>> = {
  lost: () => new ModelError('model.connection', 'lost', { retryable: true }),
  rejected: () => new ModelError('model.rejected', 'no', { retryable: false }),
  overflow: () => new ModelError('model.contextOverflow', 'too long', { retryable: false }),
  foreign: () => new TypeError('not ours'),
  cut: () => 'end',
};

/** The gates, the engine behind them, and what was seen of it. */
export class GatedWorld {
  readonly host: SimulatedHost = simulatedHost();
  readonly requests: string[] = [];
  /** Breaches seen inside callbacks, where a throw would be taken for a failure of user code. */
  readonly faults: string[] = [];
  /** Every signal a model, tool or transformer was given. */
  readonly signals = new Set<AbortSignal>();
  readonly engine: Engine;
  /** Called wherever user code is called; a test may re-enter from here. */
  onHit: (place: string) => void = () => undefined;
  readonly #gates: Record<GateKind, ((how: Release) => void)[]> = {
    tool: [],
    transformer: [],
    approval: [],
    reload: [],
    compact: [],
  };
  readonly #setup: TurnSetup;
  readonly #all: LiveCall[] = [];
  #call: LiveCall | undefined;
  #calls = 0;
  #compactions = 0;

  constructor(setup: TurnSetup) {
    this.#setup = setup;
    this.engine = createEngine(this.options());
  }

  options(): EngineOptions {
    const { approve } = this.#setup;
    return {
      model: this.#model(),
      tools: this.#tools(),
      transformers: [...this.#transformers(), ...this.#compactors()],
      maxIterations: this.#setup.maxIterations,
      cancelGraceMs: bounds.graceMs,
      idleTimeoutMs: bounds.idleMs,
      retry: { attempts: this.#setup.retries, baseDelayMs: bounds.retryMs },
      host: { ...this.host, random: () => 1 - Number.EPSILON },
      ...(approve === 'none'
        ? {}
        : {
            approve: () => {
              this.onHit('approval');
              if (approve === 'throws') throw new Error('nobody there');
              const answer = (how: Release) =>
                how === 'ok' ? ({ allow: true } as const) : ({ allow: false, message: 'no' } as const);
              return approve === 'gated'
                ? this.gate('approval', (how) => answer(how))
                : answer(approve === 'allows' ? 'ok' : 'other');
            },
          }),
    };
  }

  /** Waits at a gate; rejects where it is released with a throw. */
  gate<Value>(kind: GateKind, value: (how: Release) => Value): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#gates[kind].push((how) =>
        how === 'throws' ? reject(new Error('released with a throw')) : resolve(value(how)),
      );
    });
  }

  /** Opens one gate of a kind, if there is one; abandoned ones are among them. */
  release(kind: GateKind, index: number, how: Release): void {
    const gates = this.#gates[kind];
    if (gates.length > 0) gates.splice(index % gates.length, 1)[0]?.(how);
  }

  /** Model calls that were neither ended nor left. */
  liveCalls(): number {
    return this.#all.filter((call) => !call.isOver && !call.signal.aborted).length;
  }

  move(move: ModelMove): void {
    if (move.do === 'say') this.say();
    else if (move.do === 'answer') this.answer(move.answer);
    else if (move.do === 'fail') {
      if (move.said) this.say();
      this.fail(move.failure);
    } else this.release(move.gate, move.index, move.how);
  }

  say(): void {
    const call = this.#call;
    if (call === undefined || call.isOver) return;
    this.#begin(call);
    this.#saidOn(call);
  }

  answer(answer: Answer): void {
    const call = this.#call;
    if (call === undefined || call.isOver) return;
    this.#begin(call);
    if (answer.text) this.#saidOn(call);
    for (const [offset, name] of answer.calls.entries()) {
      const index = offset + 1;
      const id = `c${call.number}-${offset}`;
      call.push({ type: 'toolInput.start', index, id, name: name === 'bad' ? 'quick' : name });
      call.push({ type: 'toolInput.delta', index, json: name === 'bad' ? '{"at":"x"}' : '{}' });
      call.push({ type: 'toolInput.end', index });
    }
    const natural = answer.calls.length === 0 ? 'endTurn' : 'toolUse';
    call.push({ type: 'message.end', stopReason: answer.stop === 'natural' ? natural : answer.stop }, 'end');
    call.isOver = true;
  }

  fail(failure: Failure): void {
    const call = this.#call;
    if (call === undefined || call.isOver) return;
    call.push(failures[failure]());
    call.isOver = true;
  }

  #begin(call: LiveCall): void {
    if (!call.isStarted) call.push({ type: 'message.start' });
    call.isStarted = true;
  }

  #saidOn(call: LiveCall): void {
    if (call.hasSaid) return;
    call.hasSaid = true;
    call.push({ type: 'text.start', index: 0 }, { type: 'text.delta', index: 0, text: String(call.number) });
  }

  #model(): Model {
    return {
      id: 'gated',
      stream: (request, options: ModelCallOptions) => {
        const fault = pairingFault(request.messages);
        if (fault !== undefined) this.faults.push(`request ${this.#calls + 1}: ${fault}`);
        this.requests.push(request.messages.map(shapeOf).join(' '));
        this.signals.add(options.signal);
        const call = new LiveCall(++this.#calls, options.signal);
        this.#call = call;
        this.#all.push(call);
        this.onHit('model');
        return { [Symbol.asyncIterator]: () => call };
      },
    };
  }

  #tools(): Tool[] {
    const tool = (name: string, isConcurrencySafe: boolean, execute: () => unknown): Tool => ({
      name,
      definition: { name, description: name, parameters: { type: 'object' } },
      isConcurrencySafe,
      parse: (args) =>
        Object.keys(args as object).length === 0 ? { ok: true, args } : { ok: false, message: 'no arguments, please' },
      execute: (_args, context) => {
        this.signals.add(context.signal);
        this.onHit('tool');
        return execute();
      },
    });
    const gated = () => this.gate('tool', () => 'done');
    return [
      tool('quick', true, () => 'done'),
      tool('broken', true, () => {
        throw new Error('broken');
      }),
      tool('slow', true, gated),
      tool('alone', false, gated),
    ];
  }

  #compactors(): Transformer[] {
    const { compactor } = this.#setup;
    if (compactor === 'none') return [];
    const summary = (number: number, { messages }: Conversation) => ({
      append: [
        {
          id: String(number),
          role: 'user' as const,
          content: [{ type: 'boundary' as const, summary: 'all', keepFrom: messages.at(-1)?.id ?? '' }],
        },
      ],
    });
    return [
      {
        name: 'compactor',
        compact: (conversation, context) => {
          const number = ++this.#compactions;
          this.signals.add(context.signal);
          this.onHit('compact');
          if (compactor === 'throws') throw new Error('no summary');
          if (compactor === 'idle') return undefined;
          return compactor === 'gains'
            ? summary(number, conversation)
            : this.gate('compact', (how) => (how === 'ok' ? summary(number, conversation) : undefined));
        },
      },
    ];
  }

  #transformers(): Transformer[] {
    return (['beforeTurn', 'beforeIteration', 'afterIteration', 'afterTurn'] as const).flatMap((stage) =>
      this.#setup.stages[stage].map((mode, index): Transformer => {
        const rewrite = (conversation: Conversation) => {
          const messages = [...conversation.messages];
          return stage === 'beforeIteration' ? { messages } : { conversation: { ...conversation, messages } };
        };
        return {
          name: `${stage} ${index}`,
          [stage]: (conversation: Conversation, context: { readonly signal: AbortSignal }) => {
            this.signals.add(context.signal);
            this.onHit('transformer');
            if (mode === 'throws') throw new Error('no');
            if (mode === 'ok') return undefined;
            const rewritten = rewrite(conversation);
            return mode === 'rewrites'
              ? rewritten
              : this.gate('transformer', (how) => (how === 'ok' ? undefined : rewritten));
          },
        };
      }),
    );
  }
}
