// A real turn as data: what the models answered, what the tools returned, what was steered. For tests without either.

import type { EngineOptions, TurnRun } from '../contracts/engine.ts';
import { isModelError, messageOf, type ErrorCode } from '../contracts/errors.ts';
import type { TurnReason } from '../contracts/events.ts';
import type { Model, StreamEvent, ToolDefinition } from '../contracts/model.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { JsonValue } from '../conversation/json.ts';
import { createEngine } from '../runtime/engine.ts';

/** One call of a model. */
export interface RecordedCall {
  /** The id of the model that was called. */
  readonly model: string;
  readonly events: readonly StreamEvent[];
  /** `abandoned`: the turn stopped reading, because it was cancelled or the model was silent for too long. */
  readonly ended: 'complete' | 'failed' | 'abandoned';
  readonly error?: { readonly code?: ErrorCode; readonly message: string; readonly retryable?: boolean };
}

/** A turn, as plain JSON: it may hold whatever the conversation holds. `replayTurn` plays it. */
export interface TurnRecording {
  readonly format: 'turnchart.turn';
  readonly version: 1;
  readonly before: Conversation;
  readonly after: Conversation;
  readonly reason: TurnReason;
  /** In the order they were made, retries and the transformers' own calls included. */
  readonly calls: readonly RecordedCall[];
  /** What the models were told of the tools. */
  readonly tools: readonly ToolDefinition[];
  /** The options that decide how often what is called. */
  readonly options: Pick<EngineOptions, 'retry' | 'maxIterations' | 'toolChoice' | 'maxOutputTokens'>;
}

/** A turn that is recorded while it runs. */
export interface RecordedTurn {
  /** To read, steer and cancel as always. */
  readonly run: TurnRun;
  /** Resolves when the turn has ended; never rejects. */
  readonly recording: Promise<TurnRecording>;
}

/**
 * Runs a turn on an engine made of `options` and records it. Nothing of `conversation` is shared with the recording.
 * Throws as `createEngine` and `Engine.run` do.
 */
export function recordTurn<TurnContext = unknown>(
  options: EngineOptions<TurnContext>,
  conversation: Conversation,
  runOptions?: { readonly turnContext?: TurnContext; readonly signal?: AbortSignal },
): RecordedTurn {
  const calls: RecordedCall[] = [];
  let tools: readonly ToolDefinition[] = [];
  const recorded = (model: Model): Model => ({
    ...model,
    id: model.id,
    stream: (request, call) => {
      if (tools.length === 0) tools = request.tools;
      return recordCall(model.id, model.stream(request, call), calls, call.signal);
    },
  });
  const before = copyOf(conversation);
  const { fallbackModels, retry, maxIterations, toolChoice, maxOutputTokens } = options;
  const engine = createEngine({
    ...options,
    model: recorded(options.model),
    ...(fallbackModels === undefined ? {} : { fallbackModels: fallbackModels.map(recorded) }),
  });
  const run = engine.run(conversation, runOptions);
  const recording = run.result.then(({ reason }): TurnRecording => ({
    format: 'turnchart.turn',
    version: 1,
    before,
    after: copyOf(conversation),
    reason,
    calls,
    tools: jsonOf(tools),
    options: {
      ...(retry === undefined ? {} : { retry: jsonOf(retry) }),
      ...(maxIterations === undefined ? {} : { maxIterations }),
      ...(toolChoice === undefined ? {} : { toolChoice }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    },
  }));
  return { run, recording };
}

async function* recordCall(
  model: string,
  stream: AsyncIterable<StreamEvent>,
  calls: RecordedCall[],
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  const events: StreamEvent[] = [];
  let given: StreamEvent | undefined;
  let end: Pick<RecordedCall, 'ended' | 'error'> = { ended: 'abandoned' };
  // The place is taken when the call begins: another one may begin before this one ends.
  const place = calls.push({ model, events, ...end }) - 1;
  try {
    for await (const event of stream) {
      given = event;
      yield event;
      events.push(jsonOf(event));
      given = undefined;
    }
    end = { ended: 'complete' };
  } catch (error) {
    const code = isModelError(error) ? { code: error.code, retryable: error.retryable } : {};
    if (!signal.aborted) end = { ended: 'failed', error: { ...code, message: messageOf(error) } };
    throw error;
  } finally {
    // The turn may stop reading at an event it has read; one that a cancel overtook it has not.
    if (given !== undefined && !signal.aborted) events.push(jsonOf(given));
    calls[place] = { model, events, ...end };
  }
}

function copyOf({ system, messages }: Conversation): Conversation {
  return jsonOf({ system, messages });
}

// A transcript, a definition and a stream event are JSON by contract.
function jsonOf<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T & JsonValue;
}
