// How the parts of the event grammar report a breach. Caught by verifyEvents, which adds the position in the log.

/** A breach of the grammar. The message says what was expected instead. */
export class GrammarBreach extends Error {}

/** Throws a breach unless the condition holds. `expected` completes "expected …". */
export function expect(condition: boolean, expected: string | (() => string)): asserts condition {
  if (!condition) throw new GrammarBreach(typeof expected === 'string' ? expected : expected());
}

/** A value as one line of JSON, cut to 120 characters. */
export function show(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value) ?? String(value);
  } catch {
    text = String(value);
  }
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}
