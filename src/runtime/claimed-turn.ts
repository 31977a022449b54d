// The turn of an operative from its claim to its end: who holds the conversation, what is told of it, and on what it runs.

import { messageOf, TurnchartError } from '../contracts/errors.ts';
import type { OperativeEvent, TurnResult } from '../contracts/events.ts';
import type { Host } from '../contracts/host.ts';
import type { OperativeOptions } from '../contracts/operative.ts';
import type { ToolSession } from '../contracts/tool.ts';
import type { Message } from '../conversation/message.ts';
import { noUsage } from '../conversation/usage.ts';
import type { TurnMachineInput } from '../machines/turn.ts';
import { Broadcaster } from '../services/broadcast.ts';
import type { TurnSettings } from '../services/settings.ts';
import { appendMessage, type EventSink } from '../services/transcript.ts';
import { TurnRecord } from '../services/turn-record.ts';
import type { Watch } from '../services/watch.ts';
import { askEngine, failingSettings } from './ask-engine.ts';
import { makeValid } from './claim.ts';
import { TurnChannel, type EventHub } from './event-hub.ts';
import { withFreshIds } from './fresh-ids.ts';
import type { HeldTranscript } from './held-transcript.ts';
import type { Ledger } from './ledger.ts';
import type { OpenQuestion } from './open-question.ts';
import { Ticket } from './ticket.ts';

/** The turn that is claimed or runs. */
export interface Claim {
  readonly turnId: string;
  readonly channel: TurnChannel;
  readonly turnContext: unknown;
  settings: TurnSettings;
  /** Resumes that wait for the reload to know whether there is anything to do; the first made the claim. */
  readonly resumes: { readonly question: OpenQuestion; readonly events: AsyncIterable<OperativeEvent> }[];
  isAnnounced: boolean;
  /** What a reload brought and what it lacked, to be told once the turn is announced. */
  reloaded: { readonly messages: number; readonly missing: readonly Message[] } | undefined;
  error: TurnchartError | undefined;
}

/** What turns of one conversation are made of. */
export interface ClaimedTurnParts {
  readonly options: OperativeOptions;
  readonly transcript: HeldTranscript;
  readonly ledger: Ledger;
  readonly hub: EventHub;
  readonly session: ToolSession;
  readonly host: Host;
  readonly watch: Watch | undefined;
  /** Wait for the next turn to begin, whoever starts it; accepted by that turn. */
  readonly notices: Message[];
  /** Called in the step that seals a turn. */
  readonly onSealed: () => void;
  /** Each claim may bring another engine, and with it another ear for what listeners throw. */
  readonly onEngine: (settings: TurnSettings) => void;
}

/** At most one turn at a time. */
export class ClaimedTurn {
  readonly #parts: ClaimedTurnParts;
  #claim: Claim | undefined;
  #record: TurnRecord | undefined;
  #ended: TurnResult | undefined;

  constructor(parts: ClaimedTurnParts) {
    this.#parts = parts;
  }

  get claim(): Claim | undefined {
    return this.#claim;
  }

  /** A turn has ended in this step, and its end is not published yet. */
  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** The end that this step has brought; told once. */
  takeEnded(): TurnResult | undefined {
    const ended = this.#ended;
    this.#ended = undefined;
    return ended;
  }

  open(turnContext: unknown): Claim {
    const { host, hub } = this.#parts;
    const claim: Claim = {
      turnId: host.createId('turn'),
      channel: new TurnChannel(hub),
      turnContext,
      settings: this.askEngine(),
      resumes: [],
      isAnnounced: false,
      reloaded: undefined,
      error: undefined,
    };
    this.#claim = claim;
    hub.hold(); // who hears of the turn should find the operative in its new state
    return claim;
  }

  askEngine(): TurnSettings {
    const { options, host, onEngine } = this.#parts;
    return askEngine(options.engine, host, onEngine);
  }

  announce(claim: Claim): void {
    if (!claim.isAnnounced) {
      claim.isAnnounced = true;
      claim.channel.push({ type: 'turn.started', turnId: claim.turnId });
      for (const [index, { question, events }] of claim.resumes.splice(0).entries()) {
        question.answer({ outcome: index === 0 ? 'startedTurn' : 'alreadyRunning', events });
      }
    }
    const { reloaded } = claim;
    if (reloaded === undefined) return;
    claim.reloaded = undefined;
    claim.channel.push({ type: 'turn.reloaded', messages: reloaded.messages });
    for (const message of reloaded.missing) this.#append(claim, message);
  }

  /** Puts what was loaded in place; true when there is something to answer, or the turn has been told of already. */
  takeLoaded(loaded: unknown): boolean {
    const claim = this.#claim;
    if (claim === undefined) return false;
    const { transcript, ledger } = this.#parts;
    const stored = transcript.replace(loaded);
    const missing = ledger.outstanding().filter(({ id }) => !stored.has(id));
    ledger.noteStored(stored);
    claim.reloaded = { messages: transcript.conversation.messages.length, missing };
    const isAnswerable = missing.length > 0 || transcript.isAnswerable(ledger.owes);
    if (claim.isAnnounced && !ledger.hasStarters && ledger.pending === 0 && !isAnswerable) {
      ledger.startHeld(); // a resume with nothing to answer, but messages held for the next turn meanwhile
    }
    return claim.isAnnounced || isAnswerable;
  }

  failLoad(error: unknown): void {
    if (this.#claim === undefined) return;
    this.#claim.error = new TurnchartError(
      'reload.failed',
      `reloadBeforeStart failed, so the turn did not start: ${messageOf(error)}. The accepted messages are in the transcript; submit or resume tries again.`,
      { cause: error },
    );
  }

  /** The claim never was; returns those who resumed in vain. */
  drop(): readonly OpenQuestion[] {
    const { hub } = this.#parts;
    const claim = this.#claim;
    this.#claim = undefined;
    hub.hold();
    claim?.channel.end(); // whoever submitted a known message meanwhile reads it
    // No turn tells of the reload, but the transcript is another one now.
    if (claim?.reloaded !== undefined) {
      hub.publish({ type: 'transcript.replaced', by: 'reload', messages: claim.reloaded.messages });
    }
    return claim?.resumes.map(({ question }) => question) ?? [];
  }

  /** It ends before it began. */
  endUnbegun(reason: 'aborted' | 'failed'): void {
    const claim = this.#claim;
    if (claim === undefined) return;
    this.#parts.hub.hold();
    this.announce(claim);
    const { turnId, error } = claim;
    const result = { turnId, reason, iterations: 0, usage: noUsage, ...(error === undefined ? {} : { error }) };
    this.#finish(claim, this.#parts.ledger.endUnbegun(), result);
  }

  begin(): void {
    const claim = this.#claim;
    if (claim === undefined) return;
    const { hub, ledger, notices } = this.#parts;
    hub.hold();
    this.announce(claim);
    this.#checkTranscript(claim);
    if (notices.length > 0) {
      ledger.startFirst(notices.splice(0).map((message) => new Ticket(message, undefined)));
    }
    for (const message of ledger.begin(claim.turnId)) this.#append(claim, message);
  }

  input(): TurnMachineInput {
    const claim = this.#claim ?? this.open(undefined);
    const { settings, turnId, turnContext, channel } = claim;
    this.#record = this.#recordFor(settings, turnId, turnContext, channel);
    return { scope: this.#record, stages: settings.stages };
  }

  finish(): void {
    const claim = this.#claim;
    const record = this.#record;
    if (claim === undefined || record === undefined) return;
    this.#parts.hub.hold();
    this.#finish(claim, this.#parts.ledger.end(), record.result());
  }

  /** Its chart died: what can be saved is landed. False where there is none. */
  breakDown(error: unknown): boolean {
    const record = this.#record;
    if (record === undefined) return false;
    record.seal();
    record.breakDown(error);
    record.conclude('failed');
    record.land();
    return true;
  }

  #recordFor(settings: TurnSettings, turnId: string, turnContext: unknown, events: EventSink): TurnRecord {
    const { transcript, ledger, session, onSealed, options, watch } = this.#parts;
    return new TurnRecord({
      turnId,
      conversation: transcript.conversation,
      settings: withFreshIds(settings, (id) => ledger.has(id) || transcript.has(id)),
      session,
      events,
      inbox: ledger,
      onSealed,
      turnContext,
      approve: options.approve ?? settings.approve,
      watch,
    });
  }

  /** What a compaction works on: no turn runs, so nobody but listeners hears of it. */
  compaction(): { readonly record: TurnRecord; readonly hasGained: () => boolean } {
    let hasGained = false;
    const push: EventSink['push'] = (event) => {
      if (event.type === 'message.appended') hasGained = true;
      // The append tells of a compaction, and only a failure is told besides.
      if (event.type !== 'transformer.applied') this.#parts.hub.publish(event);
    };
    return { record: this.#recordFor(this.askEngine(), '', undefined, { push }), hasGained: () => hasGained };
  }

  /** The rest of its events; nothing when there is no turn. */
  readEvents(): AsyncIterable<OperativeEvent> {
    return this.#claim?.channel.read() ?? nothing();
  }

  partial(): Message | undefined {
    return this.#record?.fold?.snapshot();
  }

  /** Lets go of it. */
  forget(): void {
    this.#record = undefined;
  }

  /** To its readers where there is a turn, and to every listener. */
  push(event: OperativeEvent): void {
    if (this.#claim === undefined) this.#parts.hub.publish(event);
    else this.#claim.channel.push(event);
  }

  // Only what was put behind the last turn is looked at: the host may have done that by hand.
  #checkTranscript(claim: Claim): void {
    const { conversation } = this.#parts.transcript;
    try {
      if (makeValid(conversation).length === 0) return;
      claim.channel.push({ type: 'transcript.replaced', by: 'repair', messages: conversation.messages.length });
    } catch (invalid) {
      claim.settings = failingSettings(invalid, this.#parts.host);
    }
  }

  #finish(claim: Claim, { landed, late }: ReturnType<Ledger['end']>, result: TurnResult): void {
    for (const message of landed) this.#append(claim, message);
    for (const message of late) claim.channel.push({ type: 'message.queued', message });
    claim.channel.push({ type: 'turn.completed', ...result });
    claim.channel.end();
    this.#ended = result;
    this.#claim = undefined;
    this.#record = undefined;
  }

  #append(claim: Claim, message: Message): void {
    appendMessage(this.#parts.transcript.conversation, message, claim.channel);
  }
}

/** Events that are over already. */
export function nothing(): AsyncIterable<OperativeEvent> {
  const empty = new Broadcaster<OperativeEvent>();
  const events = empty.read();
  empty.end();
  return events;
}
