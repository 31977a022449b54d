// Writes the place of a value inside a JSON value, as error messages show it. Called by the conversation codec.

const longestKey = 60;
const longestPath = 40;

/** `['messages', 3, 'a b']` as `messages[3]["a b"]`; the empty path as `(root)`. Long keys and long paths are cut. */
export function writePath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const key of path.slice(0, longestPath)) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (typeof key === 'string' && /^[A-Za-z_$][\w$]{0,59}$/.test(key)) text += text === '' ? key : `.${key}`;
    else text += `[${JSON.stringify(shorten(String(key)))}]`;
  }
  if (path.length > longestPath) text += '…';
  return text === '' ? '(root)' : text;
}

/** The kind of a value, or the value itself if it is short, for error messages. */
export function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return JSON.stringify(shorten(value));
  return value === null || typeof value === 'number' || typeof value === 'boolean' ? String(value) : kindOf(value);
}

/** The JSON name of a value's kind: null, array, object, string, …; `nothing` for undefined. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function shorten(text: string): string {
  return text.length > longestKey ? `${text.slice(0, longestKey)}…` : text;
}
