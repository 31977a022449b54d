import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeRequest } from '../../src/adapters/anthropic/encode.ts';
import { encodeChatRequest } from '../../src/adapters/openai/chat/encode.ts';
import { encodeResponsesRequest } from '../../src/adapters/openai/responses/encode.ts';
import { targetOf } from '../../src/adapters/openai/target.ts';
import { wellFormed } from '../../src/adapters/well-formed.ts';
import type { ModelRequest } from '../../src/contracts/model.ts';
import { assistantMessage, userMessage } from '../../src/conversation/message.ts';

test('halves of surrogate pairs become U+FFFD, in keys as well', () => {
  expect(wellFormed({ a: ['x\ud83d', { 'k\udc00': 'y' }], b: 1 })).toEqual({
    a: ['x\ufffd', { 'k\ufffd': 'y' }],
    b: 1,
  });
});

test('a value without them is the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => Object.is(wellFormed(value), value)),
    { numRuns: 100 * Number(process.env['TURNCHART_RUNS'] ?? 1) },
  );
});

const half = 'x\ud83d';
const request: ModelRequest = {
  system: [{ type: 'text', text: half }],
  messages: [
    userMessage(half),
    assistantMessage([{ type: 'toolCall', id: 'a', name: 'run', args: { [half]: half } }]),
    {
      id: 't',
      role: 'tool',
      content: [{ type: 'toolResult', callId: 'a', status: 'completed', content: [{ type: 'text', text: half }] }],
    },
  ],
  tools: [{ name: 'run', description: half, parameters: { type: 'object' } }],
};
const openAI = targetOf({ model: 'gpt-5.4' }, undefined);
const local = targetOf({ model: 'llama' }, 'http://127.0.0.1:11434/v1');

// Case 27: anthropics/claude-code#45982: one half makes every later request invalid.
describe('case 27: a half of a pair never leaves with a request', () => {
  test.each<readonly [string, object]>([
    ['anthropic', encodeRequest(request, { model: 'm', maxOutputTokens: 9, cache: 'off', serverTools: [], now: 0 })],
    ['responses', encodeResponsesRequest(request, openAI, {})],
    ['chat', encodeChatRequest(request, local, {})],
  ])('%s', (_, body) => {
    expect(JSON.stringify(body)).not.toMatch(/\\ud[89a-f]/i);
  });
});
