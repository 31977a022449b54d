// One turn of an operative from its claim to its end: who waits for it, what is published about it, what it runs on.

import { reasonOf, TurnchartError } from '../contracts/errors.ts';
import type { OperativeEvent, TurnResult } from '../contracts/events.ts';
import type { Host } from '../contracts/host.ts';
import type { OperativeOptions } from '../contracts/operative.ts';
import type { ToolSession } from '../contracts/tool.ts';
import type { Message } from '../conversation/message.ts';
import { noUsage } from '../conversation/usage.ts';
import type { TurnMachineInput } from '../machines/turn.ts';
import type { TurnSettings } from '../services/settings.ts';
import { appendMessage, type EventSink } from '../services/transcript.ts';
import { TurnRecord } from '../services/turn-record.ts';
import type { Watch } from '../services/watch.ts';
import { breakTurn } from './break-turn.ts';
import { makeValid } from './claim.ts';
import { TurnChannel, type EventHub } from './event-hub.ts';
import { failingSettings } from './failing-settings.ts';
import { withFreshIds } from './fresh-ids.ts';
import type { HeldTranscript } from './held-transcript.ts';
import type { Ledger } from './ledger.ts';
import type { OpenQuestion } from './open-question.ts';

/** What the turns of one conversation have in common. */
export interface TurnHome {
  readonly options: OperativeOptions;
  readonly transcript: HeldTranscript;
  readonly ledger: Ledger;
  readonly hub: EventHub;
  /** No new message may get this id. */
  isTaken(messageId: string): boolean;
  readonly parts: {
    readonly session: ToolSession;
    readonly host: Host;
    readonly watch: Watch | undefined;
    /** Called in the step that seals a turn. */
    readonly notify: () => void;
  };
}

/** The turn that is claimed or runs: a conversation has at most one. */
export class ClaimedTurn {
  readonly turnId: string;
  readonly channel: TurnChannel;
  readonly #home: TurnHome;
  readonly #turnContext: unknown;
  #settings: TurnSettings;
  /** Resumes that wait until the reload shows whether there is anything to do; the first one made the claim. */
  readonly #resumes: { readonly question: OpenQuestion; readonly events: AsyncIterable<OperativeEvent> }[] = [];
  #isAnnounced = false;
  /** What a reload brought and which messages it lacked: published once the turn is announced. */
  #reloaded: { readonly messages: number; readonly missing: readonly Message[] } | undefined;
  #error: TurnchartError | undefined;
  #record: TurnRecord | undefined;

  constructor(home: TurnHome, settings: TurnSettings, turnContext: unknown) {
    this.turnId = home.parts.host.createId('turn');
    this.channel = new TurnChannel(home.hub);
    this.#home = home;
    this.#settings = settings;
    this.#turnContext = turnContext;
  }

  /** It was claimed by a resume whose reload has yet to show whether there is anything to do. */
  get isInDoubt(): boolean {
    return this.#resumes.length > 0;
  }

  /** Answers a resume once it is known whether there is anything to do. */
  keepWaiting(question: OpenQuestion): void {
    this.#resumes.push({ question, events: this.channel.read() });
  }

  /** Reports what happens to waiting messages; to the turn's readers only once it is announced: theirs begin with that. */
  push(event: OperativeEvent): void {
    if (this.#isAnnounced) this.channel.push(event);
    else this.#home.hub.publish(event);
  }

  announce(): void {
    if (!this.#isAnnounced) {
      this.#isAnnounced = true;
      this.channel.push({ type: 'turn.started', turnId: this.turnId });
      for (const [index, { question, events }] of this.#resumes.splice(0).entries()) {
        question.answer({ outcome: index === 0 ? 'startedTurn' : 'alreadyRunning', events });
      }
    }
    const reloaded = this.#reloaded;
    if (reloaded === undefined) return;
    this.#reloaded = undefined;
    this.channel.push({ type: 'turn.reloaded', messages: reloaded.messages });
    for (const message of reloaded.missing) this.#append(message);
  }

  /** Installs what was loaded; true if there is something to answer, or the turn is announced already. */
  takeLoaded(loaded: unknown): boolean {
    const { transcript, ledger } = this.#home;
    const stored = transcript.replace(loaded);
    const missing = ledger.outstanding().filter(({ id }) => !stored.has(id));
    ledger.noteStored(stored);
    this.#reloaded = { messages: transcript.conversation.messages.length, missing };
    const isAnswerable = missing.length > 0 || transcript.isAnswerable(ledger.owes);
    // A resume with nothing to answer, but with messages that were held for the next turn meanwhile: they start this
    // one.
    if (this.#isAnnounced && !isAnswerable) ledger.startHeld();
    return this.#isAnnounced || isAnswerable;
  }

  failLoad(error: unknown): void {
    this.#error = new TurnchartError(
      'reload.failed',
      `reloadBeforeStart failed, so the turn did not start: ${reasonOf(error)}. The accepted messages are in the transcript; submit or resume tries again.`,
      { cause: error },
    );
  }

  /** Cancels the claim without a turn's events; returns the `resume` calls to answer with `nothingToDo`. */
  drop(): readonly OpenQuestion[] {
    this.channel.end(); // a repeated submission may be reading it
    // No turn reports the reload, but the transcript was replaced.
    if (this.#reloaded !== undefined) {
      const { messages } = this.#reloaded;
      this.#home.hub.publish({ type: 'transcript.replaced', by: 'reload', messages });
    }
    return this.#resumes.map(({ question }) => question);
  }

  begin(): void {
    this.announce();
    this.#checkTranscript();
    for (const message of this.#home.ledger.begin(this.turnId)) this.#append(message);
  }

  input(): TurnMachineInput {
    const settings = this.#settings;
    this.#record = recordOn(this.#home, settings, this.turnId, this.#turnContext, this.channel);
    return { scope: this.#record, stages: settings.stages };
  }

  /** Publishes its end. `unbegun`: the reason, if it ends before it began. */
  end(unbegun: 'aborted' | 'failed'): TurnResult {
    this.announce();
    this.#home.transcript.tidy();
    const result = this.#record?.result() ?? {
      turnId: this.turnId,
      reason: unbegun,
      iterations: 0,
      usage: noUsage,
      ...(this.#error === undefined ? {} : { error: this.#error }),
    };
    const { landed, late } = this.#home.ledger.end();
    for (const message of landed) this.#append(message);
    for (const message of late) this.channel.push({ type: 'message.queued', message });
    this.channel.push({ type: 'turn.completed', ...result });
    this.channel.end();
    return result;
  }

  /** Its chart died. */
  breakDown(error: unknown): void {
    if (this.#record !== undefined) breakTurn(this.#record, error);
  }

  partial(): Message | undefined {
    return this.#record?.fold?.snapshot();
  }

  // The host may have edited it by hand since the last turn.
  #checkTranscript(): void {
    const { conversation } = this.#home.transcript;
    try {
      if (makeValid(conversation).length === 0) return;
      this.channel.push({ type: 'transcript.replaced', by: 'repair', messages: conversation.messages.length });
    } catch (invalid) {
      this.#settings = failingSettings(invalid, this.#home.parts.host);
    }
  }

  #append(message: Message): void {
    appendMessage(this.#home.transcript.conversation, message, this.channel);
  }
}

/** The record of a turn on this conversation. */
export function recordOn(
  home: TurnHome,
  settings: TurnSettings,
  turnId: string,
  turnContext: unknown,
  events: EventSink,
): TurnRecord {
  const { session, watch, notify } = home.parts;
  return new TurnRecord({
    turnId,
    conversation: home.transcript.conversation,
    settings: withFreshIds(settings, (id) => home.isTaken(id)),
    session,
    events,
    inbox: home.ledger,
    onSealed: notify,
    turnContext,
    approve: home.options.approve ?? settings.approve,
    watch,
  });
}
