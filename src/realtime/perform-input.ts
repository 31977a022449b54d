// Carries out an input: sends commands to the server and makes entries in the ledgers. The chart decides when the model
// speaks. Called by session.ts with validated inputs.

import { messageOf, TurnchartError } from '../contracts/errors.ts';
import type { RealtimeInput, RealtimeResponseRequest } from '../contracts/realtime.ts';
import type { Waiter } from './reply-ledger.ts';
import { resultText } from './result-text.ts';
import { answeredByHand, sendResult } from './session-calls.ts';
import { openPromise, type QuietTicket, type SessionRecord } from './session-record.ts';
import { steerCall } from './steer-call.ts';
import type { WireCommand, WireItem } from './wire.ts';

type Input<Type extends RealtimeInput['type']> = Extract<RealtimeInput, { readonly type: Type }>;

/** Resolves when the server has acknowledged it; at once if it acknowledges nothing. */
export function performInput(record: SessionRecord, input: RealtimeInput): Promise<void> {
  switch (input.type) {
    case 'audio.append':
      return appendAudio(record, input);
    case 'audio.commit':
      return commit(record);
    case 'audio.clear':
      return clear(record);
    case 'activity.start':
      record.post({ type: 'activity.started' });
      return interrupt(record, undefined, true);
    case 'activity.end':
      return endActivity(record);
    case 'text.send':
      return sendText(record, input);
    case 'image.send':
      return sendImage(record, input);
    case 'response.request':
      return requestResponse(record, requestOf(input));
    case 'response.interrupt':
      return interrupt(record, input.playedMs);
    case 'session.update':
      return update(record, input);
    case 'playback.report':
      reportPlayback(record, input);
      return done;
    case 'toolResult.send':
      return sendToolResult(record, input);
    case 'raw.send':
      return sendRaw(record, input);
    case 'call.hangup':
    case 'call.refer':
    case 'call.dtmf':
      return steerCall(record, input);
  }
}

const done: Promise<void> = Promise.resolve();

/** The hot path: a step of the chart for the first chunk only. */
export function appendAudio(
  record: SessionRecord,
  { audio, whenFull }: Pick<Input<'audio.append'>, 'audio' | 'whenFull'>,
): Promise<void> {
  if (audio.byteLength === 0) return done;
  record.microphone.append(audio);
  if (!record.hasMicrophone) {
    record.hasMicrophone = true;
    record.post({ type: 'microphone.opened' });
  }
  return whenFull === 'wait' ? roomFor(record) : done;
}

async function roomFor(record: SessionRecord): Promise<void> {
  await record.microphone.room();
  if (record.isStopped) throw record.closedError(); // waiting audio was dropped
}

function acknowledged(
  record: SessionRecord,
  answer: string,
  send: (eventId: string) => void,
  refuse?: () => void,
): Promise<void> {
  const { promise, resolve, reject } = openPromise();
  const eventId = record.nextId();
  record.acknowledgements.expectInTime(answer, eventId, (error, isRefused) => {
    if (isRefused && error !== undefined) refuse?.();
    if (error === undefined) resolve();
    else reject(error);
  });
  send(eventId);
  return promise;
}

function commit(record: SessionRecord): Promise<void> {
  const committed = acknowledged(record, 'input.committed', (eventId) =>
    record.microphone.follow({ type: 'audio.commit', eventId }),
  );
  endSpeech(record, 'input.committed');
  return committed;
}

function clear(record: SessionRecord): Promise<void> {
  record.microphone.clear();
  const cleared = acknowledged(record, 'input.cleared', (eventId) =>
    record.microphone.follow({ type: 'audio.clear', eventId }),
  );
  endSpeech(record, 'input.cleared');
  return cleared;
}

// Taking the speech out of the server's buffer ends it: no event of the server is needed.
function endSpeech(record: SessionRecord, type: 'input.committed' | 'input.cleared'): void {
  record.post(type === 'input.cleared' ? { type } : { type, answers: record.settings.createsResponse !== false });
}

// The answer is requested after the commit, which may still wait for audio. It covers everything that arrived
// meanwhile.
function endActivity(record: SessionRecord): Promise<void> {
  const committed = commit(record);
  const { promise: answered, resolve, reject } = openPromise();
  record.ledger.add({ cause: 'client', waiter: { begun: resolve, failed: reject } });
  record.post({ type: 'debt.changed', owed: record.ledger.owed });
  record.post({ type: 'activity.ended' });
  return settledTogether(committed, answered);
}

async function settledTogether(first: Promise<void>, second: Promise<void>): Promise<void> {
  await Promise.all([first, second]);
}

function sendText(record: SessionRecord, { text, role = 'user', respond = 'auto' }: Input<'text.send'>): Promise<void> {
  return addItem(record, { kind: 'message', role, content: [{ type: 'text', text }] }, respond);
}

function sendImage(record: SessionRecord, { image, text, respond = 'auto' }: Input<'image.send'>): Promise<void> {
  const words = text === undefined || text === '' ? [] : [{ type: 'text' as const, text }];
  return addItem(record, { kind: 'message', role: 'user', content: [...words, image] }, respond);
}

function addItem(record: SessionRecord, item: WireItem, respond: 'auto' | 'now' | 'never'): Promise<void> {
  const itemId = record.nextId();
  record.ledger.sent(itemId);
  const send = (eventId: string) => record.microphone.afterCommands({ type: 'item.create', eventId, itemId, item });
  const promise = acknowledged(record, `item.added ${itemId}`, send, () => {
    record.ledger.forget(itemId);
    record.post({ type: 'debt.changed', owed: record.ledger.owed });
  });
  if (respond === 'never') return promise;
  record.ledger.add({ cause: 'client', items: [itemId], ...(respond === 'now' ? { request: {} } : {}) });
  record.post({ type: 'debt.changed', owed: record.ledger.owed });
  return promise;
}

function requestOf({ type: _, ...request }: Input<'response.request'>): RealtimeResponseRequest {
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined && value !== false));
}

function requestResponse(
  record: SessionRecord,
  request: RealtimeResponseRequest,
  raw?: Extract<WireCommand, { readonly type: 'response.create' }>['raw'],
): Promise<void> {
  const { promise, resolve, reject } = openPromise();
  const waiter = { begun: resolve, failed: reject };
  if (request.outOfBand === true) {
    const lacks = 'This session cannot answer beside the conversation: it lacks the capability "outOfBandResponses".';
    if (!record.capabilities.has('outOfBandResponses')) return refused(lacks);
    const eventId = record.nextId();
    record.responses.besideRequests.set(eventId, inTime(record, eventId, waiter));
    record.command({ type: 'response.create', eventId, request, ...(raw === undefined ? {} : { raw }) });
    return promise;
  }
  record.ledger.add({ cause: 'client', request, waiter, ...(raw === undefined ? {} : { raw }) });
  record.post({ type: 'debt.changed', owed: record.ledger.owed });
  return promise;
}

// An out-of-band answer passes no region of the chart, which gives other answers their deadlines.
function inTime(record: SessionRecord, eventId: string, waiter: Waiter): Waiter {
  const { host, deadlines, responses } = record;
  const late = () => {
    responses.besideRequests.delete(eventId);
    waiter.failed(record.unanswered());
  };
  const timer = record.startTimer(deadlines.responseMs, late);
  return {
    begun: () => {
      host.clearTimeout(timer);
      waiter.begun();
    },
    failed: (error) => {
      host.clearTimeout(timer);
      waiter.failed(error);
    },
  };
}

function interrupt(record: SessionRecord, playedMs: number | undefined, isUser = false): Promise<void> {
  const { promise, resolve } = openPromise();
  const ticket: QuietTicket = { settle: resolve, isUser };
  record.playedMs = playedMs;
  record.post({ type: 'response.interrupt', ticket });
  return promise;
}

function update(record: SessionRecord, { type: _, ...changes }: Input<'session.update'>): Promise<void> {
  return acknowledged(record, 'session.configured', (eventId) =>
    record.command({ type: 'session.update', eventId, changes }),
  );
}

function reportPlayback({ playback }: SessionRecord, input: Input<'playback.report'>): void {
  if ('mark' in input) return playback.reportMark(input.mark);
  const { itemId, contentIndex = 0 } = input;
  if ('playedBytes' in input) playback.reportBytes(itemId, contentIndex, input.playedBytes);
  else playback.report(itemId, contentIndex, input.playedMs);
}

function sendToolResult(record: SessionRecord, input: Input<'toolResult.send'>): Promise<void> {
  const { callId, result, respond = 'auto' } = input;
  if (record.calls.find(callId) === undefined) {
    return refused(`No call "${callId}" waits for a result: it is unknown, or has its result already.`);
  }
  const { promise, resolve, reject } = openPromise();
  sendResult(record, callId, resultText(result), respond, (error) => (error === undefined ? resolve() : reject(error)));
  return promise;
}

function sendRaw(record: SessionRecord, input: Input<'raw.send'>): Promise<void> {
  let raw: unknown;
  try {
    raw = 'json' in input ? JSON.parse(input.json) : input.payload;
  } catch (thrown) {
    return refused(`The text of "raw.send" is not JSON: ${messageOf(thrown)}`);
  }
  const reading = record.wire.readRaw(raw);
  if ('refused' in reading) return refused(reading.refused);
  return Promise.all(reading.commands.map((command) => sendCommand(record, command))).then(() => undefined);
}

// What has a region of the chart goes through it; the rest is sent unchanged.
function sendCommand(record: SessionRecord, command: WireCommand): Promise<void> {
  switch (command.type) {
    case 'response.create':
      return requestResponse(record, command.request, command.raw ?? {});
    case 'response.cancel':
      return isOfCurrent(record, command.responseId) ? interrupt(record, undefined) : pass(record, command);
    case 'audio.append':
      return appendAudio(record, command);
    case 'audio.clear':
      record.microphone.clear();
      return endingSpeech(record, 'input.cleared', command);
    case 'audio.commit':
      return endingSpeech(record, 'input.committed', command);
    case 'session.update':
      return acknowledgedAs(record, 'session.configured', command);
    case 'session.configure':
    case 'item.create':
    case 'item.truncate':
    case 'item.delete':
    case 'output.clear':
      return pass(record, command);
    case 'raw':
      if (command.answers !== undefined) answeredByHand(record, command.answers);
      return pass(record, command);
  }
}

function endingSpeech(
  record: SessionRecord,
  answer: 'input.committed' | 'input.cleared',
  command: Extract<WireCommand, { readonly type: 'audio.clear' | 'audio.commit' }>,
): Promise<void> {
  const done = acknowledgedAs(record, answer, command);
  endSpeech(record, answer);
  return done;
}

// Waits for its answer like the equivalent input, so that each finds its own.
function acknowledgedAs(
  record: SessionRecord,
  answer: string,
  command: Extract<WireCommand, { readonly type: 'audio.clear' | 'audio.commit' | 'session.update' }>,
): Promise<void> {
  const { promise, resolve, reject } = openPromise();
  const eventId = command.eventId === '' ? record.nextId() : command.eventId;
  record.acknowledgements.expectInTime(answer, eventId, (error) => (error === undefined ? resolve() : reject(error)));
  record.microphone.follow({ ...command, eventId });
  return promise;
}

function pass(record: SessionRecord, command: WireCommand): Promise<void> {
  record.microphone.afterCommands(command);
  return done;
}

function isOfCurrent({ responses }: SessionRecord, responseId: string | undefined): boolean {
  return responseId === undefined || responseId === responses.current?.responseId;
}

function refused(message: string): Promise<never> {
  return Promise.reject(new TurnchartError('message.invalid', message));
}
