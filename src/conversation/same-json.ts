// Deep equality of JSON values. Called by repair, to tell a doubled message from two that share an id.

/** Whether two JSON values are equal, whatever the order of keys. Has no limit of depth; must not be given cycles. */
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
