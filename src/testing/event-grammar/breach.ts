// How the parts of the event grammar report a breach. Caught by verifyEvents, which adds the position in the log.

/** A breach of the grammar. The message says what was expected instead. */
export class GrammarBreach extends Error {}

/** Throws a breach unless the condition holds. `expected` completes "expected …". */
export function expect(condition: boolean, expected: string | (() => string)): asserts condition {
  if (!condition) throw new GrammarBreach(typeof expected === 'string' ? expected : expected());
}

/** A value as one line of JSON, cut to 120 characters. Never throws. */
export function show(value: unknown): string {
  const text = textOf(value);
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}

function textOf(value: unknown): string {
  try {
    if (value instanceof Error) return String(value);
    return JSON.stringify(value) ?? String(value);
  } catch {
    return plainTextOf(value);
  }
}

// For cycles and bigints, which are not JSON.
function plainTextOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return 'a value that cannot be shown';
  }
}
