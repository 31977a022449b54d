import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeConversation } from '../../src/codec/index.ts';
import type { StreamEvent } from '../../src/contracts/model.ts';
import type { Block } from '../../src/conversation/block.ts';
import { callOf, Fold } from '../../src/services/fold.ts';
import { streamChunks } from '../../src/testing/properties/index.ts';

const runs = 100 * Number(process.env['TURNCHART_RUNS'] ?? 1);
const start: StreamEvent = { type: 'message.start' };
const end: StreamEvent = { type: 'message.end', stopReason: 'endTurn' };

function foldOf(...events: readonly StreamEvent[]): Fold {
  let calls = 0;
  const fold = new Fold('m1', () => `made_${++calls}`);
  for (const event of events) fold.take(event);
  return fold;
}

const textBlock = (index: number, ...texts: string[]): StreamEvent[] => [
  { type: 'text.start', index },
  ...texts.map((text): StreamEvent => ({ type: 'text.delta', index, text })),
  { type: 'text.end', index },
];
const call = (index: number, id: string, ...json: string[]): StreamEvent[] => [
  { type: 'toolInput.start', index, id, name: 'look' },
  ...json.map((piece): StreamEvent => ({ type: 'toolInput.delta', index, json: piece })),
  { type: 'toolInput.end', index },
];
const contentOf = (...events: readonly StreamEvent[]) => foldOf(start, ...events, end).message().content;

describe('a whole message', () => {
  test('holds its blocks in the order of their index, whatever the order they came in', () => {
    expect(contentOf(...textBlock(2, 'c'), ...textBlock(0, 'a'), ...textBlock(1, 'b'))).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
      { type: 'text', text: 'c' },
    ]);
  });

  test('joins deltas of blocks that grow side by side', () => {
    const a: StreamEvent[] = textBlock(0, 'a1', 'a2');
    const b: StreamEvent[] = call(1, 'c', '{"n"', ':1}');
    const mixed = a.flatMap((event, index) => [event, b[index] ?? []].flat());
    expect(contentOf(...mixed)).toEqual([
      { type: 'text', text: 'a1a2' },
      { type: 'toolCall', id: 'c', name: 'look', args: { n: 1 } },
    ]);
  });

  test('leaves gaps and empty texts out', () => {
    expect(contentOf(...textBlock(0), ...textBlock(7, 'x'))).toEqual([{ type: 'text', text: 'x' }]);
  });

  test('keeps an empty text that carries provider data', () => {
    const block: Block = { type: 'text', text: '', provider: 'p', data: { id: 1 } };
    expect(contentOf({ type: 'block', index: 0, block })).toEqual([block]);
  });

  test('takes the finished block of an end event instead of the deltas', () => {
    const block: Block = { type: 'text', text: 'final', citations: [1] };
    const events: StreamEvent[] = [
      { type: 'text.start', index: 0 },
      { type: 'text.delta', index: 0, text: 'draft' },
      { type: 'text.end', index: 0, block },
    ];
    expect(contentOf(...events)).toEqual([block]);
  });

  test('notes the provider’s id, the model and its own meta', () => {
    const fold = foldOf(
      { type: 'message.start', providerId: 'p1', model: 'm' },
      { type: 'message.end', stopReason: 'endTurn', meta: { tier: 'x' } },
    );
    expect(fold.message()).toEqual({
      id: 'm1',
      role: 'assistant',
      content: [],
      meta: { providerId: 'p1', model: 'm', tier: 'x' },
    });
  });

  test('has no meta if the model gave none', () => {
    expect(foldOf(start, end).message()).not.toHaveProperty('meta');
  });

  test('names calls without an id and makes repeated ids unique', () => {
    const ids = contentOf(...['', 'a', 'a', 'a_2', 'a'].flatMap((id, index) => call(index, id, '{}'))).map(
      (block) => block.type === 'toolCall' && block.id,
    );
    expect(ids).toEqual(['made_1', 'a', 'a_2', 'a_2_2', 'a_3']);
  });

  test('makes thousands of calls of one id unique in linear time', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => call(index, 'same')).flat();
    const ids = contentOf(...many).map((block) => block.type === 'toolCall' && block.id);
    expect(new Set(ids).size).toBe(10_000);
  });
});

describe('callOf', () => {
  test.each([
    ['', { args: {} }],
    [' \n', { args: {} }],
    ['{"a":1}', { args: { a: 1 } }],
    ['[1]', { args: [1] }],
    ['"{}"', { args: '{}' }],
    ['null', { args: null }],
    ['{"a":', { rawArgs: '{"a":' }],
    ['{"a":1}{"b":2}', { rawArgs: '{"a":1}{"b":2}' }],
  ])('%j', (json, args) => {
    expect(callOf('c', 'look', json)).toEqual({ type: 'toolCall', id: 'c', name: 'look', ...args });
  });
});

describe('what take says', () => {
  const said = (fold: Fold, event: unknown) => fold.take(event as StreamEvent);

  test('pieces of the message are shown, facts besides it quiet, the end ended, the rest unknown', () => {
    const fold = foldOf();
    expect(said(fold, start)).toBe('shown');
    expect(said(fold, { type: 'usage', usage: { inputTokens: 1, outputTokens: 0 } })).toBe('quiet');
    expect(said(fold, { type: 'raw', provider: 'p', event: null })).toBe('quiet');
    expect(said(fold, { type: 'weather' })).toBe('unknown');
    expect(said(fold, {})).toBe('unknown');
    for (const event of textBlock(0, 'x')) expect(said(fold, event)).toBe('shown');
    expect(said(fold, end)).toBe('ended');
  });

  test.each<[string, unknown, string]>([
    ['no object', 7, 'an event must be an object, got 7'],
    ['an index that is no number', { type: 'text.start', index: '0' }, 'index "0"'],
    ['an end for nothing', { type: 'text.end', index: 3 }, 'not an open text block'],
    ['a delta that is a number', { type: 'text.delta', index: 0, text: 7 }, 'needs a string, got 7'],
    ['usage below zero', { type: 'usage', usage: { inputTokens: -1, outputTokens: 0 } }, 'at least 0'],
    ['usage that is not finite', { type: 'usage', usage: { inputTokens: Infinity, outputTokens: 0 } }, 'at least 0'],
    ['a block in a taken place', { type: 'block', index: 0, block: { type: 'text', text: 'x' } }, 'started before'],
  ])('a fault names %s', (_what, event, text) => {
    const fold = foldOf(start, { type: 'text.start', index: 0 });
    expect(said(fold, event)).toEqual({ fault: expect.stringContaining(text) as string });
  });

  test('a fault shows no more than the beginning of a long text', () => {
    const taken = said(foldOf(start), { type: 'text.start', index: 'x'.repeat(1000) });
    expect(typeof taken === 'object' && taken.fault.length).toBeLessThan(200);
  });
});

describe('what is there before the end', () => {
  test('closers end the open blocks, in order', () => {
    const fold = foldOf(start, { type: 'toolInput.start', index: 2, id: 'c', name: 'look' }, ...textBlock(0, 'x'), {
      type: 'thinking.start',
      index: 1,
    });
    expect(fold.closers()).toEqual([
      { type: 'thinking.end', index: 1 },
      { type: 'toolInput.end', index: 2 },
    ]);
  });

  test('a snapshot shows open blocks, half arguments as text', () => {
    const fold = foldOf(start, { type: 'text.start', index: 0 }, { type: 'text.delta', index: 0, text: 'He' });
    expect(fold.snapshot()?.content).toEqual([{ type: 'text', text: 'He' }]);
    for (const event of call(1, 'c', '{"a').slice(0, 2)) fold.take(event);
    expect(fold.snapshot()?.content[1]).toEqual({ type: 'toolCall', id: 'c', name: 'look', rawArgs: '{"a' });
  });

  test('there is no snapshot before the first block', () => {
    expect(foldOf(start).snapshot()).toBeUndefined();
  });

  test('a partial keeps the provider’s id next to its mark', () => {
    const fold = foldOf({ type: 'message.start', providerId: 'p1' }, ...textBlock(0, 'He'));
    expect(fold.partial('aborted')?.meta).toEqual({ providerId: 'p1', cut: 'aborted' });
  });
});

describe('chunking', () => {
  const said = fc.oneof(
    fc.record({ type: fc.constant('text' as const), text: fc.string({ unit: 'binary', minLength: 1 }) }),
    fc.record({ type: fc.constant('thinking' as const), text: fc.string({ unit: 'binary' }) }),
    fc.record({ type: fc.constant('toolInput' as const), text: fc.jsonValue().map((value) => JSON.stringify(value)) }),
  );
  const cutBlocks = fc
    .array(said, { maxLength: 5 })
    .chain((blocks) =>
      fc.tuple(...blocks.map((block) => streamChunks(block.text).map((chunks) => ({ ...block, chunks })))),
    );

  const eventsFor = (type: 'text' | 'thinking' | 'toolInput', index: number, pieces: readonly string[]) => {
    const begin: StreamEvent =
      type === 'toolInput'
        ? { type: 'toolInput.start', index, id: `c${index}`, name: 'look' }
        : { type: `${type}.start`, index };
    const deltas = pieces.map((piece): StreamEvent => {
      if (type === 'toolInput') return { type: 'toolInput.delta', index, json: piece };
      return { type: `${type}.delta`, index, text: piece };
    });
    return [begin, ...deltas, { type: `${type}.end`, index } as StreamEvent];
  };

  test('any chunking of a message folds to the same message', () => {
    fc.assert(
      fc.property(cutBlocks, (blocks) => {
        const cut = blocks.flatMap(({ type, chunks }, index) => eventsFor(type, index, chunks));
        const whole = blocks.flatMap(({ type, text }, index) => eventsFor(type, index, [text]));
        expect(foldOf(start, ...cut, end).message()).toEqual(foldOf(start, ...whole, end).message());
      }),
      { numRuns: runs },
    );
  });

  test('any interleaving of blocks folds to the same message', () => {
    fc.assert(
      fc.property(cutBlocks, fc.infiniteStream(fc.nat()), (blocks, choices) => {
        const lanes = blocks.map(({ type, chunks }, index) => eventsFor(type, index, chunks));
        const inOrder = lanes.flat();
        const mixed: StreamEvent[] = [];
        const open = lanes.map((lane) => [...lane]);
        while (open.some((lane) => lane.length > 0)) {
          const live = open.filter((lane) => lane.length > 0);
          const next = live[(choices.next().value ?? 0) % live.length]?.shift();
          if (next !== undefined) mixed.push(next);
        }
        expect(foldOf(start, ...mixed, end).message()).toEqual(foldOf(start, ...inOrder, end).message());
      }),
      { numRuns: runs },
    );
  });

  test('take never throws, whatever comes', () => {
    const tags = [
      'message.start',
      'text.start',
      'text.delta',
      'text.end',
      'toolInput.end',
      'block',
      'usage',
      'message.end',
    ];
    const junk = fc.oneof(
      fc.anything(),
      fc.record({
        type: fc.constantFrom(...tags),
        index: fc.oneof(fc.nat(3), fc.anything()),
        text: fc.anything(),
        block: fc.anything(),
        call: fc.anything(),
        usage: fc.anything(),
      }),
    );
    fc.assert(
      fc.property(fc.array(junk), (events) => {
        const fold = foldOf(start);
        for (const event of events) fold.take(event as StreamEvent);
        fold.snapshot();
        fold.partial('aborted');
        return fold.message().role === 'assistant';
      }),
      { numRuns: runs },
    );
  });

  test('what is taken without a fault can be stored', () => {
    const json = fc.oneof({ weight: 8, arbitrary: fc.jsonValue() }, { weight: 1, arbitrary: fc.anything() });
    const text = fc.oneof({ weight: 20, arbitrary: fc.string() }, { weight: 1, arbitrary: fc.anything() });
    const type = fc.constantFrom('text', 'thinking', 'image', 'document', 'audio', 'toolCall', 'provider', 'boundary');
    const source = fc.record({ type: fc.constantFrom('url', 'base64', 'text', 'file'), url: text, text, data: text });
    const optional = { signature: text, citations: json, data: json, args: json, rawArgs: text, source, meta: json };
    const required = { type, text, id: text, name: text, provider: text, kind: text };
    const block = fc.record({ ...required, ...optional }, { requiredKeys: ['type', 'text', 'id', 'name', 'kind'] });
    const event = fc.oneof(
      fc.record({ type: fc.constant('block'), index: fc.nat(3), block }),
      fc.record({ type: fc.constantFrom('text.start', 'thinking.start'), index: fc.nat(3) }),
      fc.record({ type: fc.constant('toolInput.start'), index: fc.nat(3), id: text, name: text }),
      fc.record({ type: fc.constantFrom('text.delta', 'thinking.delta'), index: fc.nat(3), text }),
      fc.record({ type: fc.constant('text.end'), index: fc.nat(3), block: fc.option(block) }),
      fc.record({ type: fc.constant('toolInput.end'), index: fc.nat(3), call: fc.option(block) }),
    );
    const ending = fc.record({ type: fc.constant('message.end'), stopReason: text, meta: json });
    const beginning = fc.record({ type: fc.constant('message.start'), providerId: text, model: text });
    let whole = 0;
    fc.assert(
      fc.property(
        beginning,
        fc.array(event, { minLength: 1, maxLength: 3 }),
        fc.option(ending),
        (first, events, last) => {
          const fold = foldOf();
          const taken = (given: object): boolean => typeof fold.take(given as StreamEvent) === 'string';
          // A fault ends an attempt: what came before it is all there is.
          if (!taken(first) || events.some((given) => !taken(given)) || (last !== null && !taken(last))) return;
          const messages = [fold.message(), fold.partial('aborted') ?? []].flat();
          whole += messages[0] !== undefined && messages[0].content.length > 0 ? 1 : 0;
          for (const message of messages) encodeConversation({ system: [], messages: [message] });
        },
      ),
      { numRuns: 20 * runs },
    );
    expect(whole).toBeGreaterThan(20);
  });
});
