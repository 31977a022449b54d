// The recorded realtime sessions, for the codec tests and the replay over a real socket.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { WireEvent } from './wire-server.ts';

/** One frame, in the order it went over the wire. */
export interface RecordedFrame {
  readonly dir: 'client' | 'server';
  readonly data: WireEvent;
}

/** One recorded session. The shape is described in test/recordings/openai-realtime/README.md. */
export interface RealtimeRecording {
  readonly id: string;
  readonly provider: string;
  readonly source: { readonly path: string };
  readonly frames: readonly RecordedFrame[];
}

const file = resolve(
  import.meta.dirname,
  '../../recordings/openai-realtime/openai-realtime.pydantic__pydantic-ai.jsonl',
);

/** All 20, in file order. */
export const realtimeRecordings: readonly RealtimeRecording[] = readFileSync(file, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as RealtimeRecording);

/** What the server sent. */
export function serverEvents({ frames }: RealtimeRecording): readonly WireEvent[] {
  return frames.flatMap(({ dir, data }) => (dir === 'server' ? [data] : []));
}

/** Recorded over a control connection to a call: such a session begins without `session.created`. */
export function isSideband({ source }: RealtimeRecording): boolean {
  return source.path.includes('_sideband');
}
