// Handles the facts of a link: emits events, keeps the ledgers, and lets the chart decide what follows. The hot path is
// `audioDelta`: one look at the generation token, no step of the chart.

import type { SessionEnd } from '../machines/realtime-session.ts';
import { receiveError } from './receive-error.ts';
import { responseCreated, responseDone } from './receive-response.ts';
import { requestCall, withdrawCall } from './session-calls.ts';
import type { SessionRecord } from './session-record.ts';
import { addRealtimeUsage } from './usage-total.ts';
import type { WireFact, WireSettings } from './wire.ts';

type Fact<Type extends WireFact['type']> = Extract<WireFact, { readonly type: Type }>;

/** Handles one fact. Facts of one link come in order; duplicates change nothing. */
export function receiveFact(record: SessionRecord, fact: WireFact): void {
  if (record.isStopped && fact.type !== 'wire.closed') return;
  switch (fact.type) {
    case 'audio.delta':
      return audioDelta(record, fact);
    case 'audio.done':
      return audioDone(record, fact);
    case 'transcript.delta':
      return transcriptDelta(record, fact);
    case 'transcript.done':
      return transcriptDone(record, fact);
    case 'transcript.failed':
      return record.tell({ type: 'error', recoverable: true, code: fact.code, message: fact.message });
    case 'text.delta':
      return textDelta(record, fact);
    case 'text.done':
      return textDone(record, fact);
    case 'toolCall.requested':
      return requestCall(record, fact.responseId, fact);
    case 'toolCall.cancelled':
      for (const callId of fact.callIds) withdrawCall(record, callId);
      return;
    case 'response.created':
      return responseCreated(record, fact);
    case 'response.done':
      return responseDone(record, fact);
    case 'usage':
      return countUsage(record, fact.usage);
    case 'speech.started':
      return speechStarted(record, fact);
    case 'speech.stopped':
      record.tell(fact);
      return record.post({ type: 'speech.stopped', answers: record.settings.createsResponse !== false });
    case 'input.committed':
      return inputCommitted(record, fact);
    case 'input.cleared':
      record.acknowledgements.settle('input.cleared');
      return record.post({ type: 'input.cleared' });
    case 'input.idle':
      record.isIdleAnnounced = true;
      // It waited for the user to speak, so the user does not.
      return record.post({ type: 'speech.stopped', answers: true });
    case 'item.added':
      record.transcripts.place(fact.itemId, fact.previousItemId);
      record.ledger.confirm(fact.itemId);
      record.acknowledgements.settle(`item.added ${fact.itemId}`);
      return;
    case 'item.truncated':
    case 'item.deleted':
      record.acknowledgements.settle(`${fact.type} ${fact.itemId}`);
      return;
    case 'output.started':
    case 'output.stopped':
    case 'output.cleared':
      return outputMoved(record, fact.type);
    case 'error':
      return receiveError(record, fact);
    case 'raw':
      if (record.responses.current !== undefined) record.responses.current.heardAt = record.heardAt;
      return record.tell({ type: 'raw', provider: record.wire.provider, event: fact.event });
    case 'wire.opened':
      return record.post({ type: 'wire.opened' });
    case 'wire.closed':
      return wireClosed(record, fact);
    case 'session.created':
      record.sessionId = fact.sessionId;
      takeSettings(record, fact.settings);
      return record.post({ type: 'session.created' });
    case 'session.configured':
      return sessionConfigured(record, fact);
    case 'session.expiring':
      record.tell({ type: 'session.expiring', inMs: fact.inMs, source: fact.source });
      return record.post({ type: 'session.expiring' });
    case 'call.ringing':
      return record.tell({ type: 'call.ringing', callId: record.wire.callId ?? '' });
    case 'call.dtmf':
      return record.tell({ type: 'call.dtmf', digit: fact.digit });
    case 'call.ended':
      return callEnded(record, fact);
  }
}

function audioDelta(record: SessionRecord, fact: Fact<'audio.delta'>): void {
  const { responseId, itemId, contentIndex, audio } = fact;
  // First: it may interrupt this answer, or close the session.
  if (record.isPlayedHere) record.playback.askPlayer();
  const response = record.responses.live(responseId);
  if (response === undefined) return; // belongs to no live answer
  response.heardAt = record.heardAt;
  if (response.isSilenced) {
    // It arrived after the cut, so it was not heard, and the model must not assume that it was.
    if (!response.known.has(itemId) && response.origin !== 'outOfBand') deleteUnheard(record, itemId);
    response.known.add(itemId);
    return;
  }
  response.known.add(itemId);
  response.isHeard = true;
  const sequence = ++record.sequence;
  const begins = record.isPlayedHere
    ? record.playback.receive(responseId, itemId, contentIndex, audio.byteLength, sequence)
    : false;
  record.tell({ type: 'audio.delta', responseId, itemId, contentIndex, audio, sequence });
  if (begins) record.post({ type: 'audio.begun' });
}

function audioDone(record: SessionRecord, { responseId, itemId, contentIndex }: Fact<'audio.done'>): void {
  const response = record.responses.live(responseId);
  if (response === undefined || response.isSilenced) return;
  record.tell({ type: 'audio.done', responseId, itemId, contentIndex });
  record.playback.finishReceiving(responseId, itemId, contentIndex);
}

function deleteUnheard(record: SessionRecord, itemId: string): void {
  if (record.isPlayedHere && record.capabilities.has('outputTruncation')) {
    record.command({ type: 'item.delete', eventId: record.nextId(), itemId });
  }
}

// The model's words belong to an answer; the user's to none.
function comesThrough(
  record: SessionRecord,
  fact: { readonly role?: 'user' | 'assistant'; readonly responseId?: string },
) {
  if (fact.role === 'user' || fact.responseId === undefined) return true;
  const response = record.responses.live(fact.responseId);
  if (response === undefined || response.isSilenced) return false;
  response.heardAt = record.heardAt;
  response.isHeard = true;
  return true;
}

function transcriptDelta(record: SessionRecord, fact: Fact<'transcript.delta'>): void {
  if (!comesThrough(record, fact)) return;
  const { role, itemId, contentIndex, text } = fact;
  record.transcripts.add(itemId, contentIndex, text);
  const stage = fact.isSpeculative === true ? 'speculative' : 'final';
  record.tell({
    type: 'transcript.delta',
    role,
    itemId,
    contentIndex,
    ...place(record, itemId),
    text,
    final: false,
    stage,
  });
}

function transcriptDone(record: SessionRecord, fact: Fact<'transcript.done'>): void {
  if (!comesThrough(record, fact)) return;
  const { role, itemId, contentIndex, transcript } = fact;
  const { rest: text } = record.transcripts.finish(itemId, contentIndex, transcript);
  record.tell({
    type: 'transcript.delta',
    role,
    itemId,
    contentIndex,
    ...place(record, itemId),
    text,
    final: true,
    stage: 'final',
    transcript,
  });
}

function place(record: SessionRecord, itemId: string): { readonly previousItemId?: string } {
  const previousItemId = record.transcripts.previousOf(itemId);
  return previousItemId === undefined ? {} : { previousItemId };
}

function textDelta(record: SessionRecord, fact: Fact<'text.delta'>): void {
  if (!comesThrough(record, fact)) return;
  record.transcripts.add(fact.itemId, fact.contentIndex, fact.text);
  record.tell({ ...fact, final: false });
}

function textDone(record: SessionRecord, fact: Fact<'text.done'>): void {
  if (!comesThrough(record, fact)) return;
  const { responseId, itemId, contentIndex } = fact;
  const { rest: text } = record.transcripts.finish(itemId, contentIndex, fact.text);
  record.tell({ type: 'text.delta', responseId, itemId, contentIndex, text, final: true });
}

function speechStarted(record: SessionRecord, fact: Fact<'speech.started'>): void {
  record.tell(fact);
  record.playedMs = undefined;
  record.post({ type: 'speech.started', interrupts: record.settings.interruptsResponse !== false });
}

function inputCommitted(record: SessionRecord, { itemId, previousItemId }: Fact<'input.committed'>): void {
  record.transcripts.place(itemId, previousItemId);
  record.tell({
    type: 'speech.committed',
    itemId,
    ...(previousItemId === undefined ? {} : { previousItemId }),
  });
  record.acknowledgements.settle('input.committed');
  record.post({ type: 'input.committed', answers: record.settings.createsResponse !== false });
}

function outputMoved(record: SessionRecord, type: 'output.started' | 'output.stopped' | 'output.cleared'): void {
  // If audio is played through this process, nothing else knows when it is heard.
  if (record.isPlayedHere) return;
  record.isPlayedByServer = type === 'output.started';
  if (type === 'output.started') return record.post({ type: 'audio.begun' });
  record.acknowledgements.settle('output.cleared');
  record.post({ type: 'playback.finished' });
}

function takeSettings(record: SessionRecord, settings: WireSettings): void {
  const { detection } = record.settings;
  record.settings = { ...record.settings, ...settings };
  // A new kind of turn detection did not notice the start of the current speech and will not report its end.
  if (detection !== undefined && detection !== record.settings.detection) record.post({ type: 'detection.changed' });
}

function sessionConfigured(record: SessionRecord, { settings }: Fact<'session.configured'>): void {
  takeSettings(record, settings);
  if (record.isLive) {
    record.tell({ type: 'session.updated', ...(settings.raw === undefined ? {} : { settings: settings.raw }) });
    record.acknowledgements.settle('session.configured');
    return;
  }
  record.post({ type: 'session.configured', seeds: record.history.length });
}

function wireClosed(record: SessionRecord, fact: Fact<'wire.closed'>): void {
  record.closeCode ??= fact.code;
  record.post({ type: 'wire.closed', end: lossOf(record, fact) });
}

/** How a session ends when its link is lost. */
export function lossOf(
  record: SessionRecord,
  { code, reason, error }: Pick<Fact<'wire.closed'>, 'code' | 'reason' | 'error'>,
): SessionEnd {
  const { expiresAt = Infinity } = record.settings;
  const isExpired = record.host.now() >= expiresAt - expiryTolerance;
  const why = error?.message ?? (reason === undefined || reason === '' ? record.lastError : reason);
  return {
    reason: !record.isLive ? 'connectFailed' : isExpired ? 'expired' : 'connectionLost',
    ...(code === undefined ? {} : { code }),
    ...(why === undefined ? {} : { message: why }),
    ...(error === undefined ? {} : { error }),
  };
}

// The server's clock and ours may differ a little.
const expiryTolerance = 2_000;

function callEnded(record: SessionRecord, { why }: Fact<'call.ended'>): void {
  const told = why === undefined ? {} : { why };
  record.tell({ type: 'call.ended', callId: record.wire.callId ?? '', ...told });
  record.post({
    type: 'session.failed',
    end: { reason: 'callEnded', ...(why === undefined ? {} : { message: why }) },
  });
}

function countUsage(record: SessionRecord, usage: Fact<'usage'>['usage']): void {
  record.usage = addRealtimeUsage(record.usage, usage);
  record.tell({ type: 'usage', delta: usage, total: record.usage });
}
