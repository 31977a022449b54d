// Records a real turn as data: what models answered, what tools returned, what was steered. For replaying in tests.

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
  /** `abandoned`: the turn stopped reading because it was cancelled or the model was silent for too long. */
  readonly ended: 'complete' | 'failed' | 'abandoned';
  readonly error?: { readonly code?: ErrorCode; readonly message: string; readonly retryable?: boolean };
}

/** A turn as plain JSON, with everything in its conversation (also secrets). `replayTurn` plays it. */
export interface TurnRecording {
  readonly format: 'turnchart.turn';
  readonly version: 1;
  readonly before: Conversation;
  readonly after: Conversation;
  readonly reason: TurnReason;
  /** In order, including retries and the transformers' own calls. */
  readonly calls: readonly RecordedCall[];
  /** The tools offered to the models. */
  readonly tools: readonly ToolDefinition[];
  /** The options that decide how often models and tools are called. */
  readonly options: Pick<EngineOptions, 'retry' | 'maxIterations' | 'toolChoice' | 'maxOutputTokens'>;
}

/** A turn that is recorded while it runs. */
export interface RecordedTurn {
  /** The run, to read, steer and cancel as usual. */
  readonly run: TurnRun;
  /** Resolves when the turn has ended; never rejects. */
  readonly recording: Promise<TurnRecording>;
}

/**
 * Runs a turn on an engine made from `options` and records it. The recording shares nothing with `conversation`.
 * Throws like `createEngine` and `Engine.run`.
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
  // The position is taken when the call begins, because another call may begin before this one ends.
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
    // If the turn stops reading, it has read the last event, unless it was cancelled before it could.
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
