// Values made to break whoever reads them: throwing getters, traps and toJSON, cycles, lying lengths.

import fc from 'fast-check';

const refuse = (): never => {
  throw new Error('hostile');
};

const traps: ProxyHandler<object> = {
  get: refuse,
  has: refuse,
  ownKeys: refuse,
  getOwnPropertyDescriptor: refuse,
  getPrototypeOf: refuse,
};

function cyclic(): object {
  const value: Record<string, unknown> = { name: 'loop' };
  value['self'] = value;
  value['list'] = [value, { value }];
  return value;
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function deep(): unknown {
  let value: unknown = 'end';
  for (let level = 0; level < 20_000; level++) value = level % 2 === 0 ? [value] : { value };
  return value;
}

function shared(): unknown {
  let value: unknown = [];
  for (let level = 0; level < 40; level++) value = [value, value];
  return value;
}

/** Makers of hostile values; each call makes a fresh one. */
export const hostileMakers: Readonly<Record<string, () => unknown>> = {
  'a throwing proxy': () => new Proxy({}, traps),
  'a throwing proxy of an array': () => new Proxy([], traps),
  'a throwing proxy of a function': () => new Proxy(() => 1, { ...traps, apply: refuse }),
  'a revoked proxy': revoked,
  'a cycle': cyclic,
  'a throwing getter': () => Object.defineProperty({ a: 1 }, 'b', { get: refuse, enumerable: true }),
  'a throwing toJSON': () => ({ toJSON: refuse }),
  'a toJSON that returns itself': () => {
    const value = { a: 1, toJSON: (): unknown => value };
    return value;
  },
  'a toJSON that returns a bigint': () => ({ toJSON: () => 5n }),
  'a throwing toString': () => ({ toString: refuse, valueOf: refuse, [Symbol.toPrimitive]: refuse }),
  'an error with a throwing message': () => Object.defineProperty(new Error('x'), 'message', { get: refuse }),
  'an error with an object as message': () => Object.assign(new Error('x'), { message: { a: 1n } }),
  'deep nesting': deep,
  'shared parts that double at each level': shared,
  'a sparse array': () => Array.from({ length: 3 }).concat(new Array(1_000_000)),
  'a key named __proto__': () => JSON.parse('{"__proto__": {"a": 1}, "b": 2}'),
  'an object without prototype': () => Object.assign(Object.create(null), { a: 1n }),
  'a map with object keys': () => new Map<unknown, unknown>([[{ a: 1 }, new Set([1n])]]),
  'a promise': () => Promise.resolve(1),
  'a weak map': () => new WeakMap(),
  'an invalid date': () => new Date(Number.NaN),
  'a boxed bigint': () => new Object(5n),
  'a lone surrogate': () => ({ '\ud800': '\udc00' }),
  'a generator': () =>
    (function* numbers() {
      yield 1;
    })(),
};

// Tested one by one: a property would take too long over them.
const large = new Set(['deep nesting', 'shared parts that double at each level', 'a sparse array']);

/** Makers of small hostile values, alone, in a list or as a field. Never the value itself: fast-check would touch it. */
export function hostileValueMakers(): fc.Arbitrary<() => unknown> {
  const one = fc.constantFrom(
    ...Object.entries(hostileMakers).flatMap(([name, make]) => (large.has(name) ? [] : [make])),
  );
  return fc.oneof(
    one,
    one.map((make) => () => [make(), 1]),
    one.map((make) => () => ({ first: 1, value: make() })),
  );
}
