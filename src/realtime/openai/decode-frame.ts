// One text frame of the socket → facts. Called by wire-link.ts for every frame; audio takes the short way.

import { recordOf, textAt, type JsonRecord } from '../../adapters/json-reading.ts';
import type { WireReceiver } from '../wire.ts';
import { fromBase64 } from './base64.ts';
import type { EventDecoder } from './decode-event.ts';

/** Decodes frames into facts. A frame that is no event is an `error` fact of kind `session`: the session goes on. */
export function createFrameDecoder(decoder: EventDecoder, receive: WireReceiver): (frame: string | Uint8Array) => void {
  return (frame) => {
    const text = typeof frame === 'string' ? frame : textOf(frame);
    let event: JsonRecord | undefined;
    try {
      event = recordOf(JSON.parse(text));
    } catch {
      event = undefined;
    }
    if (event === undefined || typeof event['type'] !== 'string') {
      // Not its text: a frame that is not what it should be may hold anything, of any length.
      receive(malformed(`a text frame of ${text.length} characters that is no JSON object with a type`));
      return;
    }
    const audio = audioOf(event);
    if (audio === undefined) decoder.decode(event, receive);
    else receive(audio);
  };
}

/** The fact for a frame nobody can read. */
export function malformed(what: string): Parameters<WireReceiver>[0] {
  return {
    type: 'error',
    kind: 'session',
    code: 'malformed_frame',
    message: `The server sent ${what}. It was left out.`,
  };
}

// The one event that comes fifty times a second, without the maps and lists of the others.
function audioOf(event: JsonRecord): Parameters<WireReceiver>[0] | undefined {
  const { type, delta } = event;
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
  // Checked for well-formedness by the socket already.
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
