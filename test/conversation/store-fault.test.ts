import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeConversation } from '../../src/codec/index.ts';
import type { Block } from '../../src/conversation/block.ts';
import type { Message } from '../../src/conversation/message.ts';
import { storeFault } from '../../src/conversation/store-fault.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

const media = fc.constantFrom(
  { type: 'base64', mediaType: 'image/png', data: 'AAAA' },
  { type: 'url', url: 'https://example.org/a.png', mediaType: 'image/png' },
  { type: 'file', provider: 'p', fileId: 'f' },
  { type: 'text', text: 'x' },
);
const text = fc.record(
  {
    type: fc.constant('text'),
    text: fc.string(),
    refusal: fc.constant(true),
    citations: fc.array(fc.jsonValue()),
    provider: fc.string(),
    data: fc.jsonValue(),
  },
  { requiredKeys: ['type', 'text'] },
);
const image = fc.record({ type: fc.constant('image'), source: media });
const document = fc.record(
  { type: fc.constant('document'), source: media, title: fc.string() },
  { requiredKeys: ['type', 'source'] },
);
const blocks: readonly fc.Arbitrary<object>[] = [
  text,
  image,
  document,
  fc.record(
    {
      type: fc.constant('thinking'),
      text: fc.string(),
      provider: fc.string(),
      signature: fc.string(),
      encrypted: fc.string(),
      data: fc.jsonValue(),
    },
    { requiredKeys: ['type', 'text'] },
  ),
  fc.record(
    { type: fc.constant('audio'), source: media, transcript: fc.string() },
    { requiredKeys: ['type', 'source'] },
  ),
  fc.record(
    {
      type: fc.constant('toolCall'),
      id: fc.string(),
      name: fc.string(),
      args: fc.jsonValue(),
      rawArgs: fc.string(),
      provider: fc.string(),
      data: fc.jsonValue(),
    },
    { requiredKeys: ['type', 'id', 'name'] },
  ),
  fc.record({
    type: fc.constant('toolResult'),
    callId: fc.string(),
    status: fc.constantFrom('completed', 'failed', 'timedOut', 'running'),
    content: fc.array(fc.oneof(text, image, document), { maxLength: 2 }),
  }),
  fc.record({ type: fc.constant('boundary'), summary: fc.string(), keepFrom: fc.string() }),
  fc.record({ type: fc.constant('provider'), provider: fc.string(), kind: fc.string(), data: fc.jsonValue() }),
];
const odd = fc.constantFrom<unknown>(null, undefined, 0, 1n, true, false, 'x', [], {}, [{}], new Date(0), Symbol('s'));

// A value with one of its fields, at any depth, replaced or taken away.
function spoiled(value: object, steps: readonly number[], by: unknown): object {
  const copy = Array.isArray(value) ? [...value] : { ...value };
  const keys = Object.keys(copy);
  const key = keys[(steps[0] ?? 0) % Math.max(1, keys.length)];
  if (key === undefined) return copy;
  const inner: unknown = Reflect.get(copy, key);
  const goesOn = steps.length > 1 && typeof inner === 'object' && inner !== null;
  Reflect.set(copy, key, goesOn ? spoiled(inner, steps.slice(1), by) : by);
  return copy;
}

describe('storeFault', () => {
  test('finds a fault exactly where the conversation could not be encoded', () => {
    let stored = 0;
    let refused = 0;
    const whole = fc.record(
      {
        id: fc.string(),
        role: fc.constantFrom('user', 'assistant', 'tool'),
        content: fc.array(fc.oneof(...blocks), { maxLength: 3 }),
        meta: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 }),
      },
      { requiredKeys: ['id', 'role', 'content'] },
    );
    const path = fc.array(fc.nat(5), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(whole, fc.option(fc.record({ path, by: odd })), (message, spoil) => {
        const given = (spoil === null ? message : spoiled(message, spoil.path, spoil.by)) as Message;
        let canEncode = true;
        try {
          encodeConversation({ system: [], messages: [given] });
          stored++;
        } catch {
          canEncode = false;
          refused++;
        }
        expect(storeFault(given) === undefined).toBe(canEncode);
      }),
      { numRuns: 1_500 * runs },
    );
    expect(Math.min(stored, refused)).toBeGreaterThan(200);
  });

  test.each<[string, unknown, string]>([
    ['no message', 7, 'expected a message, got number'],
    ['an unknown block', { type: 'zzz' }, 'its type is unknown: "zzz"'],
    ['a block named as a method of objects', { type: 'toString' }, 'its type is unknown: "toString"'],
    ['thinking with null as signature', { type: 'thinking', text: 'x', signature: null }, '"signature" of a block'],
    ['a provider block without data', { type: 'provider', provider: 'p', kind: 'k' }, '"data" of a block'],
    ['a text with a bigint', { type: 'text', text: 'x', data: 1n }, 'not JSON: a bigint'],
  ])('says what is wrong with %s', (_title, given, fault) => {
    const message = typeof given === 'object' ? { id: 'm', role: 'user', content: [given as Block] } : given;
    expect(storeFault(message)).toContain(fault);
  });

  test('survives what throws when it is read', () => {
    const trap = new Proxy({}, { getPrototypeOf: () => fail() });
    expect(storeFault({ id: 'm', role: 'user', content: [], meta: trap })).toBe('trap');
  });
});

function fail(): never {
  throw new Error('trap');
}
