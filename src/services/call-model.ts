// One attempt at one model call: pumps the stream, folds it, watches for silence, and settles exactly once.

import { isModelError, isTurnchartError, messageOf, ModelError, type TurnchartError } from '../contracts/errors.ts';
import { defaultHost, type Host } from '../contracts/host.ts';
import type { Model, ModelRequest, StreamEvent } from '../contracts/model.ts';
import { Fold } from './fold.ts';
import { isThenable } from '../contracts/at-once.ts';

/** How an attempt ended. `shown`: part of the message was passed on, so readers must discard it. */
export type CallOutcome =
  | { readonly kind: 'answered'; readonly fold: Fold }
  | { readonly kind: 'failed'; readonly fold: Fold; readonly error: TurnchartError; readonly shown: boolean };

/** What an attempt needs besides the model and the request. */
export interface CallOptions {
  readonly host: Host;
  readonly idleTimeoutMs: number;
  readonly messageId: string;
  /** Receives every event in order; what the protocol does not know comes as `raw`. */
  readonly onEvent?: (event: StreamEvent) => void;
}

/** A call in progress. */
export interface ModelCall {
  readonly fold: Fold;
  /** Ends it without an outcome: the signal is aborted, later output dropped, a late rejection swallowed. */
  abandon(): void;
}

/**
 * The abort reason of everything that is cancelled. A constant: making an error for each cancel costs more than the
 * abort.
 */
export const cancelReason = new DOMException('The turn was cancelled.', 'AbortError');

// The reason on the signal of a stream that goes on after its message has ended.
const overReason = new DOMException('The message has ended.', 'AbortError');

// After its message has ended, a model has this long to end its stream; then the stream is left.
const trailingMs = 1_000;

/** Calls the model once. `settle` is called at most once, and never after `abandon`. Never throws. */
export function callModel(
  model: Model,
  request: ModelRequest,
  options: CallOptions,
  settle: (outcome: CallOutcome) => void,
): ModelCall {
  const call = new Attempt(model, options, settle);
  void call.pump(request);
  try {
    call.startWatchdog(); // after the request, so as not to delay it
  } catch (thrown) {
    call.abandon();
    throw thrown; // a host without timers
  }
  return call;
}

class Attempt implements ModelCall {
  readonly fold: Fold;
  readonly #model: Model;
  readonly #options: CallOptions;
  readonly #settle: (outcome: CallOutcome) => void;
  readonly #controller = new AbortController();
  /** Why the stream is left, for its signal. */
  #reason: unknown = overReason;
  #iterator: AsyncIterator<StreamEvent> | undefined;
  #timer: unknown;
  #limitMs: number;
  #heardAt: number;
  #shown = false;
  #ended = false;
  #over = false;

  constructor(model: Model, options: CallOptions, settle: (outcome: CallOutcome) => void) {
    const { host } = options;
    this.fold = new Fold(options.messageId, () => callIdOf(host));
    this.#model = model;
    this.#options = options;
    this.#settle = settle;
    this.#limitMs = options.idleTimeoutMs;
    this.#heardAt = host.now();
  }

  abandon(): void {
    if (this.#over) return;
    this.#reason = cancelReason;
    this.#finish();
    this.#leave();
  }

  /** Starts the idle watchdog. */
  startWatchdog(): void {
    if (!this.#over) this.#armWatchdog(this.#limitMs);
  }

  async pump(request: ModelRequest): Promise<void> {
    try {
      const stream = this.#model.stream(request, { signal: this.#controller.signal, activity: this.#heard });
      const iterator = iteratorOf(stream);
      this.#iterator = iterator;
      for (;;) {
        const step = await iterator.next();
        if (this.#over) return;
        if (step.done === true) break;
        this.#heardAt = this.#options.host.now();
        if (this.#ended) return this.#tooMuch(step.value);
        this.#take(step.value);
        if (this.#over) return;
      }
      this.#streamEnded();
    } catch (thrown) {
      if (this.#over) return;
      if (this.#ended) this.#answer();
      else this.#fail(modelErrorOf(thrown, this.#model.id));
      this.#leave(); // the stream may still be running
    }
  }

  readonly #heard = (): void => {
    if (!this.#over) this.#heardAt = this.#options.host.now();
  };

  #take(event: StreamEvent): void {
    if (event?.type === 'message.end') for (const closer of this.fold.closers()) this.#pass(closer);
    this.#pass(event);
  }

  #pass(event: StreamEvent): void {
    if (this.#over) return; // a listener of the previous event cancelled
    const taken = this.fold.take(event);
    if (typeof taken === 'object') return this.#protocolError(taken.fault);
    if (taken === 'shown' || taken === 'finished') this.#shown = true;
    if (taken === 'finished') return this.#options.onEvent?.(this.fold.withOwnBlock(event));
    if (taken !== 'ended') return this.#options.onEvent?.(taken === 'unknown' ? this.#raw(event) : event);
    this.#ended = true;
    this.#options.onEvent?.(this.#ending(event));
    if (this.#over) return;
    this.#limitMs = Math.min(this.#limitMs, trailingMs);
    this.#armWatchdog(this.#limitMs);
  }

  // Readers get the same stop reason as the settled message.
  #ending(event: StreamEvent): StreamEvent {
    const { stopReason, rawStopReason } = this.fold;
    if (event.type !== 'message.end' || event.stopReason === stopReason) return event;
    return { ...event, stopReason, ...(rawStopReason === undefined ? {} : { rawStopReason }) };
  }

  #tooMuch(event: StreamEvent): void {
    this.#options.onEvent?.(this.#raw(event));
    if (this.#over) return;
    this.#answer();
    this.#leave();
  }

  // The event as plain JSON, whatever the model put into it.
  #raw(event: unknown): StreamEvent {
    return { type: 'raw', provider: this.#model.id, event: jsonOf(event) };
  }

  #streamEnded(): void {
    if (this.#ended) return this.#answer();
    this.#fail(
      new ModelError(
        'stream.incomplete',
        `The stream of model "${this.#model.id}" ended before its "message.end" event, so the answer may be cut off.`,
        { retryable: true },
      ),
    );
  }

  #protocolError(fault: string): void {
    const text = `The model "${this.#model.id}" broke the stream protocol: ${fault}. The adapter needs a fix; \`checkModel\` finds such faults.`;
    this.#fail(new ModelError('stream.protocol', text, { retryable: false }));
    this.#leave();
  }

  // Re-armed only when it fires: an event costs one reading of the clock.
  #armWatchdog(ms: number): void {
    const { host } = this.#options;
    if (this.#timer !== undefined) host.clearTimeout(this.#timer);
    this.#timer = host.setTimeout(() => {
      this.#timer = undefined;
      if (this.#over) return;
      try {
        this.#checkSilence();
      } catch (thrown) {
        // Nothing else would report a throw in a timer's callback.
        if (!this.#over) this.#fail(modelErrorOf(thrown, this.#model.id));
        this.#leave();
      }
    }, ms);
  }

  #checkSilence(): void {
    const now = this.#options.host.now();
    if (now < this.#heardAt) this.#heardAt = now; // the clock was set back: how long the stream was silent is unknown
    const left = this.#heardAt + this.#limitMs - now;
    if (left > 0) return this.#armWatchdog(left);
    if (this.#ended) this.#answer();
    else {
      this.#fail(
        new ModelError(
          'stream.idle',
          `The model "${this.#model.id}" sent nothing for ${this.#limitMs} ms (idleTimeoutMs), so the call was ended.`,
          { retryable: true },
        ),
      );
    }
    this.#leave();
  }

  #answer(): void {
    this.#finish();
    this.#settle({ kind: 'answered', fold: this.fold });
  }

  #fail(error: TurnchartError): void {
    this.#reason = error;
    this.#finish();
    this.#settle({ kind: 'failed', fold: this.fold, error, shown: this.#shown || this.#ended });
  }

  #finish(): void {
    this.#over = true;
    const timer = this.#timer;
    this.#timer = undefined;
    try {
      if (timer !== undefined) this.#options.host.clearTimeout(timer);
    } catch {
      // The timer fires for a call that is over, and does nothing.
    }
  }

  // Leaves a stream that may still be running. Not for one that ended: an abort costs more than the rest of the call.
  #leave(): void {
    this.#controller.abort(this.#reason);
    try {
      // Awaiting it could take forever; a rejection does not matter.
      Promise.resolve(this.#iterator?.return?.()).catch(ignore);
    } catch {
      // A model whose `return` throws is left as well.
    }
  }
}

// The answer is whole already: a host that gives no id must not cost it.
function callIdOf(host: Host): string {
  try {
    return host.createId('call');
  } catch {
    return defaultHost.createId('call');
  }
}

function iteratorOf(stream: AsyncIterable<StreamEvent>): AsyncIterator<StreamEvent> {
  if (typeof stream?.[Symbol.asyncIterator] === 'function') return stream[Symbol.asyncIterator]();
  if (isThenable(stream)) Promise.resolve(stream).catch(ignore); // returned by an async function
  throw new TypeError('its stream() must return an async iterable synchronously.');
}

// Anything a model threw, as an error with a code: our own errors as they are, the rest as `model.failed`.
function modelErrorOf(thrown: unknown, modelId: string): TurnchartError {
  if (isModelError(thrown) || isTurnchartError(thrown)) return thrown;
  return new ModelError(
    'model.failed',
    `The model "${modelId}" threw something that is not a ModelError: ${messageOf(thrown)}`,
    { retryable: false, cause: thrown },
  );
}

function jsonOf(value: unknown): string | null {
  try {
    return JSON.parse(JSON.stringify(value) ?? 'null');
  } catch {
    return null;
  }
}

function ignore(): void {}
