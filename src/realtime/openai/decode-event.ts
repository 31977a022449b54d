// A server event → neutral facts. One decoder a link: it remembers only what later events leave out. Called by wire-link.ts
// for every frame but the audio, which decode-frame.ts takes by a shorter way.

import { listOf, numberAt, recordOf, textAt, type JsonRecord } from '../../adapters/json-reading.ts';
import { redact } from '../../adapters/redact.ts';
import type { ResponseStatus } from '../../contracts/realtime.ts';
import type { JsonValue } from '../../conversation/json.ts';
import type { WireFact, WireReceiver, WireToolCall } from '../wire.ts';
import { fromBase64 } from './base64.ts';
import { decodeError } from './decode-error.ts';
import { decodeSettings } from './decode-settings.ts';
import { decodeUsage } from './decode-usage.ts';
import { currentName } from './dialect.ts';
import { requestIdKey } from './encode-command.ts';
import { optional } from './merge.ts';
import type { RequestMatcher } from './request-matcher.ts';

/** What a decoder is told once. */
export interface DecoderOptions {
  /** Masked wherever the server's words are passed on. */
  readonly secrets: () => readonly (string | undefined)[];
  /** A side socket's session was announced by the link itself: the server's own announcement is then only told as it is. */
  readonly isSideband: boolean;
  readonly requests: RequestMatcher;
}

/** Turns events into facts. */
export interface EventDecoder {
  /** Every event gives at least one fact; one without a neutral form, or without the fields it needs, is `raw`. */
  decode(event: JsonRecord, receive: WireReceiver): void;
}

/** What was told about an answer that is not done yet. */
interface OpenResponse {
  requestId: string | undefined;
  /** Of calls: their names come with the item, in the former generation not with the arguments. */
  readonly callNames: Map<string, string>;
  readonly toldCalls: Set<string>;
}

// Servers that never say `response.done` must not make us remember for ever.
const maxOpenResponses = 64;

/** A fresh decoder. */
export function createEventDecoder(options: DecoderOptions): EventDecoder {
  const responses = new Map<string, OpenResponse>();
  const responseOfItem = new Map<string, string>();

  const openResponse = (id: string): OpenResponse => {
    const known = responses.get(id);
    if (known !== undefined) return known;
    const [oldest] = responses.keys();
    if (responses.size >= maxOpenResponses && oldest !== undefined) forget(oldest);
    const opened: OpenResponse = { requestId: undefined, callNames: new Map(), toldCalls: new Set() };
    responses.set(id, opened);
    return opened;
  };
  const forget = (id: string): void => {
    responses.delete(id);
    for (const [itemId, responseId] of responseOfItem) if (responseId === id) responseOfItem.delete(itemId);
  };
  const responseIdOf = (event: JsonRecord, itemId: string | undefined): string | undefined =>
    textAt(event, 'response_id') ?? (itemId === undefined ? undefined : responseOfItem.get(itemId));

  /** The facts of an event with a neutral form; undefined = it has none, or lacks what the form needs. */
  const factsOf = (event: JsonRecord): readonly WireFact[] | undefined => {
    const itemId = textAt(event, 'item_id');
    const place = { itemId: itemId ?? '', contentIndex: numberAt(event, 'content_index') ?? 0 };
    const responseId = responseIdOf(event, itemId);
    const name = currentName(textAt(event, 'type') ?? '');
    switch (name) {
      case 'session.created':
        return options.isSideband ? undefined : sessionCreated(event);
      case 'session.updated': {
        const session = recordOf(event['session']);
        if (session === undefined) return undefined;
        const settings = decodeSettings(session);
        options.requests.configured(settings.createsResponse);
        return [{ type: 'session.configured', settings }];
      }
      case 'input_audio_buffer.speech_started':
        return [{ type: 'speech.started', ...optional('itemId', itemId), ...audioMs(event, 'audio_start_ms') }];
      case 'input_audio_buffer.speech_stopped':
        return [{ type: 'speech.stopped', ...optional('itemId', itemId), ...audioMs(event, 'audio_end_ms') }];
      case 'input_audio_buffer.committed':
        options.requests.committed();
        return [{ type: 'input.committed', itemId: place.itemId, ...previousItem(event) }];
      case 'input_audio_buffer.cleared':
        return [{ type: 'input.cleared' }];
      case 'input_audio_buffer.timeout_triggered':
        options.requests.waited();
        return [{ type: 'input.idle' }];
      case 'input_audio_buffer.dtmf_event_received': {
        const digit = textAt(event, 'event');
        return digit === undefined ? undefined : [{ type: 'call.dtmf', digit }];
      }
      case 'conversation.item.added': {
        const id = textAt(recordOf(event['item']), 'id');
        return id === undefined ? undefined : [{ type: 'item.added', itemId: id, ...previousItem(event) }];
      }
      case 'conversation.item.truncated':
        return itemId === undefined ? undefined : [{ type: 'item.truncated', itemId }];
      case 'conversation.item.deleted':
        return itemId === undefined ? undefined : [{ type: 'item.deleted', itemId }];
      case 'conversation.item.input_audio_transcription.delta': {
        const text = textAt(event, 'delta');
        return itemId === undefined || text === undefined
          ? undefined
          : [{ type: 'transcript.delta', role: 'user', ...place, text }];
      }
      case 'conversation.item.input_audio_transcription.completed': {
        const transcript = textAt(event, 'transcript');
        if (itemId === undefined || transcript === undefined) return undefined;
        const usage = decodeUsage(event['usage']);
        return [
          { type: 'transcript.done', role: 'user', ...place, transcript },
          ...(usage === undefined ? [] : [{ type: 'usage', usage } as const]),
        ];
      }
      case 'conversation.item.input_audio_transcription.failed': {
        const error = recordOf(event['error']);
        const code = textAt(error, 'code') ?? textAt(error, 'type') ?? 'unknown';
        const message = redact(textAt(error, 'message') ?? 'The transcription failed.', options.secrets());
        return itemId === undefined ? undefined : [{ type: 'transcript.failed', itemId, code, message }];
      }
      case 'response.created':
        return responseCreated(event);
      case 'response.done':
        return responseDone(event);
      case 'response.output_item.added':
        noteItem(event, responseId);
        return undefined;
      case 'response.output_item.done':
        return itemDone(event, responseId);
      case 'response.function_call_arguments.done':
        return callDone(event, itemId, responseId);
      case 'response.output_audio.delta': {
        const audio = fromBase64(textAt(event, 'delta') ?? '-');
        return itemId === undefined || responseId === undefined || audio === undefined
          ? undefined
          : [{ type: 'audio.delta', responseId, ...place, audio }];
      }
      case 'response.output_audio.done':
        return itemId === undefined || responseId === undefined
          ? undefined
          : [{ type: 'audio.done', responseId, ...place }];
      case 'response.output_audio_transcript.delta': {
        const text = textAt(event, 'delta');
        return itemId === undefined || text === undefined
          ? undefined
          : [{ type: 'transcript.delta', role: 'assistant', ...optional('responseId', responseId), ...place, text }];
      }
      case 'response.output_audio_transcript.done': {
        const transcript = textAt(event, 'transcript');
        return itemId === undefined || transcript === undefined
          ? undefined
          : [
              {
                type: 'transcript.done',
                role: 'assistant',
                ...optional('responseId', responseId),
                ...place,
                transcript,
              },
            ];
      }
      case 'response.output_text.delta': {
        const text = textAt(event, 'delta');
        return itemId === undefined || responseId === undefined || text === undefined
          ? undefined
          : [{ type: 'text.delta', responseId, ...place, text }];
      }
      case 'response.output_text.done': {
        const text = textAt(event, 'text');
        return itemId === undefined || responseId === undefined || text === undefined
          ? undefined
          : [{ type: 'text.done', responseId, ...place, text }];
      }
      case 'output_audio_buffer.started':
        return [{ type: 'output.started', ...optional('responseId', responseId) }];
      case 'output_audio_buffer.stopped':
        return [{ type: 'output.stopped', ...optional('responseId', responseId) }];
      case 'output_audio_buffer.cleared':
        return [{ type: 'output.cleared', ...optional('responseId', responseId) }];
      case 'error':
        return [failed(event)];
      default:
        return undefined;
    }
  };

  const responseCreated = (event: JsonRecord): readonly WireFact[] | undefined => {
    const response = recordOf(event['response']);
    const id = textAt(response, 'id');
    if (response === undefined || id === undefined) return undefined;
    // One that is told twice belongs to what it belonged to.
    const isNew = !responses.has(id);
    const opened = openResponse(id);
    if (isNew) opened.requestId = options.requests.match(response);
    return [{ type: 'response.created', responseId: id, ...belonging(response, opened.requestId) }];
  };

  const responseDone = (event: JsonRecord): readonly WireFact[] | undefined => {
    const response = recordOf(event['response']);
    const id = textAt(response, 'id');
    if (response === undefined || id === undefined) return undefined;
    const known = responses.get(id);
    forget(id);
    // xAI puts it beside the response, and an empty object inside.
    const usage = decodeUsage(response['usage']) ?? decodeUsage(event['usage']);
    return [
      {
        type: 'response.done',
        responseId: id,
        ...belonging(response, known?.requestId ?? textAt(recordOf(response['metadata']), requestIdKey)),
        ...statusOf(response, options.secrets()),
        calls: (listOf(response['output']) ?? []).flatMap((item) => callOf(recordOf(item), known) ?? []),
        ...optional('usage', usage),
      },
    ];
  };

  const failed = (event: JsonRecord): WireFact => {
    const fact = decodeError(event, options.secrets());
    options.requests.refused(fact.causedBy);
    return fact;
  };

  const noteItem = (event: JsonRecord, responseId: string | undefined): void => {
    const item = recordOf(event['item']);
    const id = textAt(item, 'id');
    if (id === undefined || responseId === undefined) return;
    const response = openResponse(responseId);
    responseOfItem.set(id, responseId);
    const name = textAt(item, 'name');
    if (name !== undefined) response.callNames.set(id, name);
  };

  const itemDone = (event: JsonRecord, responseId: string | undefined): readonly WireFact[] | undefined => {
    if (responseId === undefined) return undefined;
    const response = openResponse(responseId);
    const call = callOf(recordOf(event['item']), response);
    if (call === undefined || response.toldCalls.has(call.callId)) return undefined;
    response.toldCalls.add(call.callId);
    return [{ type: 'toolCall.requested', responseId, ...call }];
  };

  const callDone = (
    event: JsonRecord,
    itemId: string | undefined,
    responseId: string | undefined,
  ): readonly WireFact[] | undefined => {
    const callId = textAt(event, 'call_id');
    if (itemId === undefined || responseId === undefined || callId === undefined) return undefined;
    const response = openResponse(responseId);
    const name = textAt(event, 'name') ?? response.callNames.get(itemId);
    // Without a name it is told with its item, which is done next.
    if (name === undefined || response.toldCalls.has(callId)) return undefined;
    response.toldCalls.add(callId);
    const rawArgs = textAt(event, 'arguments') ?? '';
    return [{ type: 'toolCall.requested', responseId, callId, itemId, name, rawArgs }];
  };

  return {
    decode(event, receive) {
      const facts = factsOf(event);
      if (facts === undefined) receive({ type: 'raw', event: event as JsonValue }); // parsed JSON
      else for (const fact of facts) receive(fact);
    },
  };
}

function sessionCreated(event: JsonRecord): readonly WireFact[] | undefined {
  const session = recordOf(event['session']);
  if (session === undefined) return undefined;
  const sessionId = textAt(session, 'id') ?? '';
  return [{ type: 'session.created', sessionId, settings: decodeSettings(session) }];
}

function audioMs(event: JsonRecord, key: string): { readonly audioMs?: number } {
  return optional('audioMs', numberAt(event, key));
}

function previousItem(event: JsonRecord): { readonly previousItemId?: string } {
  return optional('previousItemId', textAt(event, 'previous_item_id'));
}

/** Which of our requests an answer belongs to, and whether it stands beside the conversation. */
function belonging(
  response: JsonRecord,
  requestId: string | undefined,
): { readonly requestId?: string; readonly outOfBand?: boolean } {
  return {
    ...optional('requestId', requestId),
    ...(response['conversation_id'] === null ? { outOfBand: true } : {}),
  };
}

function statusOf(
  response: JsonRecord,
  secrets: readonly (string | undefined)[],
): {
  readonly status: ResponseStatus;
  readonly reason?: string;
  readonly error?: { readonly code: string; readonly message: string };
} {
  const told = textAt(response, 'status');
  const details = recordOf(response['status_details']);
  const error = recordOf(details?.['error']);
  const status =
    told === 'cancelled' || told === 'incomplete' || told === 'failed'
      ? told
      : error === undefined
        ? 'completed'
        : 'failed';
  return {
    status,
    ...optional('reason', textAt(details, 'reason')),
    ...(error === undefined
      ? {}
      : {
          error: {
            code: textAt(error, 'code') ?? textAt(error, 'type') ?? 'unknown',
            message: redact(textAt(error, 'message') ?? 'The answer failed.', secrets),
          },
        }),
  };
}

/** A finished call in an output item; undefined for any other item and for a call that was cut off. */
function callOf(item: JsonRecord | undefined, response: OpenResponse | undefined): WireToolCall | undefined {
  if (textAt(item, 'type') !== 'function_call' || textAt(item, 'status') === 'incomplete') return undefined;
  const itemId = textAt(item, 'id') ?? '';
  const callId = textAt(item, 'call_id');
  const name = textAt(item, 'name') ?? response?.callNames.get(itemId);
  if (callId === undefined || name === undefined) return undefined;
  return { callId, itemId, name, rawArgs: textAt(item, 'arguments') ?? '' };
}
