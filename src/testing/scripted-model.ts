// A model that plays a script: every step is one call, and every call must have a step.

import type { Host } from '../contracts/host.ts';
import { ModelError } from '../contracts/errors.ts';
import type { Model, ModelCallOptions, ModelRequest, StreamEvent } from '../contracts/model.ts';
import { show } from './event-grammar/breach.ts';
import { eventsOf, type ScriptedStep, type ScriptedStepSource } from './scripted-step.ts';

/** Options of `scriptedModel`. */
export interface ScriptedModelOptions {
  /** Default `scripted`. */
  readonly id?: string;
  readonly info?: NonNullable<Model['info']>;
  /** The clock for `delayMs`, `paceMs` and `pingEveryMs`; steps that wait fail without it. */
  readonly host?: Pick<Host, 'setTimeout' | 'clearTimeout'>;
}

/** A scripted model that records its requests. `using model = scriptedModel([…])` verifies at the end of the block. */
export interface ScriptedModel extends Model, Disposable {
  /** One per call, in order; their arrays are copies made at the call. */
  readonly requests: readonly ModelRequest[];
  /** How often `stream` was called. */
  readonly calls: number;
  /** Throws an Error that names every step that was not used, every call without a step and every step that failed. */
  verify(): void;
}

/**
 * A model that plays `steps`, one per call. A call after the last step fails with a `ModelError` that is not
 * retryable, and makes `verify()` fail. A function instead of a list answers every call.
 */
export function scriptedModel(
  steps: readonly ScriptedStepSource[] | Extract<ScriptedStepSource, (...args: never[]) => unknown>,
  options: ScriptedModelOptions = {},
): ScriptedModel {
  const id = options.id ?? 'scripted';
  const requests: ModelRequest[] = [];
  const faults: { readonly message: string; readonly cause?: unknown }[] = [];
  let callIds = 0;
  const createCallId = () => `call_${++callIds}`;

  const missing = (index: number) => `call ${index + 1} has no step: the script has ${steps.length}`;

  async function* play(request: ModelRequest, call: ModelCallOptions, index: number): AsyncGenerator<StreamEvent> {
    const source = typeof steps === 'function' ? steps : steps[index];
    if (source === undefined) {
      throw new ModelError('model.failed', `scriptedModel "${id}": ${missing(index)}.`, { retryable: false });
    }
    const script = await prepare(source, request, call, index);
    yield* perform(script.step, script.events, call, options.host);
  }

  async function prepare(source: ScriptedStepSource, request: ModelRequest, call: ModelCallOptions, index: number) {
    try {
      const step = typeof source === 'function' ? await source(request, { index, signal: call.signal }) : source;
      if (needsClock(step) && options.host === undefined) {
        throw new Error('delayMs, paceMs and pingEveryMs need options.host, a simulatedHost');
      }
      return { step, events: eventsOf(step, createCallId) };
    } catch (cause) {
      faults.push({ message: `step ${index + 1} failed: ${String(cause)}`, cause });
      throw cause;
    }
  }

  function verify(): void {
    const total = typeof steps === 'function' ? requests.length : steps.length;
    const unused = typeof steps === 'function' ? [] : steps.slice(requests.length);
    const lines = faults.map((fault) => fault.message);
    for (const [offset, step] of unused.entries()) {
      lines.push(`step ${requests.length + offset + 1} of ${total} was not used: ${describe(step)}`);
    }
    if (lines.length === 0) return;
    const cause = faults.find((fault) => 'cause' in fault);
    throw new Error(
      `scriptedModel "${id}" was called ${requests.length} times with a script of ${total} steps:\n- ${lines.join('\n- ')}`,
      cause,
    );
  }

  return {
    id,
    ...(options.info === undefined ? {} : { info: options.info }),
    stream(request, call) {
      const index = requests.length;
      // Copied now and not at the first read, because the arrays belong to the runtime and change later.
      const copy = snapshot(request);
      requests.push(copy);
      if (typeof steps !== 'function' && index >= steps.length) faults.push({ message: missing(index) });
      return play(copy, call, index);
    },
    requests,
    get calls() {
      return requests.length;
    },
    verify,
    [Symbol.dispose]: verify,
  };
}

async function* perform(
  step: ScriptedStep,
  events: readonly unknown[],
  call: ModelCallOptions,
  host: ScriptedModelOptions['host'],
): AsyncGenerator<StreamEvent> {
  const signal = step.deaf === true ? undefined : call.signal;
  const ending = endingOf(step, events);
  const pause = (ms: number) => pauseWithPings(ms, step.pingEveryMs, call.activity, host, signal);
  const delayMs = step.delayMs ?? 0;
  const paceMs = step.paceMs ?? 0;
  if (delayMs > 0) await pause(delayMs);
  for (let position = 0; position < ending.after; position++) {
    if (position > 0 && paceMs > 0) await pause(paceMs);
    signal?.throwIfAborted();
    yield events[position] as StreamEvent; // `events` may contain anything: it is for broken models
  }
  signal?.throwIfAborted();
  if (ending.how === 'throw') throw step.throw;
  if (ending.how === 'stall') await pause(Infinity);
}

/** How the stream ends, and after how many events. The earliest ending wins. */
function endingOf(step: ScriptedStep, events: readonly unknown[]) {
  const last = events.length;
  const endings: { readonly how: 'end' | 'throw' | 'stall'; readonly after: number }[] = [{ how: 'end', after: last }];
  if (step.cutAfter !== undefined) endings.push({ how: 'end', after: step.cutAfter });
  if ('throw' in step) endings.push({ how: 'throw', after: Math.min(step.throwAfter ?? 0, last) });
  if (step.stallAfter !== undefined) endings.push({ how: 'stall', after: Math.min(step.stallAfter, last) });
  else if (step.deaf === true && endings.length === 1) {
    endings.push({ how: 'stall', after: step.events === undefined ? last - 1 : last });
  }
  // At the same position an ending that the step names wins over the natural end.
  return endings.reduce((first, other) => (other.after <= first.after ? other : first));
}

/** Waits `ms` (Infinity: forever) and calls `activity` meanwhile. Rejects with the reason when the signal aborts. */
async function pauseWithPings(
  ms: number,
  pingEveryMs: number | undefined,
  activity: (() => void) | undefined,
  host: ScriptedModelOptions['host'],
  signal: AbortSignal | undefined,
): Promise<void> {
  let left = ms;
  while (left > 0) {
    const next = Math.min(left, pingEveryMs ?? Infinity);
    await pauseFor(next, host, signal);
    left -= next;
    if (left > 0) activity?.();
  }
}

function pauseFor(ms: number, host: ScriptedModelOptions['host'], signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    const timer = ms === Infinity ? undefined : host?.setTimeout(finish, ms);
    function finish(): void {
      signal?.removeEventListener('abort', abort);
      resolve();
    }
    function abort(): void {
      host?.clearTimeout(timer);
      reject(signal?.reason);
    }
    signal?.addEventListener('abort', abort, { once: true });
  });
}

function needsClock(step: ScriptedStep): boolean {
  return [step.delayMs, step.paceMs, step.pingEveryMs].some((ms) => ms !== undefined && ms > 0);
}

function snapshot(request: ModelRequest): ModelRequest {
  return {
    ...request,
    system: [...request.system],
    messages: [...request.messages],
    tools: [...request.tools],
  };
}

function describe(step: ScriptedStepSource): string {
  if (typeof step === 'function') return `function ${step.name || '(anonymous)'}`;
  const parts = Object.entries(step).map(([key, value]) => `${key}: ${show(value)}`);
  return `{ ${parts.join(', ')} }`;
}
