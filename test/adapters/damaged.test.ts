// Recorded answers with a field changed or an event lost, doubled or moved: whatever a server sends, the outcome is an
// answer that can be sent back, or a ModelError.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDecoder } from '../../src/adapters/anthropic/decode.ts';
import { encodeRequest } from '../../src/adapters/anthropic/encode.ts';
import type { StreamDecoder } from '../../src/adapters/model-stream.ts';
import { createAnswerReader } from '../../src/adapters/openai/answer-reader.ts';
import { createChatDecoder } from '../../src/adapters/openai/chat/decode.ts';
import { encodeChatRequest } from '../../src/adapters/openai/chat/encode.ts';
import { createResponsesDecoder } from '../../src/adapters/openai/responses/decode.ts';
import { encodeResponsesRequest } from '../../src/adapters/openai/responses/encode.ts';
import { targetOf } from '../../src/adapters/openai/target.ts';
import { isModelError } from '../../src/contracts/errors.ts';
import type { StreamEvent } from '../../src/contracts/model.ts';
import type { Block } from '../../src/conversation/block.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import { userMessage, type Message } from '../../src/conversation/message.ts';
import { verifyTranscript } from '../../src/testing/index.ts';
import { collect } from './collect.ts';
import { bodyOf, readRecordings, type Recording } from './recordings.ts';

const runs = 200 * Number(process.env['TURNCHART_RUNS'] ?? 1);
const facts = { provider: 'Somebody', model: 'm' };

/** Any value where another one was due; not JSON's only in that strings may be ill-formed. */
const anything = fc.oneof(
  fc.constantFrom<unknown>(null, 0, -1, 1e9, 1.5, true, '', '0', 'x', '\uD800', [], {}, [null], [[]], [{}]),
  fc.jsonValue({ maxDepth: 2 }),
);

type Json = { [key: string]: unknown };

/** Every place in a value, as the holder and the key. */
function places(value: unknown, found: [Json, string][] = []): [Json, string][] {
  if (typeof value !== 'object' || value === null) return found;
  for (const key of Object.keys(value)) {
    found.push([value as Json, key]);
    places((value as Json)[key], found);
  }
  return found;
}

function damaged(value: unknown, at: number, by: unknown): unknown {
  const copy = structuredClone(value);
  const all = places(copy);
  const place = all[at % Math.max(1, all.length)];
  if (place === undefined) return by;
  if (by === undefined) delete place[0][place[1]];
  else place[0][place[1]] = structuredClone(by);
  return copy;
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The data of each event of a recording, or the one body. */
function payloadsOf(recording: Recording): readonly string[] {
  if (recording.transport !== 'sse') return [bodyOf(recording)];
  return bodyOf(recording)
    .split(/\r?\n\r?\n/)
    .map((frame) => /^data: ?(.*)$/m.exec(frame)?.[1] ?? '')
    .filter((data) => data !== '');
}

const decoders: readonly (readonly [string, () => StreamDecoder])[] = [
  ['anthropic', () => createDecoder(facts)],
  ['openai-responses', () => createAnswerReader(() => createResponsesDecoder({ provider: 'openai' }), facts)],
  ['openai-chat', () => createAnswerReader(() => createChatDecoder({ provider: 'openai' }), facts)],
];

/** Sends the answer back to every API; throws what no encoder may throw. */
function sendBack(content: readonly Block[]): void {
  const results = content.flatMap((block): readonly Block[] =>
    block.type === 'toolCall' ? [{ type: 'toolResult', callId: block.id, status: 'completed', content: [] }] : [],
  );
  const messages: Message[] = [userMessage('go'), { id: 'a', role: 'assistant', content }];
  if (results.length > 0) messages.push({ id: 't', role: 'tool', content: results });
  const ids = content.map((block) => (block.type === 'toolCall' ? block.id : undefined)).filter(Boolean);
  if (new Set(ids).size === results.length) verifyTranscript(createConversation({ messages }));
  const request = { system: [], messages, tools: [] };
  const options = { model: 'm', maxOutputTokens: 1, cache: 'request', serverTools: [], now: 0 } as const;
  const bodies = [
    encodeRequest(request, options),
    encodeChatRequest(request, targetOf({ model: 'm', api: 'chat' }, undefined), {}),
    encodeResponsesRequest(request, targetOf({ model: 'm', api: 'responses' }, undefined), {}),
  ];
  for (const body of bodies) expect(JSON.stringify(body).isWellFormed()).toBe(true);
}

test.each(decoders)(
  '%s: a damaged answer is an answer, or a ModelError',
  async (folder, decoderOf) => {
    const recordings = readRecordings(folder).filter((recording) => (recording.response.status ?? 200) < 400);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...recordings),
        fc.constantFrom('field', 'lose', 'double', 'swap'),
        fc.nat(),
        fc.nat(),
        fc.option(anything, { nil: undefined }),
        async (recording, how, at, other, by) => {
          const payloads = [...payloadsOf(recording)];
          const [first, second] = [at % payloads.length, other % payloads.length];
          const here = payloads[first] ?? '';
          const isWhole = recording.transport !== 'sse';
          if (how === 'field' || isWhole) {
            const value = parsed(here);
            if (value !== undefined) payloads[first] = JSON.stringify(damaged(value, other, by)) ?? 'null';
          } else if (how === 'lose') payloads.splice(first, 1);
          else if (how === 'double') payloads.splice(second, 0, here);
          else [payloads[first], payloads[second]] = [payloads[second] ?? '', here];

          const decoder = decoderOf();
          const out: StreamEvent[] = [];
          try {
            if (isWhole) decoder.decodeWhole(parsed(payloads[0] ?? ''), out);
            for (const data of isWhole ? [] : payloads) if (!decoder.done) decoder.decode({ data }, out);
            if (!decoder.done) decoder.end(out);
          } catch (error) {
            if (!isModelError(error)) throw error;
            return;
          }
          expect(out.at(-1)?.type).toBe('message.end');
          sendBack((await collect(out, { endMayCorrect: true })).content);
        },
      ),
      { numRuns: runs },
    );
  },
  180_000,
);
