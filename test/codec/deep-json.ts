// JSON nested to a given depth, and a comparison that does not recurse. Used by the codec tests.

import type { JsonValue } from '../../src/conversation/json.ts';

/** `leaf` inside `depth` levels, arrays and objects by turns. */
export function nested(depth: number, leaf: JsonValue = 'leaf'): JsonValue {
  let value = leaf;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { in: value };
  return value;
}

/** Whether two values are the same JSON: own keys of plain objects, prototypes, -0 and the order of keys included. */
export function isIdentical(left: unknown, right: unknown): boolean {
  const pairs: [unknown, unknown][] = [[left, right]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [one, other] = pair;
    if (Object.is(one, other)) continue;
    if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
    if (Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return false;
    const keys = Object.keys(one);
    const others = Object.keys(other);
    if (keys.length !== others.length || keys.some((key, index) => key !== others[index])) return false;
    for (const key of keys) pairs.push([Reflect.get(one, key), Reflect.get(other, key)]);
  }
  return true;
}
