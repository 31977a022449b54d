// Writes JSON text without recursion. Called by the conversation codec, whose values may be deeper than JSON.stringify
// goes.

import type { JsonValue } from '../conversation/json.ts';

/** An object or array that is being written. */
interface Level {
  readonly keys: readonly string[] | undefined;
  readonly values: readonly JsonValue[];
  next: number;
}

/**
 * The text that `JSON.stringify` gives, except that -0 is written as `-0`, which `JSON.parse` reads back. The value
 * must be plain JSON without cycles. No limit of depth.
 */
export function writeJson(root: JsonValue): string {
  const levels: Level[] = [];
  let text = open(root, levels);
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const value = level.values[level.next];
    if (value === undefined) {
      text += level.keys ? '}' : ']';
      levels.pop();
      continue;
    }
    if (level.next > 0) text += ',';
    if (level.keys) text += `${JSON.stringify(level.keys[level.next])}:`;
    level.next++;
    text += open(value, levels);
  }
  return text;
}

/** Writes a scalar, or the bracket of a container that is then left to be written. */
function open(value: JsonValue, levels: Level[]): string {
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : JSON.stringify(value);
  const isArray = Array.isArray(value);
  levels.push({ keys: isArray ? undefined : Object.keys(value), values: Object.values(value), next: 0 });
  return isArray ? '[' : '{';
}
