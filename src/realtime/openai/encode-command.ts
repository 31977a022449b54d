// A neutral command → the JSON text of one client event. Pure; called by the link for everything it sends.

import type { RealtimeClientEvent } from 'openai/resources/realtime/realtime';
import { recordOf, type JsonRecord } from '../../adapters/json-reading.ts';
import { wellFormed } from '../../adapters/well-formed.ts';
import type { RealtimeResponseRequest } from '../../contracts/realtime.ts';
import type { ImageBlock, TextBlock } from '../../conversation/block.ts';
import type { JsonValue } from '../../conversation/json.ts';
import type { WireCommand, WireItem } from '../wire.ts';
import { toBase64 } from './base64.ts';
import type { Dialect } from './dialect.ts';
import { encodeSession, encodeTool, encodeToolChoice, tokensOf } from './encode-session.ts';
import { mergeOver, optional } from './merge.ts';

/** What a client event is called. */
export type ClientEventType = RealtimeClientEvent['type'];

/** The metadata key under which an answer carries the id of its request. */
export const requestIdKey = 'client_event_id';

/** The text of the event. */
export function encodeCommand(command: WireCommand, dialect: Dialect): string {
  if (command.type === 'audio.append') {
    // Without JSON.stringify: base64 needs no escapes, and this is most of the traffic.
    return `{"type":"input_audio_buffer.append","audio":"${toBase64(command.audio)}"}`;
  }
  return JSON.stringify(wellFormed(eventOf(command, dialect)));
}

type OtherCommand = Exclude<WireCommand, { readonly type: 'audio.append' }>;

function eventOf(command: OtherCommand, dialect: Dialect): JsonValue {
  if (command.type === 'raw') return command.event;
  const body = bodyOf(command, dialect);
  return json({ type: body.type, ...optional('event_id', command.eventId || undefined), ...body.fields });
}

function bodyOf(
  command: Exclude<OtherCommand, { readonly type: 'raw' }>,
  dialect: Dialect,
): { readonly type: ClientEventType; readonly fields: JsonRecord } {
  switch (command.type) {
    case 'session.configure':
      return {
        type: 'session.update',
        fields: { session: json(encodeSession(command.configuration, place(dialect))) },
      };
    case 'session.update':
      return { type: 'session.update', fields: { session: json(encodeSession(command.changes, place(dialect))) } };
    case 'audio.commit':
      return { type: 'input_audio_buffer.commit', fields: {} };
    case 'audio.clear':
      return { type: 'input_audio_buffer.clear', fields: {} };
    case 'item.create':
      return { type: 'conversation.item.create', fields: { item: encodeItem(command.itemId, command.item, dialect) } };
    case 'item.truncate':
      return {
        type: 'conversation.item.truncate',
        fields: {
          item_id: command.itemId,
          content_index: command.contentIndex,
          audio_end_ms: Math.floor(command.audioEndMs), // the server takes whole milliseconds; more than it has it refuses
        },
      };
    case 'item.delete':
      return { type: 'conversation.item.delete', fields: { item_id: command.itemId } };
    case 'response.create': {
      const { type: _type, event_id: _id, ...raw } = recordOf(command.raw) ?? {};
      const asked = command.raw === undefined ? encodeResponse(command.request, dialect) : recordOf(raw['response']);
      const metadata = { ...recordOf(asked?.['metadata']), [requestIdKey]: command.eventId };
      return { type: 'response.create', fields: { ...raw, response: json({ ...asked, metadata: json(metadata) }) } };
    }
    case 'response.cancel':
      return { type: 'response.cancel', fields: optional('response_id', command.responseId) };
    case 'output.clear':
      return { type: 'output_audio_buffer.clear', fields: {} };
  }
}

function place(dialect: Dialect) {
  return { dialect, purpose: 'update' } as const;
}

function encodeResponse(request: RealtimeResponseRequest, dialect: Dialect): JsonRecord {
  const isFormer = dialect === 'former';
  const { modalities, voice } = request;
  const isSpoken = modalities?.includes('audio') ?? false;
  const response: JsonRecord = {
    ...(request.outOfBand === true ? { conversation: 'none' } : {}),
    ...optional('instructions', request.instructions),
    ...optional(
      'tools',
      request.tools?.map((tool) => json(encodeTool(tool))),
    ),
    ...optional('tool_choice', request.toolChoice && encodeToolChoice(request.toolChoice)),
    ...(modalities === undefined
      ? {}
      : isFormer
        ? { modalities: isSpoken ? ['text', 'audio'] : ['text'] }
        : { output_modalities: [isSpoken ? 'audio' : 'text'] }),
    ...(voice === undefined ? {} : isFormer ? { voice } : { audio: { output: { voice } } }),
    ...optional('max_output_tokens', tokensOf(request.maxOutputTokens)),
  };
  return mergeOver(response, request.providerOptions);
}

function encodeItem(id: string, item: WireItem, dialect: Dialect): JsonValue {
  switch (item.kind) {
    case 'message': {
      const said = item.role === 'assistant' ? (dialect === 'former' ? 'text' : 'output_text') : 'input_text';
      return { id, type: 'message', role: item.role, content: item.content.map((part) => encodePart(part, said)) };
    }
    case 'call':
      return { id, type: 'function_call', call_id: item.callId, name: item.name, arguments: item.rawArgs };
    case 'result':
      return { id, type: 'function_call_output', call_id: item.callId, output: item.output };
  }
}

function encodePart(part: TextBlock | ImageBlock, textType: string): JsonValue {
  if (part.type === 'text') return { type: textType, text: part.text };
  const { source } = part;
  switch (source.type) {
    case 'base64':
      return { type: 'input_image', image_url: `data:${source.mediaType};base64,${source.data}` };
    case 'url':
      return { type: 'input_image', image_url: source.url };
    case 'file':
      return { type: textType, text: JSON.stringify(part) }; // the API takes no uploaded files; nothing is dropped in silence
  }
}

/** A record in which absent fields are left out is JSON. */
function json(record: JsonRecord): JsonValue {
  return record as JsonValue;
}
