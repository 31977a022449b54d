// Deep equality of JSON values. Called by repair, to distinguish a copied message from two that share an id.

/** Whether two JSON values are equal, in any order of keys. No limit of depth; cycles are not allowed. */
export function isSameJson(left: unknown, right: unknown): boolean {
  const pairs: [unknown, unknown][] = [[left, right]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [one, other] = pair;
    if (Object.is(one, other)) continue;
    if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
    if (Array.isArray(one) !== Array.isArray(other)) return false;
    const keys = Object.keys(one);
    if (keys.length !== Object.keys(other).length) return false;
    for (const key of keys) {
      if (!Object.hasOwn(other, key)) return false;
      pairs.push([Reflect.get(one, key), Reflect.get(other, key)]);
    }
  }
  return true;
}
