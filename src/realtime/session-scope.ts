// What the chart's actions do: commands to the server, words to the readers, entries in the ledgers. Decides nothing.

import type { InterruptionCause, RealtimeScope, ResponseInterrupt, SessionEnd } from '../machines/realtime-session.ts';
import { messageOf } from '../contracts/errors.ts';
import type { JsonValue } from '../conversation/json.ts';
import type { PlaybackCut } from './playback.ts';
import { settleResponse } from './receive-response.ts';
import { receiveFact } from './receive.ts';
import { dropCalls } from './session-calls.ts';
import type { SessionRecord } from './session-record.ts';
import type { WireConfiguration } from './wire.ts';

/** The scope of one session. Its methods are total: what user code throws is reported, and nothing else throws. */
export class SessionScope implements RealtimeScope {
  readonly record: SessionRecord;

  constructor(record: SessionRecord) {
    this.record = record;
  }

  dial(): void {
    const { record } = this;
    try {
      record.link = record.wire.dial((fact) => record.receive(fact, receiveFact));
    } catch (thrown) {
      record.post({
        type: 'wire.closed',
        end: { reason: 'connectFailed', message: messageOf(thrown), error: thrown },
      });
    }
  }

  configure(): void {
    const { record } = this;
    record.configuration = record.nextId();
    record.command({
      type: 'session.configure',
      eventId: record.configuration,
      configuration: configurationOf(record.options),
    });
  }

  seed(): void {
    const { record } = this;
    let missing = record.history.length;
    for (const item of record.history) {
      const itemId = record.nextId();
      const eventId = record.nextId();
      record.acknowledgements.expect(`item.added ${itemId}`, eventId, () => {
        missing--;
        // One that was refused was told as an error; the rest is history all the same.
        if (missing === 0) record.post({ type: 'history.seeded' });
      });
      record.command({ type: 'item.create', eventId, itemId, item });
    }
  }

  begin(): void {
    const { record } = this;
    record.isLive = true;
    const { expiresAt } = record.settings;
    record.tell({
      type: 'session.ready',
      sessionId: record.sessionId,
      ...(expiresAt === undefined ? {} : { expiresAt }),
      capabilities: [...record.capabilities],
    });
    if (record.wire.callId !== undefined) record.tell({ type: 'call.answered', callId: record.wire.callId });
    if (record.link !== undefined) record.microphone.open(record.link);
    // On a call the user is heard from the beginning.
    if (record.hasMicrophone || !record.capabilities.has('audioInProcess')) record.post({ type: 'microphone.opened' });
    record.ready.resolve();
  }

  requestReply(): void {
    const { record } = this;
    const order = record.ledger.take();
    if (order === undefined) return;
    const eventId = record.nextId();
    record.responses.ask(eventId, order);
    const raw = order.raw === undefined ? {} : { raw: order.raw };
    record.microphone.behindCommands({ type: 'response.create', eventId, request: order.request, ...raw });
  }

  recall(cause: InterruptionCause): void {
    const { record } = this;
    const debts = record.responses.recall()?.debts ?? [];
    // The user speaks: the reply comes later. Somebody wants silence: it does not come, as was asked for.
    if (cause === 'speech') record.ledger.restore(debts);
    else for (const { debtor } of debts) debtor?.begun();
    record.post({ type: 'debt.changed', owed: record.ledger.owed });
  }

  silence(cause: InterruptionCause): void {
    const { record } = this;
    const response = record.responses.current;
    if (response === undefined) return;
    response.isSilenced = true;
    response.isMissed = cause === 'speech' && !response.isHeard;
    // What is being heard is told with it; here nothing is.
    const { responseId, isTold } = response;
    if (record.playback.isEmpty && !record.isPlayedByServer && isTold) {
      record.tell({ type: 'response.interrupted', cause, responseId, estimated: false });
    }
  }

  cancelResponse(): void {
    const { record } = this;
    const { current, occupiedBy } = record.responses;
    const responseId = current?.responseId ?? (occupiedBy === '' ? undefined : occupiedBy);
    const id = responseId === undefined ? {} : { responseId };
    record.command({ type: 'response.cancel', eventId: record.nextId(), ...id });
  }

  cutOutput(cause: InterruptionCause): void {
    const { record } = this;
    if (record.isPlayedHere) this.#cutHere(cause);
    else this.#cutThere(cause);
    if (record.flushing.size === 0) record.post({ type: 'output.acknowledged' });
  }

  awaitQuiet({ ticket }: ResponseInterrupt): void {
    this.record.calls.silence();
    if (typeof ticket === 'function') this.record.quiet.push(ticket as () => void); // made by this session
  }

  giveUp(what: Parameters<RealtimeScope['giveUp']>[0]): void {
    const { record } = this;
    const { responses } = record;
    const message = `The server did not answer in time (${what}).`;
    if (what === 'request') {
      const error = record.refusal('response.timeout', message);
      for (const { debtor } of responses.recall()?.debts ?? []) debtor?.failed(error);
    }
    if (what === 'request' || what === 'recall') responses.endRequest();
    if (what === 'occupied') responses.occupiedBy = undefined;
    if (what === 'cancel' && responses.current !== undefined) {
      settleResponse(record, responses.current, 'cancelled', 'the server did not confirm it');
    }
    if (what === 'flush') record.flushing.clear();
    record.tell({ type: 'error', recoverable: true, code: 'response.timeout', message });
    record.post({ type: 'debt.changed', owed: record.ledger.owed });
  }

  announceExpiry(): void {
    const { record } = this;
    const { expiresAt } = record.settings;
    const inMs = expiresAt === undefined ? 0 : Math.max(0, expiresAt - record.host.now());
    record.tell({ type: 'session.expiring', inMs, source: 'timer' });
  }

  noteEnd(end: SessionEnd): void {
    this.record.end ??= this.#withLastWords(end);
  }

  closeLink(): void {
    const { link } = this.record;
    this.#stop();
    if (link === undefined) this.record.post({ type: 'wire.closed', end: { reason: 'connectFailed' } });
    else link.close();
  }

  finish(): void {
    const { record } = this;
    this.#stop();
    record.link?.terminate();
    const { reason = 'connectionLost', code = record.closeCode, message } = record.end ?? {};
    record.end ??= { reason };
    const error = record.closedError();
    record.acknowledgements.fail(error);
    record.ledger.fail(error);
    for (const { debtor } of record.responses.endRequest()?.debts ?? []) debtor?.failed(error);
    for (const debtor of record.responses.besideRequests.values()) debtor.failed(error);
    record.responses.besideRequests.clear();
    for (const settle of record.quiet.splice(0)) settle();
    record.tell({
      type: 'session.closed',
      reason,
      ...(code === undefined ? {} : { code }),
      ...(message === undefined ? {} : { message }),
    });
    record.events.end();
    record.ready.reject(error);
    record.closed.resolve();
  }

  toJSON(): JsonValue {
    const { sessionId, phase, sequence } = this.record;
    return { sessionId, phase, deltas: sequence };
  }

  // What the server said and tied to nothing is the best guess at why the session never was ready.
  #withLastWords(end: SessionEnd): SessionEnd {
    const { lastError } = this.record;
    const { reason, error, message = '' } = end;
    if (reason !== 'connectFailed' || error !== undefined) return end;
    if (lastError === undefined || message.includes(lastError)) return end;
    return { ...end, message: `${message} It said: ${lastError}`.trim() };
  }

  // What the player holds is over with the session; what is told of it is told once.
  #stop(): void {
    const { record } = this;
    record.isLive = false;
    record.isStopped = true;
    record.microphone.close();
    if (!record.playback.isEmpty) this.#tellCut('close', record.playback.cut());
    dropCalls(record, 'the session is closed');
    const { current, beside } = record.responses;
    for (const response of [...(current === undefined ? [] : [current]), ...beside.values()]) {
      settleResponse(record, response, 'cancelled', 'the session is closed');
    }
  }

  #cutHere(cause: InterruptionCause): void {
    const { record } = this;
    const { responses } = record;
    const beside = record.playback.queue.filter(({ responseId }) => responses.isBeside(responseId));
    const cut = record.playback.cut(cause === 'request' ? record.playedMs : undefined);
    record.playedMs = undefined;
    this.#tellCut(cause, cut);
    this.#stopBeside(new Set(beside.map(({ responseId }) => responseId)));
    if (!record.capabilities.has('outputTruncation')) return;
    // What is in no conversation is remembered by nobody.
    const inNone = new Set(beside.map(({ itemId }) => itemId));
    if (cut.truncate !== undefined && !inNone.has(cut.truncate.itemId)) {
      const eventId = this.#flush(`item.truncated ${cut.truncate.itemId}`);
      record.command({ type: 'item.truncate', eventId, ...cut.truncate });
    }
    for (const itemId of cut.unheard) {
      if (inNone.has(itemId)) continue;
      record.command({ type: 'item.delete', eventId: this.#flush(`item.deleted ${itemId}`), itemId });
    }
  }

  // No server stops an answer beside the conversation by itself.
  #stopBeside(responseIds: ReadonlySet<string>): void {
    const { record } = this;
    for (const responseId of responseIds) {
      const response = record.responses.beside.get(responseId);
      if (response === undefined || response.isSilenced) continue;
      response.isSilenced = true;
      record.command({ type: 'response.cancel', eventId: this.#flush(`response.ended ${responseId}`), responseId });
    }
  }

  // When the user speaks the provider throws its audio away by itself, and says so.
  #cutThere(cause: InterruptionCause): void {
    const { record } = this;
    record.isPlayedByServer = false;
    const responseId = record.responses.current?.responseId;
    const id = responseId === undefined ? {} : { responseId };
    record.tell({ type: 'response.interrupted', cause, ...id, estimated: false });
    const eventId = this.#flush('output.cleared');
    if (cause === 'request') record.command({ type: 'output.clear', eventId });
  }

  #flush(answer: string): string {
    const { record } = this;
    const eventId = record.nextId();
    record.flushing.add(eventId);
    record.acknowledgements.expect(answer, eventId, () => {
      if (record.flushing.delete(eventId) && record.flushing.size === 0) record.post({ type: 'output.acknowledged' });
    });
    return eventId;
  }

  #tellCut(cause: InterruptionCause | 'close', { heard }: PlaybackCut): void {
    const { record } = this;
    const current = record.responses.current;
    if (heard === undefined && current?.isSilenced !== true) return;
    const responseId = heard?.responseId ?? current?.responseId;
    const text =
      heard === undefined
        ? undefined
        : record.transcripts.heard(heard.itemId, heard.contentIndex, heard.playedMs, heard.receivedMs);
    record.tell({
      type: 'response.interrupted',
      cause,
      ...(responseId === undefined ? {} : { responseId }),
      ...(heard === undefined
        ? { estimated: false }
        : {
            itemId: heard.itemId,
            playedMs: heard.playedMs,
            receivedMs: heard.receivedMs,
            estimated: heard.estimated,
          }),
      ...(text === undefined ? {} : { heardText: text }),
    });
  }
}

function configurationOf(options: SessionRecord['options']): WireConfiguration {
  const {
    history: _history,
    playback: _playback,
    backpressure: _backpressure,
    deadlines: _deadlines,
    signal: _signal,
    host: _host,
    inspect: _inspect,
    onListenerError: _onListenerError,
    microphone: _microphone,
    ...configuration
  } = options;
  return configuration;
}
