// A question whose answer a caller of an operative waits for. Made by the facade, answered by the chart's actions.

import type { TurnchartError } from '../contracts/errors.ts';
import type { TurnResult } from '../contracts/events.ts';
import type { ResumeResult } from '../contracts/operative.ts';
import type { JsonValue } from '../conversation/json.ts';
import type { Question } from '../machines/operative.ts';

/** A question with the way to answer it. */
export interface OpenQuestion extends Question {
  readonly turnContext?: unknown;
  /** The instructions of a `compact`. */
  readonly instructions?: string | undefined;
  /** Resolves a `resume`, `cancel`, `compact` or `close`. */
  answer(value: ResumeResult | TurnResult | boolean | undefined): void;
  refuse(error: TurnchartError): void;
  /** What inspectors see of it: never the turn's context. */
  toJSON?(): JsonValue;
}
