// Makes strings well formed: providers refuse a whole request because of one lone surrogate. Called by the encoders with
// the finished body.

/** The same value if all its strings are well formed, else a copy in which lone surrogates are U+FFFD. */
export function wellFormed<Value>(value: Value): Value {
  return cleaned(value) as Value; // strings stay strings, lists lists, objects objects
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const copy = items.map(cleaned);
    return copy.every((item, index) => Object.is(item, items[index])) ? value : copy;
  }
  let copy: { [key: string]: unknown } | undefined;
  for (const [key, field] of Object.entries(value)) {
    const clean = cleaned(field);
    if (clean === field && key.isWellFormed()) continue;
    copy ??= { ...value };
    if (!key.isWellFormed()) delete copy[key];
    copy[key.toWellFormed()] = clean;
  }
  return copy ?? value;
}
