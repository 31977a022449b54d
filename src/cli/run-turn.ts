// Runs one turn of an operative and reports all its events. Called by main.ts.

import type { Message, Operative, TurnResult } from '../index.ts';
import { createPresentation, isRecord } from './presentation.ts';
import type { Reporter } from './report.ts';
import type { Session } from './session/session.ts';

/** What to run. */
export interface TurnParts {
  readonly operative: Operative;
  /** Undefined: resume what was left unanswered. */
  readonly message: Message | undefined;
  readonly session: Session | undefined;
  readonly reporter: Reporter;
  /** Aborted: the turn is cancelled. */
  readonly signal: AbortSignal;
}

/** Runs the turn to its end; undefined if there was nothing to resume. Failures of the turn do not reject. */
export async function runTurn(parts: TurnParts): Promise<TurnResult | undefined> {
  const { operative, message, session, reporter, signal } = parts;
  const presentation = createPresentation(session?.saved);
  session?.follow(operative);
  let result: TurnResult | undefined;
  const unsubscribe = operative.subscribe((event) => {
    if (event.type === 'turn.completed') result = event;
    presentation.show(() => reporter.report(event), { isRecord: isRecord(event) });
  });
  const cancel = () => void operative.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    if (message !== undefined) session?.accept(message);
    const { events } = message === undefined ? await operative.resume() : await operative.submit(message);
    if (signal.aborted) cancel();
    for await (const _ of events); // ends when the turn has
    await presentation.shown();
    return result;
  } finally {
    unsubscribe();
    signal.removeEventListener('abort', cancel);
    reporter.end();
    await session?.saved();
  }
}
