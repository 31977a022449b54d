// A frame of bytes takes the short way, a frame of text the long one: both report the same, whatever is in it.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { frameDecoder } from './facts.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

function expectSameBothWays(text: string): void {
  expect(frameDecoder()(new TextEncoder().encode(text))).toEqual(frameDecoder()(text));
}

const names = fc.constantFrom('type', 'delta', 'response_id', 'item_id', 'content_index', 'x', 'audio.delta');
const texts = fc.oneof(
  fc.constantFrom(
    'response.output_audio.delta',
    'response.audio.delta',
    'audio.delta',
    'AQID',
    'AQ==',
    '',
    '"delta":"',
    '\\"',
    'é🙂',
    'A',
  ),
  fc.base64String(),
  fc.string({ unit: 'binary' }),
);
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    texts,
    fc.integer(),
    fc.constant(null),
    tie('record'),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
  record: fc
    .array(fc.tuple(names, tie('value')), { maxLength: 7 })
    .map((fields) => Object.fromEntries(fields) as object),
}));

test('for any JSON', () => {
  fc.assert(
    fc.property(values.record, (value) => expectSameBothWays(JSON.stringify(value))),
    { numRuns: 500 * runs },
  );
});

test('for audio with its fields in any order, repeated or nested', () => {
  const fields = fc
    .shuffledSubarray([
      '"type":"response.output_audio.delta"',
      '"type":"response.audio.delta"',
      '"response_id":"r\u00e91"',
      '"response_id":"r1"',
      '"item_id":"i1"',
      '"content_index":2',
      '"delta":"AQID"',
      '"delta":"AQ\\/D"',
      '"delta":""',
      '"delta": "AQID"',
      '"x":{"delta":"BBBB"}',
      '"x":"\\"delta\\":\\"CCCC"',
      '"delta":5',
    ])
    .map((parts) => `{${parts.join(',')}}`);
  fc.assert(
    fc.property(fields, (text) => expectSameBothWays(text)),
    { numRuns: 2000 * runs },
  );
});

test('for audio that is cut off anywhere', () => {
  const text =
    '{"type":"response.output_audio.delta","response_id":"r1","item_id":"i1","content_index":0,"delta":"AQIDBAUG"}';
  for (let end = 0; end <= text.length; end++) expectSameBothWays(text.slice(0, end));
});

test('for bytes that are not text at all nothing is thrown', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(frameDecoder()(bytes).length).toBeGreaterThan(0);
    }),
    { numRuns: 300 * runs },
  );
});
