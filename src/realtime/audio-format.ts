// How many bytes a millisecond of audio has. Called by the microphone queue and the playback ledger.

import type { RealtimeAudioFormat } from '../contracts/realtime.ts';

const defaultRate = 24_000;
const telephoneRate = 8_000;

/** Bytes of one millisecond, one channel. */
export function bytesPerMs(format: RealtimeAudioFormat): number {
  if (format.type !== 'pcm16') return telephoneRate / 1000; // a byte per sample
  const rate = format.rate !== undefined && format.rate > 0 ? format.rate : defaultRate;
  return (rate * 2) / 1000;
}
