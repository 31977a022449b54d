// The session object of the application. Made by connect.ts for every provider.

import { messageOf } from '../contracts/errors.ts';
import type { Host } from '../contracts/host.ts';
import type {
  RealtimeCapability,
  RealtimeEvent,
  RealtimeInput,
  RealtimePhase,
  RealtimeSession,
  RealtimeSessionOptions,
} from '../contracts/realtime.ts';
import type { Tool } from '../contracts/tool.ts';
import type { ToolCallBlock } from '../conversation/block.ts';
import { whenGiven } from '../services/user-code.ts';
import type { OutletLimits } from './event-outlet.ts';
import { checkInput } from './check-input.ts';
import { appendAudio, performInput } from './perform-input.ts';
import { blockOf } from './session-calls.ts';
import { SessionRecord } from './session-record.ts';
import { SessionScope } from './session-scope.ts';
import { startChart } from './session-services.ts';
import type { RealtimeWire } from './wire.ts';

const finishing: ReadonlySet<RealtimeInput['type']> = new Set([
  'toolResult.send',
  'playback.report',
  'response.interrupt',
  'call.hangup',
]);

/** A session, also while it connects: then audio is queued and other inputs wait for `ready`. */
export class LiveSession implements RealtimeSession {
  readonly #record: SessionRecord;
  readonly #abort = () => this.#end('aborted');

  constructor(wire: RealtimeWire, options: RealtimeSessionOptions) {
    const record = new SessionRecord(wire, options);
    this.#record = record;
    const scope = new SessionScope(record);
    record.chart = startChart(scope, {
      moved: (phase, isInterrupting) => {
        record.phase = phase;
        if (!isInterrupting && record.quiet.length > 0) for (const settle of record.quiet.splice(0)) settle();
      },
      broke: (error) => {
        // Nothing here throws on purpose; if it does, the session reports it and ends.
        record.phase = 'closed';
        scope.noteEnd({ reason: 'fatal', message: messageOf(error), error });
        scope.finish();
      },
      inspect: options.inspect === undefined ? undefined : (event) => this.#inspect(event),
    });
    void record.closed.promise.then(() => options.signal?.removeEventListener('abort', this.#abort));
    if (options.signal?.aborted === true) this.#end('aborted');
    else this.#connect();
  }

  get id(): string {
    return this.#record.sessionId;
  }

  get capabilities(): ReadonlySet<RealtimeCapability> {
    return this.#record.capabilities;
  }

  get phase(): RealtimePhase {
    return this.#record.phase;
  }

  get events(): AsyncIterable<RealtimeEvent> {
    return this.#record.events;
  }

  /** Settles when the session is ready, or never will be. */
  get ready(): Promise<void> {
    return this.#record.ready.promise;
  }

  /** The tools the session was made with, for the operative. */
  get tools(): readonly Tool[] {
    return this.#record.options.tools ?? [];
  }

  /** Calls without a result, for an operative that starts after the first of them arrived. */
  get openCalls(): readonly { readonly call: ToolCallBlock; readonly responseId: string }[] {
    return this.#record.calls.all.map(({ call, responseId }) => ({ call: blockOf(call), responseId }));
  }

  /** Its clock and its limits for readers, for the operative. */
  get host(): Host {
    return this.#record.host;
  }

  get outputLimits(): OutletLimits {
    return this.#record.outputLimits;
  }

  /** The error for every request once it is over. */
  get end(): SessionRecord['end'] {
    return this.#record.end;
  }

  send(input: RealtimeInput): Promise<void> {
    const record = this.#record;
    let checked: RealtimeInput;
    try {
      checked = checkInput(input, record.capabilities);
    } catch (error) {
      return ignorable(Promise.reject(error));
    }
    // While draining, running answers and tools may finish.
    if (record.end !== undefined && !(record.isLive && finishing.has(checked.type))) {
      return ignorable(Promise.reject(record.closedError()));
    }
    if (checked.type === 'audio.append') {
      const taken = appendAudio(record, checked);
      return checked.whenFull === 'wait' ? ignorable(taken) : taken;
    }
    return ignorable(record.isLive ? performInput(record, checked) : this.#sendLater(checked));
  }

  close(options?: { readonly drainMs?: number }): Promise<void> {
    // Closes whatever the options are: not the moment to be strict.
    const { drainMs } = options ?? {};
    this.#record.drainMs = typeof drainMs === 'number' && drainMs > 0 ? drainMs : 0;
    this.#end('requested');
    return this.#record.closed.promise;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #connect(): void {
    const { signal, microphone } = this.#record.options;
    signal?.addEventListener('abort', this.#abort);
    this.#record.post({ type: 'session.connect' });
    if (microphone !== undefined) void this.#listen(microphone);
  }

  #end(reason: 'requested' | 'aborted'): void {
    const drains = reason === 'requested' && this.#record.drainMs > 0;
    this.#record.post({ type: 'session.close', drains, end: { reason } });
  }

  async #sendLater(input: RealtimeInput): Promise<void> {
    await this.#record.ready.promise;
    return this.send(input);
  }

  async #listen(microphone: AsyncIterable<Uint8Array>): Promise<void> {
    const record = this.#record;
    try {
      const source = microphone[Symbol.asyncIterator]();
      // It may be waiting when the session ends: it is released then, not with its next chunk.
      void record.closed.promise.then(() => this.#letGo(source));
      for await (const audio of { [Symbol.asyncIterator]: () => source }) {
        if (record.end !== undefined) break;
        await this.send({ type: 'audio.append', audio, whenFull: 'wait' });
      }
    } catch (thrown) {
      if (record.end === undefined) record.reportThrown(thrown);
    }
  }

  async #letGo(source: AsyncIterator<Uint8Array>): Promise<void> {
    try {
      await source.return?.();
    } catch (thrown) {
      this.#record.reportThrown(thrown);
    }
  }

  #inspect(event: unknown): void {
    const record = this.#record;
    const { inspect } = record.options;
    whenGiven(
      () => (typeof inspect === 'function' ? inspect(event) : inspect?.next?.(event)),
      () => undefined,
      (thrown) => record.reportThrown(thrown),
    );
  }
}

/** A caller may ignore the outcome of an input: an ignored refusal is not an unhandled rejection. */
function ignorable(promise: Promise<void>): Promise<void> {
  promise.catch(() => undefined);
  return promise;
}
