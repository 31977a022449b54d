// Spoken answers of Chat Completions → one audio block. Called by the chat decoder.

import type { AudioBlock } from '../../../conversation/block.ts';
import type { Meta } from '../../../conversation/json.ts';
import { numberAt, optional, textAt, type JsonObject } from '../json-fields.ts';

/** Collects the audio of one answer. */
export interface AudioWriter {
  read(audio: JsonObject): void;
  /** The block, and the id under which the server remembers it; undefined if nothing was spoken. */
  finish(): { readonly block: AudioBlock; readonly meta: Meta } | undefined;
}

/** `mediaType` is what the request asked for: the answer does not contain it. */
export function createAudioWriter(mediaType: string): AudioWriter {
  const pieces: string[] = [];
  let transcript = '';
  let id: string | undefined;
  let expiresAt: number | undefined;
  return {
    read(audio) {
      id ??= textAt(audio, 'id');
      expiresAt = numberAt(audio, 'expires_at') ?? expiresAt;
      transcript += textAt(audio, 'transcript') ?? '';
      const data = textAt(audio, 'data') ?? '';
      if (data !== '') pieces.push(data);
    },
    finish() {
      if (pieces.length === 0 && transcript === '') return undefined;
      return {
        block: {
          type: 'audio',
          source: { type: 'base64', mediaType, data: joinBase64(pieces) },
          ...(transcript === '' ? {} : { transcript }),
        },
        meta: { providerAudio: { ...optional('id', id), ...optional('expires_at', expiresAt) } },
      };
    },
  };
}

/** Pieces that were encoded one by one cannot be joined as text if one of them is padded. */
function joinBase64(pieces: readonly string[]): string {
  const areWhole = pieces.slice(0, -1).every((piece) => piece.length % 4 === 0 && !piece.endsWith('='));
  if (areWhole) return pieces.join('');
  try {
    return btoa(pieces.map((piece) => atob(piece)).join(''));
  } catch {
    return pieces.join(''); // not base64: useless as sound, but not a reason to lose the rest of the answer
  }
}
