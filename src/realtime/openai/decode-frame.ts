// One text frame of the socket → facts. Called by wire-link.ts for every frame; audio takes the fast path.

import { recordOf, textAt, type JsonRecord } from '../../adapters/json-reading.ts';
import type { WireFact, WireReceiver } from '../wire.ts';
import { fromBase64 } from './base64.ts';
import type { EventDecoder } from './decode-event.ts';

const hasBuffer = typeof Buffer === 'function';

type AudioDelta = Extract<WireFact, { readonly type: 'audio.delta' }>;

/**
 * Decodes frames into facts. A frame that is not an event becomes an `error` fact of kind `session`: the session goes
 * on.
 */
export function createFrameDecoder(decoder: EventDecoder, receive: WireReceiver): (frame: string | Uint8Array) => void {
  return (frame) => {
    const short = typeof frame === 'string' || !hasBuffer ? undefined : audioWithin(frame);
    if (short !== undefined) return receive(short);
    const text = typeof frame === 'string' ? frame : textOf(frame);
    let event: JsonRecord | undefined;
    try {
      event = recordOf(JSON.parse(text));
    } catch {
      event = undefined;
    }
    if (event === undefined || typeof event['type'] !== 'string') {
      // Not its text: a malformed frame may contain anything, of any length.
      return receive(malformed(`a text frame of ${text.length} characters that is not a JSON object with a type`));
    }
    const audio = audioOf(event, event['delta']);
    if (audio === undefined) decoder.decode(event, receive);
    else receive(audio);
  };
}

const deltaKey = '"delta":"';
// Replaces the base64 while the rest is parsed; not valid base64 itself.
const cutOut = '~cut out~';
// Beyond ASCII the fast path would misread an id.
const notAscii = /[^\0-\x7f]/;

/**
 * The one event that arrives ten times a second and more, without parsing its base64 as JSON: the text around it is
 * parsed, the base64 decoded. Anything unusual (no such key, an escape in the base64) is left to the normal path.
 */
function audioWithin(bytes: Uint8Array): AudioDelta | undefined {
  const text = bufferOf(bytes).toString('latin1');
  // In JSON these characters can only be a key and the beginning of its text: within a text the quotes are escaped.
  const key = text.indexOf(deltaKey);
  if (key < 0) return undefined;
  const begin = key + deltaKey.length;
  const end = text.indexOf('"', begin);
  const around = text.slice(0, begin) + cutOut + text.slice(end);
  if (!around.includes('audio.delta"') || notAscii.test(around)) return undefined;
  let event: JsonRecord | undefined;
  try {
    event = recordOf(JSON.parse(around));
  } catch {
    return undefined;
  }
  // It is the event's own key, and no later one has replaced it.
  return event?.['delta'] === cutOut ? audioOf(event, text.slice(begin, end)) : undefined;
}

/** The fact for an unreadable frame. */
export function malformed(what: string): WireFact {
  return {
    type: 'error',
    kind: 'session',
    code: 'malformed_frame',
    message: `The server sent ${what}. It was left out.`,
  };
}

// For an audio delta that has all fields; others are left to the decoder, which remembers more.
function audioOf(event: JsonRecord, delta: unknown): AudioDelta | undefined {
  const { type } = event;
  if (type !== 'response.output_audio.delta' && type !== 'response.audio.delta') return undefined;
  const responseId = textAt(event, 'response_id');
  const itemId = textAt(event, 'item_id');
  const index = event['content_index'];
  if (responseId === undefined || itemId === undefined || typeof delta !== 'string') return undefined;
  const audio = fromBase64(delta);
  if (audio === undefined) return undefined;
  return { type: 'audio.delta', responseId, itemId, contentIndex: typeof index === 'number' ? index : 0, audio };
}

function textOf(bytes: Uint8Array): string {
  return hasBuffer ? bufferOf(bytes).toString('utf8') : new TextDecoder().decode(bytes);
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
