// How a part of the event grammar says no; caught by verifyEvents, which adds where in the log it happened.

/** A breach of the grammar. The message says what was expected instead. */
export class GrammarBreach extends Error {}

/** Throws a breach unless the condition holds. `expected` completes the sentence "expected …". */
export function expect(condition: boolean, expected: string | (() => string)): asserts condition {
  if (!condition) throw new GrammarBreach(typeof expected === 'string' ? expected : expected());
}

/** A value as one short line of JSON. */
export function show(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value) ?? String(value);
  } catch {
    text = String(value);
  }
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}
