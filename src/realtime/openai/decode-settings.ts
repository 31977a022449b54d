// The session settings a server reports → what decisions depend on. Pure; called for `session.created` and
// `session.updated`.

import { numberAt, recordOf, textAt, type JsonRecord } from '../../adapters/json-reading.ts';
import type { RealtimeAudioFormat } from '../../contracts/realtime.ts';
import type { JsonValue } from '../../conversation/json.ts';
import type { WireSettings } from '../wire.ts';
import { optional } from './merge.ts';

/** Reads both generations and mixtures of them. What the server does not report is absent. */
export function decodeSettings(session: JsonRecord): WireSettings {
  const audio = recordOf(session['audio']);
  const input = recordOf(audio?.['input']);
  const output = recordOf(audio?.['output']);
  const expiresAt = numberAt(session, 'expires_at');
  return {
    ...answering(input, session),
    ...optional('inputFormat', formatOf(input?.['format'] ?? session['input_audio_format'])),
    ...optional('outputFormat', formatOf(output?.['format'] ?? session['output_audio_format'])),
    ...(expiresAt === undefined || expiresAt <= 0 ? {} : { expiresAt: expiresAt * 1000 }),
    raw: session as JsonValue, // parsed JSON
  };
}

function answering(
  input: JsonRecord | undefined,
  session: JsonRecord,
): Pick<WireSettings, 'detection' | 'createsResponse' | 'interruptsResponse'> {
  const detection = input?.['turn_detection'] === undefined ? session['turn_detection'] : input['turn_detection'];
  if (detection === undefined) return {};
  const settings = recordOf(detection);
  // xAI says "none" with an object whose type is null.
  if (settings === undefined || settings['type'] === null || settings['type'] === 'none') {
    return { detection: 'off', createsResponse: false, interruptsResponse: false };
  }
  // Both are on if the server omits them: the documented default.
  return {
    ...optional('detection', textAt(settings, 'type')),
    createsResponse: settings['create_response'] !== false,
    interruptsResponse: settings['interrupt_response'] !== false,
  };
}

// Samples per second. Values that no audio has would break the arithmetic with milliseconds.
function rateOf(format: JsonRecord | undefined): number | undefined {
  const rate = numberAt(format, 'rate');
  return rate !== undefined && rate >= 1_000 && rate <= 1_000_000 ? rate : undefined;
}

function formatOf(format: JsonValue | undefined): RealtimeAudioFormat | undefined {
  const record = recordOf(format);
  const name = record === undefined ? format : textAt(record, 'type');
  switch (name) {
    case 'audio/pcm':
    case 'pcm16':
      return { type: 'pcm16', ...optional('rate', rateOf(record)) };
    case 'audio/pcmu':
    case 'g711_ulaw':
      return { type: 'g711Ulaw' };
    case 'audio/pcma':
    case 'g711_alaw':
      return { type: 'g711Alaw' };
    default:
      return undefined;
  }
}
