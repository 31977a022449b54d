// What the chart's actions do: commands to the server, events for the readers, entries in the ledgers. Decides nothing.

import type { InterruptionCause, RealtimeScope, ResponseInterrupt, SessionEnd } from '../machines/realtime-session.ts';
import { messageOf, ModelError } from '../contracts/errors.ts';
import type { JsonValue } from '../conversation/json.ts';
import { cutOutput, tellCut } from './cut-output.ts';
import { giveUpResponse, settleResponse, unended } from './receive-response.ts';
import { lossOf, receiveFact } from './receive.ts';
import { dropCalls } from './session-calls.ts';
import type { QuietTicket, SessionRecord } from './session-record.ts';
import { totalLink } from './total-link.ts';
import type { WireConfiguration } from './wire.ts';

/** The scope of one session. Its methods never throw: errors of user code are reported. */
export class SessionScope implements RealtimeScope {
  readonly record: SessionRecord;

  constructor(record: SessionRecord) {
    this.record = record;
  }

  dial(): void {
    const { record } = this;
    try {
      record.link = totalLink(
        record.wire.dial((fact) => record.receive(fact, receiveFact)),
        {
          report: (thrown) => record.reportThrown(thrown),
          broke: (thrown) => record.post({ type: 'wire.closed', end: lossOf(record, { reason: messageOf(thrown) }) }),
        },
      );
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
        // A refused item was reported as an error; the rest of the history is used all the same.
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
    // On a call the user's audio starts at once.
    if (record.hasMicrophone || !record.capabilities.has('audioInProcess')) record.post({ type: 'microphone.opened' });
    record.ready.resolve();
  }

  requestReply(): void {
    const { record } = this;
    const order = record.ledger.take();
    if (order === undefined) return;
    const eventId = record.nextId();
    record.responses.ask(eventId, order);
    record.lastError = undefined;
    const raw = order.raw === undefined ? {} : { raw: order.raw };
    record.microphone.afterCommands({ type: 'response.create', eventId, request: order.request, ...raw });
  }

  recall(cause: InterruptionCause): void {
    const { record } = this;
    const debts = record.responses.recall()?.debts ?? [];
    // The user speaks: the reply comes later. Silence was requested: no reply comes.
    if (cause === 'speech') record.ledger.restore(debts);
    else for (const { waiter } of debts) waiter?.begun();
    record.post({ type: 'debt.changed', owed: record.ledger.owed });
  }

  silence(cause: InterruptionCause): void {
    const { record } = this;
    const response = record.responses.current;
    if (response === undefined) return;
    response.isSilenced = true;
    response.isMissed = cause === 'speech' && !response.isHeard;
    // An interruption of audible speech is reported with its position; here nothing is audible.
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
    cutOutput(record, cause);
    if (record.flushing.size === 0) record.post({ type: 'output.acknowledged' });
  }

  awaitQuiet({ ticket }: ResponseInterrupt): void {
    const { settle, isUser } = ticket as QuietTicket; // made by this session
    if (!isUser) this.record.calls.silence();
    this.record.quiet.push(settle);
  }

  giveUp(what: Parameters<RealtimeScope['giveUp']>[0]): void {
    const { record } = this;
    const { responses } = record;
    if (what === 'request') {
      const error = record.unanswered();
      for (const { waiter } of responses.recall()?.debts ?? []) waiter?.failed(error);
    }
    if (what === 'request' || what === 'recall') responses.endRequest();
    if (what === 'occupied') responses.occupiedBy = undefined;
    if (what === 'cancel' && responses.current !== undefined) {
      giveUpResponse(record, responses.current, 'the server did not confirm it');
    }
    if (what === 'answer' && responses.current !== undefined) giveUpResponse(record, responses.current, unended);
    if (what === 'play') record.isPlayedByServer = false;
    // Stop waiting for them: a later answer of the same kind belongs to a later question.
    if (what === 'flush') for (const eventId of record.flushing) record.acknowledgements.refuse(eventId, undefined);
    record.tell({ type: 'error', recoverable: true, ...timeoutOf(what) });
    record.post({ type: 'debt.changed', owed: record.ledger.owed });
  }

  announceExpiry(): void {
    const { record } = this;
    const { expiresAt } = record.settings;
    const inMs = expiresAt === undefined ? 0 : Math.max(0, expiresAt - record.host.now());
    record.tell({ type: 'session.expiring', inMs, source: 'timer' });
  }

  noteSilence(): void {
    const { record } = this;
    const message =
      'Nobody is at the other end of the link any more: a ping was not answered in time. Connect again for a new session.';
    this.noteEnd(lossOf(record, { error: new ModelError('model.connection', message, { retryable: true }) }));
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
    for (const { waiter } of record.responses.endRequest()?.debts ?? []) waiter?.failed(error);
    for (const waiter of record.responses.besideRequests.values()) waiter.failed(error);
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

  // An error the server tied to nothing is the best explanation of why the session never became ready.
  #withLastWords(end: SessionEnd): SessionEnd {
    const { lastError } = this.record;
    const { reason, error, message = '' } = end;
    if (reason !== 'connectFailed' || error !== undefined) return end;
    if (lastError === undefined || message.includes(lastError)) return end;
    return { ...end, message: `${message} It said: ${lastError}`.trim() };
  }

  // The player's audio ends with the session; this is reported once.
  #stop(): void {
    const { record } = this;
    record.isLive = false;
    record.isStopped = true;
    record.microphone.close();
    if (!record.playback.isEmpty) tellCut(record, 'close', record.playback.cut());
    dropCalls(record, 'the session is closed');
    const { current, beside } = record.responses;
    for (const response of [...(current === undefined ? [] : [current]), ...beside.values()]) {
      settleResponse(record, response, 'cancelled', 'the session is closed');
    }
  }
}

function timeoutOf(what: Parameters<RealtimeScope['giveUp']>[0]): { readonly code: string; readonly message: string } {
  const code = 'response.timeout';
  switch (what) {
    case 'speech':
      return {
        code: 'speech.timeout',
        message: 'The server has not said in time that the user has spoken: owed replies wait no longer.',
      };
    case 'answer':
      return { code, message: 'Nothing more came of the answer in time: it counts as ended, and is cancelled.' };
    case 'play':
      return { code, message: 'The provider has not said in time that what it plays is over: it counts as over.' };
    default:
      return { code, message: `The server did not answer in time (${what}).` };
  }
}

function configurationOf(options: SessionRecord['options']): WireConfiguration {
  const {
    history: _history,
    playback: _playback,
    backpressure: _backpressure,
    keepAlive: _keepAlive,
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
