// The two generations of the protocol: names and shapes that differ. OpenAI speaks the current one; imitators and
// Azure's Voice Live still speak the former (beta) one, some of them a mixture. Called by the codec.

import { recordOf, type JsonRecord } from '../../adapters/json-reading.ts';

/** Which format a server accepts. Event names of both generations are always understood. */
export type Dialect = 'current' | 'former';

/** Read from the session a server announces: the former generation keeps the audio settings flat. */
export function dialectOf(session: JsonRecord): Dialect {
  const isFlat = session['input_audio_format'] !== undefined || session['output_audio_format'] !== undefined;
  return isFlat && recordOf(session['audio']) === undefined ? 'former' : 'current';
}

// Former name → current name. `conversation.item.created` became two events: `added` is the one that means the same.
const currentNames: ReadonlyMap<string, string> = new Map([
  ['response.audio.delta', 'response.output_audio.delta'],
  ['response.audio.done', 'response.output_audio.done'],
  ['response.audio_transcript.delta', 'response.output_audio_transcript.delta'],
  ['response.audio_transcript.done', 'response.output_audio_transcript.done'],
  ['response.text.delta', 'response.output_text.delta'],
  ['response.text.done', 'response.output_text.done'],
  ['conversation.item.created', 'conversation.item.added'],
]);

/** The current name of a server event; other names are their own. */
export function currentName(type: string): string {
  return currentNames.get(type) ?? type;
}
