// Replays a recorded turn without its models and tools, to show what a change of the runtime, of a transformer or of a step
// does to a real session.

import type { Approval, EngineOptions, EngineSteps, TurnRun } from '../contracts/engine.ts';
import { ModelError } from '../contracts/errors.ts';
import type { EngineEvent, TurnResult } from '../contracts/events.ts';
import type { Host } from '../contracts/host.ts';
import type { Model, ModelCallOptions, ModelRequest, StreamEvent } from '../contracts/model.ts';
import type { Tool } from '../contracts/tool.ts';
import type { Transformer } from '../contracts/transformer.ts';
import type { ToolCallBlock, ToolResultBlock, ToolResultStatus } from '../conversation/block.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Message } from '../conversation/message.ts';
import { createEngine } from '../runtime/engine.ts';
import { ToolResult } from '../tools/tool-result.ts';
import { defaultTransformers } from '../transformers/default-transformers.ts';
import type { RecordedCall, TurnRecording } from './record-turn.ts';
import { simulatedHost } from './simulated-host.ts';

/** The result of replaying a recorded turn. */
export interface ReplayedTurn {
  readonly result: TurnResult;
  readonly conversation: Conversation;
  readonly events: readonly EngineEvent[];
  /** The models' requests, in order. */
  readonly requests: readonly ModelRequest[];
  /** One line for each difference of the transcript or the calls from the recording; ids do not count. */
  readonly differences: readonly string[];
}

/**
 * Plays a recording on a simulated clock: models and tools answer as they did, steered messages and a cancel come where
 * they came. `options` are the engine's options that differ from the defaults, above all `transformers`. Rejects with a
 * RangeError if `recording` is not a recording.
 */
export async function replayTurn<TurnContext = unknown>(
  recording: TurnRecording,
  options: Partial<Omit<EngineOptions<TurnContext>, 'model' | 'fallbackModels' | 'tools' | 'host'>> = {},
): Promise<ReplayedTurn> {
  // For recordings that were read from a file.
  if (!isRecording(recording)) throw new RangeError('replayTurn expects a recording made by recordTurn (version 1).');
  const { before, after, calls } = recording;
  const conversation = structuredClone(before);
  const host = simulatedHost({ seed: 1 });
  const script = new Script(recording, conversation, host);
  const [first = 'replayed', ...others] = new Set(calls.map(({ model }) => model));
  const engine = createEngine<TurnContext>({
    ...recording.options,
    ...options,
    // The ids in a recording may come from a simulated host too.
    host: { ...host, createId: (kind) => `replayed_${host.createId(kind)}` },
    model: script.model(first),
    fallbackModels: others.map((id) => script.model(id)),
    tools: script.tools(),
    transformers: [...script.transformers(), ...(options.transformers ?? defaultTransformers())],
    maxParallelTools: 1_000_000,
    approve: ({ call }) => script.approve(call.id),
    steps: { ...options.steps, ...script.steps<TurnContext>() },
  });
  const run = engine.run(conversation);
  script.begin(run);
  const events: EngineEvent[] = [];
  let isOver = false;
  const reading = (async () => {
    for await (const event of run) events.push(event);
  })();
  void run.result.then(() => (isOver = true));
  while (!isOver) await host.advance(1_000);
  await reading;
  const result = await run.result;
  const differences = [...script.differences(result), ...transcriptDifferences(after, conversation)];
  return { result, conversation, events, requests: script.requests, differences };
}

// Statuses of calls whose tool was executed.
const executed: ReadonlySet<ToolResultStatus | undefined> = new Set<ToolResultStatus>([
  'completed',
  'failed',
  'timedOut',
  'interrupted',
]);

/** Plays the parts of the models and tools as recorded, in the order in which they are called. */
class Script {
  readonly requests: ModelRequest[] = [];
  readonly #calls: readonly RecordedCall[];
  readonly #recording: TurnRecording;
  readonly #results = new Map<string, ToolResultBlock>();
  readonly #steers: readonly (readonly Message[])[];
  readonly #conversation: Conversation;
  readonly #host: Pick<Host, 'setTimeout'>;
  readonly #faults: string[] = [];
  readonly #begun: Promise<void>;
  #tellBegun: () => void = () => undefined;
  #used = 0;
  #steered = 0;
  #run: TurnRun | undefined;

  constructor(recording: TurnRecording, conversation: Conversation, host: Pick<Host, 'setTimeout'>) {
    this.#host = host;
    this.#begun = new Promise((resolve) => (this.#tellBegun = resolve));
    this.#recording = recording;
    this.#calls = recording.calls;
    this.#conversation = conversation;
    const added = addedMessages(recording);
    this.#steers = steersOf(added);
    for (const block of added.flatMap(({ content }) => content)) {
      if (block.type === 'toolResult') this.#results.set(block.callId, block);
    }
  }

  begin(run: TurnRun): void {
    this.#run = run;
    this.#steer(0);
    this.#tellBegun();
  }

  /** Holds the turn until the messages that came before its first model call are steered in. */
  transformers(): readonly Transformer[] {
    const holds: Transformer = { name: 'replay', beforeTurn: () => this.#begun.then(() => undefined) };
    return (this.#steers[0] ?? []).length > 0 ? [holds] : [];
  }

  model(id: string): Model {
    return {
      id,
      stream: (request, call) => {
        this.requests.push({ ...request, messages: [...request.messages] });
        const recorded = this.#calls[this.#used];
        this.#used += 1;
        return this.#play(recorded, id, call);
      },
    };
  }

  tools(): readonly Tool[] {
    const called = this.#calledAs((status) => status !== 'unknownTool');
    const invalid = this.#calledAs((status) => status === 'invalidArguments');
    const definitions = new Map(this.#recording.tools.map((definition) => [definition.name, definition]));
    return [...new Set([...definitions.keys(), ...called.keys()])].map((name) => ({
      name,
      definition: definitions.get(name) ?? { name, description: '', parameters: { type: 'object' } },
      isConcurrencySafe: true,
      parse: (args: unknown) =>
        invalid.get(name)?.has(JSON.stringify(args)) === true
          ? { ok: false as const, message: 'as recorded' }
          : { ok: true as const, args },
      execute: () => undefined,
    }));
  }

  approve(callId: string): Approval {
    return this.#statusOf(callId) === 'denied' ? { allow: false, message: 'as recorded' } : { allow: true };
  }

  steps<TurnContext>(): EngineSteps<TurnContext> {
    const isStarted = ({ id }: ToolCallBlock): boolean => this.#statusOf(id) !== 'notStarted';
    let running = 0;
    return {
      // Calls that had started run in parallel; the others come after them and never start.
      planCalls: (calls) => {
        const started = calls.filter(isStarted);
        running = started.filter(({ id }) => executed.has(this.#statusOf(id))).length;
        if (this.#isCancelled && running === 0) void this.#run?.cancel({ graceMs: 0 });
        return [
          ...(started.length > 0 ? [started] : []),
          ...calls.filter((call) => !isStarted(call)).map((call) => [call]),
        ];
      },
      executeTool: (_tool, _args, { callId }) => {
        running -= 1;
        const status = this.#statusOf(callId);
        // A tool that settles within the grace period keeps its result.
        if (running === 0 && this.#isCancelled) this.#host.setTimeout(() => void this.#run?.cancel({ graceMs: 5 }), 1);
        if (status === 'interrupted' || status === 'timedOut') return new Promise(() => undefined);
        const outcome = status === 'failed' ? ToolResult.error('as recorded') : undefined;
        return this.#isCancelled ? new Promise((resolve) => this.#host.setTimeout(() => resolve(outcome), 3)) : outcome;
      },
      formatToolResult: (call, result) => this.#results.get(call.id) ?? result,
      timeoutFor: ({ id }) => (this.#statusOf(id) === 'timedOut' ? 1 : undefined),
    };
  }

  /** Whether the last recorded call was made and the turn was cancelled after it. */
  get #isCancelled(): boolean {
    return this.#recording.reason === 'aborted' && this.#used === this.#calls.length;
  }

  #statusOf(callId: string): ToolResultStatus | undefined {
    return this.#results.get(callId)?.status;
  }

  /** Tool names with the arguments of the calls whose status fits. */
  #calledAs(fits: (status: ToolResultStatus | undefined) => boolean): ReadonlyMap<string, ReadonlySet<string>> {
    const found = new Map<string, Set<string>>();
    for (const block of this.#recording.after.messages.flatMap(({ content }) => content)) {
      if (block.type !== 'toolCall' || !fits(this.#statusOf(block.id))) continue;
      const known = found.get(block.name) ?? new Set();
      found.set(block.name, known.add(JSON.stringify(block.args ?? block.rawArgs)));
    }
    return found;
  }

  differences({ reason }: TurnResult): readonly string[] {
    const faults = [...this.#faults];
    const unused = this.#calls.length - this.#used;
    if (unused > 0) faults.push(`${unused} of ${this.#calls.length} recorded model calls were not made`);
    if (reason !== this.#recording.reason)
      faults.push(`the turn ended as ${reason}, recorded: ${this.#recording.reason}`);
    return faults;
  }

  async *#play(recorded: RecordedCall | undefined, id: string, call: ModelCallOptions): AsyncGenerator<StreamEvent> {
    await this.#begun;
    if (recorded === undefined) {
      this.#faults.push(`model call ${this.#used} was not recorded`);
      throw new ModelError('model.failed', `The recording has ${this.#calls.length} model calls.`, {
        retryable: false,
      });
    }
    if (recorded.model !== id) this.#faults.push(`model call ${this.#used} went to ${id}, recorded: ${recorded.model}`);
    const added = this.#conversation.messages.slice(this.#recording.before.messages.length);
    this.#steer(added.filter(({ role }) => role === 'assistant').length + 1);
    const isEnd = this.#isCancelled;
    const isSettled = recorded.events.some((event) => this.#results.has(callIdOf(event)));
    const cut = this.#recording.after.messages.at(-1)?.meta?.['cut'];
    for (const event of structuredClone(recorded.events)) {
      // The cancel came before the end of the answer.
      if (isEnd && event.type === 'message.end' && !isSettled) await this.#cancelled(call.signal);
      yield event;
    }
    // Or before the answer failed: then its text so far is kept.
    const isOpen = recorded.ended === 'abandoned' || cut !== undefined || !recorded.events.some(saysSomething);
    if (isEnd && !isSettled && isOpen) await this.#cancelled(call.signal);
    // Or while the turn waited for a retry.
    if (isEnd && !isSettled) this.#host.setTimeout(() => void this.#run?.cancel(), 1);
    if (recorded.ended === 'failed') throw errorOf(recorded);
    if (recorded.ended === 'abandoned') await aborted(call.signal); // silent until the idle timeout ends it
  }

  #cancelled(signal: AbortSignal): Promise<never> {
    void this.#run?.cancel();
    return aborted(signal);
  }

  /** Steers in the messages that came after up to this many answers, each once. */
  #steer(answers: number): void {
    for (; this.#steered <= answers; this.#steered += 1) {
      for (const message of this.#steers[this.#steered] ?? []) this.#run?.steer(structuredClone(message));
    }
  }
}

function addedMessages({ before, after }: TurnRecording): readonly Message[] {
  const known = new Set(before.messages.map(({ id }) => id));
  return after.messages.filter(({ id }) => !known.has(id));
}

/** The messages that were steered in, by the number of answers before them. */
function steersOf(added: readonly Message[]): readonly (readonly Message[])[] {
  const steers: Message[][] = [[]];
  for (const message of added) {
    if (message.role === 'assistant') steers.push([]);
    const isBoundary = message.content.some(({ type }) => type === 'boundary');
    if (message.role === 'user' && !isBoundary) steers.at(-1)?.push(message);
  }
  return steers;
}

function saysSomething(event: StreamEvent): boolean {
  return event.type === 'block' || event.type === 'thinking.end' || (event.type === 'text.delta' && event.text !== '');
}

function callIdOf(event: StreamEvent): string {
  if (event.type === 'toolInput.start') return event.id;
  return event.type === 'block' && event.block.type === 'toolCall' ? event.block.id : '';
}

function errorOf({ error }: RecordedCall): Error {
  if (error?.code === undefined) return new Error(error?.message ?? 'failed');
  return new ModelError(error.code, error.message, { retryable: error.retryable === true });
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

function transcriptDifferences(recorded: Conversation, replayed: Conversation): readonly string[] {
  const [left, right] = [withoutIds(recorded), withoutIds(replayed)];
  const length = Math.max(left.length, right.length);
  return Array.from({ length }, (_, index) => index).flatMap((index) =>
    left[index] === right[index]
      ? []
      : [`message ${index} is ${right[index] ?? 'missing'}, recorded: ${left[index] ?? 'none'}`],
  );
}

// New ids are made; a reference to another message is compared by position.
function withoutIds({ messages }: Conversation): readonly string[] {
  const places = new Map(messages.map(({ id }, index) => [id, index]));
  return messages.map(({ role, content, meta }) =>
    JSON.stringify({ role, content, meta }, (key, value: unknown) =>
      key === 'keepFrom' && typeof value === 'string' ? (places.get(value) ?? value) : value,
    ),
  );
}

function isRecording(value: unknown): value is TurnRecording {
  if (typeof value !== 'object' || value === null) return false;
  return Reflect.get(value, 'format') === 'turnchart.turn' && Reflect.get(value, 'version') === 1;
}
