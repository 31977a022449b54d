// The conformance suite for models: what an adapter must do for the runtime to keep its promises.

import { isModelError, messageOf } from '../contracts/errors.ts';
import type { Model, ModelRequest, StreamEvent } from '../contracts/model.ts';
import { isStreamEvent } from '../contracts/events.ts';
import type { MaybePromise } from '../contracts/transformer.ts';
import { userMessage } from '../conversation/message.ts';
import { beginAttempt, readStreamEvent } from './event-grammar/attempt.ts';
import { expect, show } from './event-grammar/breach.ts';
import { settlesWithin } from './real-time.ts';
import { deepFreeze, runChecks, within, type Check } from './run-checks.ts';

/** Makes a fresh model for one check. */
export type MakeModel = () => MaybePromise<Model>;

/** Options of `checkModel`. */
export interface CheckModelOptions {
  /** The request of every call. Default: one user message, "Say hello." */
  readonly request?: ModelRequest;
  /** Milliseconds an aborted or abandoned call may take to end. Default 1,000. */
  readonly promptMs?: number;
  /** Milliseconds a whole answer may take. Default 10,000. */
  readonly answerMs?: number;
  /** A model whose provider falls silent, at once or after some events. */
  readonly stalled?: MakeModel;
  /** A model whose connection ends in the middle of an answer. */
  readonly cut?: MakeModel;
  /** A model whose provider refuses the request. */
  readonly refused?: MakeModel;
}

/**
 * Runs every check and resolves to the names of those that passed; rejects with an Error that lists all that failed.
 * Needs no test framework. `makeModel` returns a model whose provider (a fake transport, a recording) answers
 * `options.request` any number of times. The checks for silence, lost connections and refusals run only with
 * `options.stalled`, `cut` and `refused`.
 */
export async function checkModel(makeModel: MakeModel, options: CheckModelOptions = {}): Promise<readonly string[]> {
  return runChecks('checkModel', checksOf(makeModel, options));
}

function checksOf(makeModel: MakeModel, options: CheckModelOptions): Check[] {
  const request = options.request ?? { system: [], messages: [userMessage('Say hello.')], tools: [] };
  const promptMs = options.promptMs ?? 1_000;
  const answerMs = options.answerMs ?? 10_000;
  const { stalled, cut, refused } = options;
  const answer = async (model: Model) => {
    const call = begin(model, request);
    await within(answerMs, 'the answer', call.rest());
    return call;
  };

  const checks: Check[] = [
    {
      name: 'has an id',
      async run() {
        const model = await makeModel();
        expect(typeof model.id === 'string' && model.id !== '', 'expected a string that is not empty');
      },
    },
    {
      name: 'yields events in protocol order and ends with message.end',
      async run() {
        const call = await answer(await makeModel());
        expectProtocol(call.events);
        expectEnded(call.events);
      },
    },
    {
      name: 'serves two calls at once',
      async run() {
        const model = await makeModel();
        for (const call of await Promise.all([answer(model), answer(model)])) {
          expectProtocol(call.events);
          expectEnded(call.events);
        }
      },
    },
    {
      name: 'does not change the request',
      async run() {
        const model = await makeModel();
        const { system, messages, tools } = structuredClone({
          system: request.system,
          messages: request.messages,
          tools: request.tools,
        });
        const frozen = deepFreeze({ ...request, system, messages, tools });
        // In module code a write to a frozen object throws: the answer then fails.
        const call = begin(model, frozen);
        await within(answerMs, 'the answer to a frozen request', call.rest());
        expectEnded(call.events);
      },
    },
    {
      name: 'ends when its signal was aborted before the call',
      async run() {
        const call = begin(await makeModel(), request, AbortSignal.abort());
        await within(promptMs, 'the end of a call that was aborted before it began', settled(call.rest()));
        expect(!hasEnded(call.events), 'expected no whole answer to a call that was aborted before it began');
      },
    },
    {
      name: 'ends when its signal is aborted after the first event',
      run: async () => expectEndsOnAbort(await makeModel(), request, promptMs, answerMs),
    },
    {
      name: 'ends when its reader leaves',
      async run() {
        const call = begin(await makeModel(), request);
        await within(answerMs, 'the first event', call.next());
        await within(promptMs, 'the end of a stream whose reader left', call.leave());
      },
    },
  ];
  if (stalled !== undefined) {
    checks.push({
      name: 'ends when its signal is aborted while the provider is silent',
      async run() {
        const controller = new AbortController();
        const call = begin(await stalled(), request, controller.signal);
        const rest = settled(call.rest());
        expect(
          !(await settlesWithin(rest, promptMs)),
          `expected options.stalled to give a stream that stalls, but it ended within ${promptMs} ms`,
        );
        controller.abort();
        await within(promptMs, 'the end of a silent stream after its signal was aborted', rest);
        expect(!hasEnded(call.events), 'expected no message.end from a provider that fell silent');
      },
    });
  }
  if (cut !== undefined) {
    checks.push({
      name: 'does not treat a lost connection as an answer',
      async run() {
        const call = begin(await cut(), request);
        const thrown = await within(answerMs, 'the end of a cut stream', settled(call.rest()));
        expectProtocol(call.events);
        expect(!hasEnded(call.events), 'expected no message.end from a connection that was cut');
        expectModelError(thrown);
      },
    });
  }
  if (refused !== undefined) {
    checks.push({
      name: 'throws a ModelError when the provider refuses',
      async run() {
        const call = begin(await refused(), request);
        const thrown = await within(answerMs, 'the refusal', settled(call.rest()));
        expect(thrown !== undefined, 'expected a ModelError, but the stream ended without one');
        expectModelError(thrown);
      },
    });
  }
  return checks;
}

async function expectEndsOnAbort(
  model: Model,
  request: ModelRequest,
  promptMs: number,
  answerMs: number,
): Promise<void> {
  const controller = new AbortController();
  const call = begin(model, request, controller.signal);
  await within(answerMs, 'the first event', call.next());
  controller.abort();
  await within(promptMs, 'the end of a stream whose signal was aborted', settled(call.rest()));
  expectProtocol(call.events);
}

/** One call and the events it has yielded. */
interface Call {
  readonly events: StreamEvent[];
  next(): Promise<boolean>;
  rest(): Promise<void>;
  leave(): Promise<unknown>;
}

function begin(model: Model, request: ModelRequest, signal: AbortSignal = new AbortController().signal): Call {
  const events: StreamEvent[] = [];
  const iterator = model.stream(request, { signal })[Symbol.asyncIterator]();
  async function next(): Promise<boolean> {
    const step = await iterator.next();
    if (step.done === true) return false;
    events.push(step.value);
    return true;
  }
  return {
    events,
    next,
    async rest() {
      while (await next());
    },
    leave: async () => iterator.return?.(),
  };
}

function expectProtocol(events: readonly StreamEvent[]): void {
  const attempt = beginAttempt();
  for (const [index, event] of events.entries()) {
    try {
      const isObject = typeof event === 'object' && event !== null;
      expect(isObject && isStreamEvent(event), 'one of the known stream events');
      expect(attempt.state !== 'ended', 'nothing after message.end');
      readStreamEvent(attempt, event);
    } catch (error) {
      throw new Error(`event ${index}, ${show(event)}: expected ${messageOf(error)}`, { cause: error });
    }
  }
}

function hasEnded(events: readonly StreamEvent[]): boolean {
  return events.some((event) => event?.type === 'message.end');
}

function expectEnded(events: readonly StreamEvent[]): void {
  expect(hasEnded(events), `expected message.end before the stream ends, after ${events.length} events`);
}

function expectModelError(thrown: { readonly error: unknown } | undefined): void {
  if (thrown === undefined) return;
  expect(
    isModelError(thrown.error),
    `expected a ModelError, but it threw ${show(thrown.error)} (${messageOf(thrown.error)})`,
  );
}

/** What the work rejected with; undefined if it did not reject. */
function settled(work: Promise<unknown>): Promise<{ readonly error: unknown } | undefined> {
  return work.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
}
