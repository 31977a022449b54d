// Reads a `raw.send`: the provider's own client events, recognised by `type`. Pure; called by wire.ts.

import { numberAt, recordOf, textAt, type JsonRecord } from '../../adapters/json-reading.ts';
import type { JsonValue } from '../../conversation/json.ts';
import type { WireCommand } from '../wire.ts';
import { fromBase64 } from './base64.ts';
import type { ClientEventType } from './encode-command.ts';
import { optional } from './merge.ts';

type RawReading = { readonly commands: readonly WireCommand[] } | { readonly refused: string };

/**
 * Every client event and how it is sent: as the equivalent neutral command, so that it takes its place among the
 * session's own, or unchanged. A new client event in the SDK fails the type check here.
 */
const readers: { readonly [Type in ClientEventType]: (event: JsonRecord) => WireCommand | string } = {
  'session.update': (event) => {
    const session = recordOf(event['session']);
    if (session === undefined) return 'session.update needs `session`.';
    return { type: 'session.update', eventId: idOf(event), changes: { providerOptions: session as JsonValue } }; // JSON
  },
  'input_audio_buffer.append': (event) => {
    const audio = fromBase64(textAt(event, 'audio') ?? '-');
    return audio === undefined
      ? 'input_audio_buffer.append needs `audio`, bytes in base64.'
      : { type: 'audio.append', audio };
  },
  'input_audio_buffer.commit': (event) => ({ type: 'audio.commit', eventId: idOf(event) }),
  'input_audio_buffer.clear': (event) => ({ type: 'audio.clear', eventId: idOf(event) }),
  'output_audio_buffer.clear': (event) => ({ type: 'output.clear', eventId: idOf(event) }),
  'conversation.item.create': (event) => {
    const item = recordOf(event['item']);
    const callId = textAt(item, 'type') === 'function_call_output' ? textAt(item, 'call_id') : undefined;
    return { type: 'raw', event: event as JsonValue, ...optional('answers', callId) }; // JSON
  },
  'conversation.item.retrieve': asItIs,
  'conversation.item.delete': (event) => {
    const itemId = textAt(event, 'item_id');
    return itemId === undefined
      ? 'conversation.item.delete needs `item_id`.'
      : { type: 'item.delete', eventId: idOf(event), itemId };
  },
  'conversation.item.truncate': (event) => {
    const itemId = textAt(event, 'item_id');
    const audioEndMs = numberAt(event, 'audio_end_ms');
    if (itemId === undefined || audioEndMs === undefined) {
      return 'conversation.item.truncate needs `item_id` and `audio_end_ms`.';
    }
    const contentIndex = numberAt(event, 'content_index') ?? 0;
    return { type: 'item.truncate', eventId: idOf(event), itemId, contentIndex, audioEndMs };
  },
  'response.create': (event) => {
    const isOutOfBand = recordOf(event['response'])?.['conversation'] === 'none';
    return {
      type: 'response.create',
      eventId: idOf(event),
      request: isOutOfBand ? { outOfBand: true } : {},
      raw: event as JsonValue, // JSON
    };
  },
  'response.cancel': (event) => ({
    type: 'response.cancel',
    eventId: idOf(event),
    ...optional('responseId', textAt(event, 'response_id')),
  }),
};

/** The commands, or a sentence that says what was wrong. `raw` is a parsed value. */
export function readRaw(raw: unknown): RawReading {
  const event = plain(raw);
  const type = textAt(event, 'type');
  if (event === undefined || type === undefined) {
    return { refused: `raw.send expects a client event, an object with a \`type\`, got ${shown(raw)}. ${known()}` };
  }
  const read = Object.hasOwn(readers, type) ? readers[type as ClientEventType] : undefined; // checked above
  if (read === undefined) {
    return { refused: `raw.send knows no client event ${JSON.stringify(type.slice(0, 80))}. ${known()}` };
  }
  const command = read(event);
  return typeof command === 'string' ? { refused: `raw.send: ${command}` } : { commands: [command] };
}

/** The value as plain JSON: payloads come from programs and may have getters, undefined fields or cycles. */
function plain(raw: unknown): JsonRecord | undefined {
  try {
    const text: string | undefined = JSON.stringify(raw);
    return text === undefined ? undefined : recordOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function asItIs(event: JsonRecord): WireCommand {
  return { type: 'raw', event: event as JsonValue }; // JSON
}

/** The event's own id; '': the session chooses one. */
function idOf(event: JsonRecord): string {
  return textAt(event, 'event_id') ?? '';
}

function known(): string {
  return `OpenAI takes ${Object.keys(readers).join(', ')}.`;
}

function shown(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object that is none' : `a ${typeof value}`;
}
