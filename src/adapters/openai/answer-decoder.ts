// What the decoders of both APIs have in common: events of the server in, StreamEvents out. Driven by answer-reader.ts.

import type { StreamEvent } from '../../contracts/model.ts';
import type { ReportedError } from '../http-errors.ts';
import type { JsonObject } from './json-fields.ts';

/**
 * How far an answer has come: `reading` needs more, `complete` has emitted `message.end`, `incomplete` ended without its
 * terminal event. `reported` is an error that the server reported, `protocol` a stream that no rule can read.
 */
export type Progress =
  | { readonly status: 'reading' | 'complete' | 'incomplete' }
  | { readonly status: 'reported'; readonly report: ReportedError }
  | { readonly status: 'protocol'; readonly message: string };

/** The answer is not finished. */
export const reading: Progress = { status: 'reading' };
/** The answer is finished: `message.end` was its last event. */
export const complete: Progress = { status: 'complete' };
/** The stream ended before the answer did. */
export const incomplete: Progress = { status: 'incomplete' };

/** Decodes one answer. Deterministic and free of effects; its state belongs to this answer alone. */
export interface AnswerDecoder {
  /** Folds one event of the server and appends the resulting events to `into`. Not called again after `complete`. */
  read(event: JsonObject, into: StreamEvent[]): Progress;
  /** Folds a whole answer that came as one JSON body. */
  readWhole(body: JsonObject, into: StreamEvent[]): Progress;
  /** The stream has ended, by `[DONE]` or with the body. Never returns `reading`. */
  end(into: StreamEvent[], how: 'marker' | 'endOfBody'): Progress;
}

/** Where the blocks of one answer are written. Positions are assigned in order of appearance, from 0. */
export interface Output {
  readonly provider: string;
  events: StreamEvent[];
  nextIndex: number;
  /** Calls for the client to run. */
  calls: number;
  refused: boolean;
  /** The server's id of the answer. */
  answerId: string | undefined;
}

/** An empty output. */
export function createOutput(provider: string): Output {
  return { provider, events: [], nextIndex: 0, calls: 0, refused: false, answerId: undefined };
}

/** Passes an event on as it came: one that no rule understands. */
export function writeRaw(output: Output, event: JsonObject): void {
  output.events.push({ type: 'raw', provider: output.provider, event });
}

/** An id for a call that came without one. Unique in the transcript if the server's answers have ids. */
export function madeCallId(output: Output, index: number): string {
  const answer = (output.answerId ?? '').replace(/[^a-zA-Z0-9_-]/g, '').slice(-28);
  return answer === '' ? `call_${index}` : `call_${answer}_${index}`;
}
