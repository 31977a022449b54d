// A question that a caller of an operative waits to have answered. Made by the facade, answered by the chart's actions.

import { TurnchartError } from '../contracts/errors.ts';
import type { TurnResult } from '../contracts/events.ts';
import type { ResumeResult } from '../contracts/operative.ts';
import type { JsonValue } from '../conversation/json.ts';
import type { Question } from '../machines/operative.ts';

/** A question with its answer's way back. */
export interface OpenQuestion extends Question {
  readonly turnContext?: unknown;
  /** What a `compact` should heed. */
  readonly instructions?: string | undefined;
  /** Resolves a `resume`, `cancel`, `compact` or `close`. */
  answer(value: ResumeResult | TurnResult | boolean | undefined): void;
  refuse(error: TurnchartError): void;
  /** What inspectors see of it: never the turn's context. */
  toJSON?(): JsonValue;
}

/** The answer to what the operative cannot do any more. */
export function refuseClosed(question: OpenQuestion): void {
  const text = `This operative is closed, so it cannot ${question.kind}. Create a new one.`;
  question.refuse(new TurnchartError('operative.closed', text));
}

/** Answers those who waited for the end of a turn; undefined where none ran. */
export function answerAll(questions: readonly OpenQuestion[], ended: TurnResult | undefined): void {
  for (const question of questions) question.answer(question.kind === 'cancel' ? ended : undefined);
}
