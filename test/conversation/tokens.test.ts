import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Block, MediaSource, ResultContent, TextBlock } from '../../src/conversation/block.ts';
import type { JsonValue } from '../../src/conversation/json.ts';
import type { Message } from '../../src/conversation/message.ts';
import { tokensOf } from '../../src/conversation/tally.ts';
import { conversations } from '../../src/testing/properties/conversations.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

const holding = (...content: readonly Block[]): Message => ({ id: 'm', role: 'user', content });
const empty = tokensOf(holding());
/** Tokens of one block without the frame of its message. */
const costOf = (block: Block): number => tokensOf(holding(block)) - empty;
const text = (value: string): TextBlock => ({ type: 'text', text: value });
const base64 = (bytes: number, mediaType: string): MediaSource => ({
  type: 'base64',
  mediaType,
  data: 'A'.repeat((bytes * 4) / 3),
});

describe('tokensOf', () => {
  test('counts one for four letters of ASCII', () => {
    expect(costOf(text('x'.repeat(4000)))).toBe(1000);
  });

  test('counts letters of other scripts by their UTF-8 bytes', () => {
    const value = 'ключ 鍵 \ud83e\udd8a'.repeat(100);
    expect(costOf(text(value))).toBe(Math.ceil(Buffer.byteLength(value) / 4));
  });

  test('gives an empty message a cost', () => {
    expect(empty).toBeGreaterThan(0);
  });

  test('gives several messages the sum of their costs', () => {
    const messages = [holding(text('a'.repeat(40))), holding(text('b'.repeat(400)))];
    expect(tokensOf(messages)).toBe(2 * empty + 110);
  });

  test('gives no messages no cost', () => {
    expect(tokensOf([])).toBe(0);
  });

  test.each<[string, Block, Block]>([
    ['arguments', call({ path: 'x' }), call({ path: 'x'.repeat(100) })],
    ['arguments that are no JSON', { type: 'toolCall', id: '1', name: 'a' }, rawCall('{"path":')],
    ['the summary of a boundary', boundary(''), boundary('so far')],
    ['foreign data', foreign(null), foreign('x'.repeat(100))],
    ['the title of a document', document(), document('Report')],
    ['encrypted thinking', { type: 'thinking', text: '' }, { type: 'thinking', text: '', encrypted: 'x'.repeat(100) }],
    ['hidden thinking', { type: 'thinking', text: '' }, { type: 'thinking', text: '', signature: 'x'.repeat(100) }],
    ['citations', text('x'), { type: 'text', text: 'x', citations: [{ url: 'https://example.com' }] }],
    ['a transcript', audio(), audio('x'.repeat(10_000))],
    ['the content of a result', result(), result(text('x'))],
    ['images by size', image(base64(3000, 'image/png')), image(base64(90_000, 'image/png'))],
    [
      'documents by size',
      { type: 'document', source: base64(3000, 'application/pdf') },
      { type: 'document', source: base64(900_000, 'application/pdf') },
    ],
  ])('counts %s', (_, less, more) => {
    expect(costOf(more)).toBeGreaterThan(costOf(less));
  });

  test('counts a text document as its text', () => {
    expect(costOf({ type: 'document', source: { type: 'text', text: 'x'.repeat(400) } })).toBe(100);
    expect(costOf({ type: 'document', source: base64(300, 'text/plain') })).toBe(75);
  });

  test('bounds the cost of one image', () => {
    expect(costOf(image(base64(30_000_000, 'image/png')))).toBeLessThan(2000);
    expect(costOf(image({ type: 'url', url: 'https://example.com/a.png' }))).toBeLessThan(2000);
  });

  test('reads a message once', () => {
    let reads = 0;
    const message: Message = {
      id: 'm',
      role: 'user',
      get content() {
        reads++;
        return [text('hello')];
      },
    };
    tokensOf(message);
    tokensOf([message, message]);
    expect(reads).toBe(1);
  });

  test('gives a copy of a message the same cost', () => {
    fc.assert(
      fc.property(conversations(), ({ messages }) => {
        expect(tokensOf(structuredClone(messages))).toBe(tokensOf(messages));
      }),
      { numRuns: 100 * runs },
    );
  });

  test('counts arguments nested too deep for JSON.stringify', () => {
    let args: JsonValue = 'x'.repeat(1000);
    for (let depth = 0; depth < 20_000; depth++) args = [args];
    expect(costOf(call(args))).toBeGreaterThan(250);
  });

  test('counts cyclic arguments once', () => {
    const args: { [key: string]: JsonValue } = { text: 'x'.repeat(400) };
    args['self'] = args;
    expect(costOf(call(args))).toBeGreaterThan(100);
    expect(costOf(call(args))).toBeLessThan(130);
  });

  test('gives a number for anything at all', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withNullPrototype: true, withSparseArray: true }), (value) => {
        // What a JavaScript caller or a broken store may pass.
        for (const odd of [value, [value], { content: value }, { content: [value] }] as never[]) {
          expect(tokensOf(odd)).toBeGreaterThanOrEqual(0);
          expect(Number.isFinite(tokensOf(odd))).toBe(true);
        }
      }),
      { numRuns: 500 * runs },
    );
  });

  test.each(['image', 'document', 'audio', 'toolCall', 'toolResult', 'text', 'thinking', 'boundary', 'later'])(
    'gives a %s block without fields a number and counts its neighbours',
    (type) => {
      const bare = { type } as never;
      expect(tokensOf(holding(bare, text('x'.repeat(400))))).toBeGreaterThanOrEqual(100 + empty);
    },
  );
});

function call(args: JsonValue): Block {
  return { type: 'toolCall', id: '1', name: 'a', args };
}

function rawCall(rawArgs: string): Block {
  return { type: 'toolCall', id: '1', name: 'a', rawArgs };
}

function boundary(summary: string): Block {
  return { type: 'boundary', summary, keepFrom: 'm' };
}

function foreign(data: JsonValue): Block {
  return { type: 'provider', provider: 'p', kind: 'k', data };
}

function document(title?: string): Block {
  const source = { type: 'text', text: 'x' } as const;
  return title === undefined ? { type: 'document', source } : { type: 'document', source, title };
}

function audio(transcript?: string): Block {
  const source = base64(3000, 'audio/wav');
  return transcript === undefined ? { type: 'audio', source } : { type: 'audio', source, transcript };
}

function image(source: MediaSource): Block {
  return { type: 'image', source };
}

function result(...content: readonly ResultContent[]): Block {
  return { type: 'toolResult', callId: '1', status: 'completed', content };
}
