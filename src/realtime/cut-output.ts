// Cuts off what is being heard: reports to the readers how much was heard, and to the server what was not. Called by
// session-scope.ts.

import type { InterruptionCause } from '../machines/realtime-session.ts';
import type { PlaybackCut } from './playback.ts';
import type { SessionRecord } from './session-record.ts';

/** In this process or, if the provider plays the audio, there. `flushing` then holds what the server has to answer. */
export function cutOutput(record: SessionRecord, cause: InterruptionCause): void {
  if (record.isPlayedHere) cutHere(record, cause);
  else cutThere(record, cause);
}

function cutHere(record: SessionRecord, cause: InterruptionCause): void {
  const { responses } = record;
  const beside = record.playback.queue.filter(({ responseId }) => responses.isBeside(responseId));
  const cut = record.playback.cut(cause === 'request' ? record.playedMs : undefined);
  record.playedMs = undefined;
  tellCut(record, cause, cut);
  stopBeside(record, new Set(beside.map(({ responseId }) => responseId)));
  if (!record.capabilities.has('outputTruncation')) return;
  // An answer outside the conversation is not in the server's memory.
  const inNone = new Set(beside.map(({ itemId }) => itemId));
  if (cut.truncate !== undefined && !inNone.has(cut.truncate.itemId)) {
    const eventId = flush(record, `item.truncated ${cut.truncate.itemId}`);
    record.command({ type: 'item.truncate', eventId, ...cut.truncate });
  }
  for (const itemId of cut.unheard) {
    if (inNone.has(itemId)) continue;
    record.command({ type: 'item.delete', eventId: flush(record, `item.deleted ${itemId}`), itemId });
  }
}

// No server stops an out-of-band answer by itself.
function stopBeside(record: SessionRecord, responseIds: ReadonlySet<string>): void {
  for (const responseId of responseIds) {
    const response = record.responses.beside.get(responseId);
    if (response === undefined || response.isSilenced) continue;
    response.isSilenced = true;
    record.command({ type: 'response.cancel', eventId: flush(record, `response.ended ${responseId}`), responseId });
  }
}

// When the user speaks, the provider discards its audio by itself and reports it.
function cutThere(record: SessionRecord, cause: InterruptionCause): void {
  record.isPlayedByServer = false;
  const responseId = record.responses.current?.responseId;
  const id = responseId === undefined ? {} : { responseId };
  record.tell({ type: 'response.interrupted', cause, ...id, estimated: false });
  const eventId = flush(record, 'output.cleared');
  if (cause === 'request') record.command({ type: 'output.clear', eventId });
}

function flush(record: SessionRecord, answer: string): string {
  const eventId = record.nextId();
  record.flushing.add(eventId);
  record.acknowledgements.expect(answer, eventId, () => {
    if (record.flushing.delete(eventId) && record.flushing.size === 0) record.post({ type: 'output.acknowledged' });
  });
  return eventId;
}

/** Reports to the readers how much was heard of what was cut off. */
export function tellCut(record: SessionRecord, cause: InterruptionCause | 'close', { heard }: PlaybackCut): void {
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
