// A turn without an operative: what `Engine.run` returns.

import { createActor } from 'xstate';
import type { TurnRun } from '../contracts/engine.ts';
import type { ToolContext } from '../contracts/tool.ts';
import type { EngineEvent, TurnResult } from '../contracts/events.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Message } from '../conversation/message.ts';
import type { TurnMachineEvent } from '../machines/turn.ts';
import { Broadcaster } from '../services/broadcast.ts';
import { TurnRecord } from '../services/turn-record.ts';
import { checkOptions } from '../contracts/option-table.ts';
import { acceptMessage } from './accept-message.ts';
import { breakTurn } from './break-turn.ts';
import { commandOptions, runOptions } from './check-options.ts';
import { claimConversation, releaseConversation } from './claim.ts';
import type { EngineInternals } from './engine-internals.ts';
import { SteerLedger } from './ledger.ts';
import { createSession } from './session.ts';
import { noteActor } from './facade-actors.ts';
import { withFreshIds } from './fresh-ids.ts';
import { isStored } from './held-transcript.ts';
import { quietly } from './quietly.ts';
import { watchOf } from './watch.ts';

/** What a bare run can be given. */
export interface RunOptions {
  readonly turnContext?: unknown;
  /** Aborting it cancels the turn. */
  readonly signal?: AbortSignal;
  readonly inspectUnder?: ToolContext;
}

/** One turn from claim to release. */
export class RunningTurn implements TurnRun {
  readonly turnId: string;
  readonly result: Promise<TurnResult>;
  readonly #record: TurnRecord;
  readonly #ledger = new SteerLedger();
  #show: ((event: EngineEvent) => void) | undefined;
  readonly #events: Broadcaster<EngineEvent>;
  readonly #reader: AsyncIterable<EngineEvent>;
  readonly #actor: TurnActor;
  readonly #signal: AbortSignal | undefined;
  #resolve: (result: TurnResult) => void = () => undefined;
  #hasEnded = false;
  #storedIds: Set<string> | undefined;

  constructor(conversation: Conversation, { settings, watch: usual }: EngineInternals, options: RunOptions = {}) {
    checkOptions('Engine.run', options, runOptions);
    this.#signal = options.signal;
    const { host } = settings;
    this.turnId = host.createId('turn');
    const session = createSession(host);
    const watch = watchOf(options, settings.onListenerError, usual);
    this.#events = new Broadcaster(watch?.show === undefined ? undefined : (event) => this.#show?.(event));
    this.#reader = this.#events.read();
    const repaired = claimConversation(conversation); // after everything that a caller's mistake or a host can make throw
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#record = new TurnRecord({
      turnId: this.turnId,
      conversation,
      settings: withFreshIds(settings, (id) => this.#isTaken(id)),
      session,
      events: this.#events,
      inbox: this.#ledger,
      turnContext: options.turnContext,
      approve: settings.approve,
      watch,
    });
    const input = { scope: this.#record, stages: settings.stages };
    const { charts } = settings;
    const actor = createActor(watch === undefined ? charts.turn : charts.inspectedTurn, {
      id: 'turn',
      input,
      ...watch,
    });
    this.#actor = actor;
    noteActor(this, actor);
    this.#show = quietly(
      watch?.show?.({ parent: actor, conversation, now: () => host.now() }),
      settings.onListenerError,
    );
    this.#events.push({ type: 'turn.started', turnId: this.turnId });
    if (repaired.length > 0) {
      this.#events.push({ type: 'transcript.replaced', by: 'repair', messages: conversation.messages.length });
    }
    actor.subscribe({ complete: () => this.#end(), error: (error) => this.#break(error) });
    actor.start();
    this.#signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (this.#signal?.aborted === true) this.#onAbort(); // before the model is called
    else actor.send(startEvent);
  }

  [Symbol.asyncIterator](): AsyncIterator<EngineEvent> {
    return this.#reader[Symbol.asyncIterator]();
  }

  steer(input: string | Message): 'accepted' | 'sealed' {
    const message = acceptMessage(input, this.#record.settings.host, (id) => this.#ledger.has(id));
    if (this.#ledger.has(message.id)) return 'accepted';
    if (this.#record.isSealed) return 'sealed';
    // A message made from a text has a fresh id; one that came as a whole may be in the transcript already.
    const { messages } = this.#record.conversation;
    const isThere = typeof input !== 'string' && isStored(messages.find(({ id }) => id === message.id));
    this.#ledger.accept(message, isThere);
    return 'accepted';
  }

  cancel(options?: { readonly graceMs?: number }): Promise<TurnResult> {
    if (options !== undefined) checkOptions('cancel', options, commandOptions.cancel);
    if (!this.#hasEnded) this.#actor.send({ type: 'turn.cancel', ...options });
    return this.result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cancel();
  }

  // Called only if the host's ids are not random.
  #isTaken(id: string): boolean {
    this.#storedIds ??= new Set(this.#record.conversation.messages.map((message) => message.id));
    return this.#storedIds.has(id) || this.#ledger.has(id);
  }

  readonly #onAbort = (): void => {
    void this.cancel();
  };

  #break(error: unknown): void {
    breakTurn(this.#record, error);
    this.#end();
  }

  // After the chart's last step: whoever hears of the end may start the next turn at once.
  #end(): void {
    const { conversation } = this.#record;
    this.#hasEnded = true;
    this.#signal?.removeEventListener('abort', this.#onAbort);
    releaseConversation(conversation);
    const undrained = this.#ledger.drain();
    const result = undrained.length === 0 ? this.#record.result() : { ...this.#record.result(), undrained };
    this.#events.push({ type: 'turn.completed', ...result });
    this.#events.end();
    this.#resolve(result);
  }
}

interface TurnActor {
  start(): unknown;
  send(event: TurnMachineEvent): void;
  subscribe(observer: { complete: () => void; error: (error: unknown) => void }): unknown;
}

const startEvent = { type: 'turn.start' } as const;
