// A server event → neutral facts. One decoder per link: it remembers only what later events omit. Called by
// wire-link.ts for every frame except audio, for which decode-frame.ts has a fast path.

import { numberAt, recordOf, textAt, type JsonRecord } from '../../adapters/json-reading.ts';
import { redact } from '../../adapters/redact.ts';
import type { JsonValue } from '../../conversation/json.ts';
import type { WireFact, WireReceiver } from '../wire.ts';
import { fromBase64 } from './base64.ts';
import { decodeError } from './decode-error.ts';
import { callDone, itemDone, noteItem, responseCreated, responseDone } from './decode-response.ts';
import { decodeSettings } from './decode-settings.ts';
import { decodeUsage } from './decode-usage.ts';
import { currentName } from './dialect.ts';
import { OpenResponses } from './open-responses.ts';
import { optional } from './merge.ts';
import type { RequestMatcher } from './request-matcher.ts';

/** What a decoder needs. */
export interface DecoderOptions {
  /** Masked wherever the server's words are passed on. */
  readonly secrets: () => readonly (string | undefined)[];
  /**
   * A side socket's session was announced by the link itself: the server's own announcement is then passed on as `raw`.
   */
  readonly isSideband: boolean;
  readonly requests: RequestMatcher;
}

/** Turns events into facts. */
export interface EventDecoder {
  /** Every event gives at least one fact; one without a neutral form, or without the fields it needs, is `raw`. */
  decode(event: JsonRecord, receive: WireReceiver): void;
}

/** A fresh decoder. */
export function createEventDecoder(options: DecoderOptions): EventDecoder {
  const open = new OpenResponses();

  /** The facts of an event with a neutral form; undefined = it has none, or lacks what the form needs. */
  const factsOf = (event: JsonRecord): readonly WireFact[] | undefined => {
    const itemId = textAt(event, 'item_id');
    const place = { itemId: itemId ?? '', contentIndex: numberAt(event, 'content_index') ?? 0 };
    const responseId = textAt(event, 'response_id') ?? open.of(itemId);
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
        return responseCreated(event, open, options.requests);
      case 'response.done':
        return responseDone(event, open, options.secrets());
      case 'response.output_item.added':
        noteItem(event, responseId, open);
        return undefined;
      case 'response.output_item.done':
        return itemDone(event, responseId, open);
      case 'response.function_call_arguments.done':
        return callDone(event, responseId, open);
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

  const failed = (event: JsonRecord): WireFact => {
    const fact = decodeError(event, options.secrets());
    options.requests.refused(fact.causedBy, fact.activeResponseId !== undefined);
    return fact;
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
