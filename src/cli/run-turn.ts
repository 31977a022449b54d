// Runs one turn on a fresh conversation and reports it. main.ts calls it.

import { createConversation, userMessage, type Engine, type TurnResult } from '../index.ts';
import type { Reporter } from './report.ts';

/** Runs the turn to its end; an aborted signal cancels it. Never rejects for what happens in the turn. */
export async function runTurn(
  engine: Engine,
  prompt: string,
  reporter: Reporter,
  signal: AbortSignal,
): Promise<TurnResult> {
  const conversation = createConversation({ messages: [userMessage(prompt)] });
  const run = engine.run(conversation, { signal });
  try {
    for await (const event of run) reporter.report(event);
    return await run.result;
  } finally {
    reporter.end();
  }
}
