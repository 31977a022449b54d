import { describe, expect, test } from 'vitest';
import { anthropic } from '../../../src/adapters/anthropic/index.ts';
import { encodeMessages } from '../../../src/adapters/anthropic/encode-messages.ts';
import type { ModelError } from '../../../src/contracts/errors.ts';
import type { ModelRequest, StopReason } from '../../../src/contracts/model.ts';
import type { Block } from '../../../src/conversation/block.ts';
import { userMessage } from '../../../src/conversation/message.ts';
import { collect, collectUntilThrow } from '../collect.ts';
import { readRecordings, replaying, type Recording } from '../recordings.ts';
import { decodeMessage } from './decode-message.ts';
import { answerIn, comparable, type Wire, type WireAnswer } from './wire.ts';

const recordings = readRecordings('anthropic');
const answered = recordings.filter((recording) => (recording.response.status ?? 200) < 400);
const refused = recordings.filter((recording) => (recording.response.status ?? 200) >= 400);
const spliced = ['ant-17cf', 'ant-48f2', 'ant-a64e'];
const seeds = Array.from({ length: 2 * Number(process.env['TURNCHART_RUNS'] ?? 1) }, (_, seed) => seed + 1);

const request: ModelRequest = { system: [], messages: [userMessage('hello')], tools: [] };
const call = () => ({ signal: new AbortController().signal });

function modelFor(recording: Recording, seed: number): ReturnType<typeof anthropic> {
  return anthropic({ model: 'claude-recorded', apiKey: 'sk-ant-none', fetch: replaying(recording, seed).fetch });
}

/** Our content in the API's terms, each kind by its own rule and without the encoder. */
function inWireTerms(content: readonly Block[]): readonly Wire[] {
  return content.map((block): Wire => {
    switch (block.type) {
      case 'text':
        return {
          type: 'text',
          text: block.text,
          ...(block.citations === undefined ? {} : { citations: block.citations }),
          ...(block.data as Wire | undefined),
        };
      case 'thinking':
        return block.encrypted === undefined
          ? { type: 'thinking', thinking: block.text, signature: block.signature, ...(block.data as Wire | undefined) }
          : { type: 'redacted_thinking', data: block.encrypted };
      case 'toolCall':
        return {
          type: 'tool_use',
          id: block.id,
          name: block.name,
          input: block.args,
          ...(block.data as Wire | undefined),
        };
      case 'provider':
        return block.data as Wire;
      default:
        throw new Error(`an answer of Anthropic's holds no ${block.type}`);
    }
  });
}

const stopReasons: Record<string, StopReason> = {
  end_turn: 'endTurn',
  tool_use: 'toolUse',
  max_tokens: 'maxTokens',
  stop_sequence: 'stopSequence',
  refusal: 'refusal',
  pause_turn: 'pause',
};

/** One recording says its turn ended although it holds calls to run (a fixture put together from several answers). */
function stopReasonOf({ stop_reason, content }: WireAnswer): StopReason | undefined {
  const hasCalls = content.some((block) => block['type'] === 'tool_use');
  return stop_reason === 'end_turn' && hasCalls ? 'toolUse' : stopReasons[stop_reason ?? ''];
}

/** All input and output of the call: of every pass where the server lists them. */
function tokensOf(usage: Wire): { input: number; output: number } {
  const passes = (usage['iterations'] as Wire[] | undefined) ?? [usage];
  const sum = (keys: readonly string[]): number =>
    passes.reduce(
      (total, pass) => total + keys.reduce((part, key) => part + ((pass[key] as number | null | undefined) ?? 0), 0),
      0,
    );
  return {
    input: sum(['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens']),
    output: sum(['output_tokens']),
  };
}

function expectSame(actual: Awaited<ReturnType<typeof collect>>, expected: WireAnswer): void {
  expect(actual.providerId).toBe(expected.id);
  expect(actual.model).toBe(expected.model);
  expect(inWireTerms(actual.content)).toEqual(comparable(expected.content));
  expect(actual.rawStopReason).toBe(expected.stop_reason);
  expect(actual.stopReason).toBe(stopReasonOf(expected));
  expect(actual.usage?.details).toEqual(withoutNull(expected.usage));
  expect({ input: actual.usage?.inputTokens, output: actual.usage?.outputTokens }).toEqual(tokensOf(expected.usage));
  expect(actual.meta?.['anthropic'] ?? {}).toEqual(expected.rest);
  expect(actual.raw).toEqual([]);
}

const withoutNull = (record: Wire): Wire =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));

test('there are 73 recordings', () => {
  expect(recordings).toHaveLength(73);
  expect(refused).toHaveLength(3);
});

describe.each(answered.map((recording) => [recording.id, recording] as const))('%s', (id, recording) => {
  const expected = answerIn(recording);

  test('arrives whole through the SDK, however the network cuts it', async () => {
    for (const seed of seeds) expectSame(await collect(modelFor(recording, seed).stream(request, call())), expected);
  });

  test('is the same as a one-shot answer', async () => {
    const { id: providerId, model, content, stop_reason, usage, rest } = expected;
    const body = { type: 'message', role: 'assistant', id: providerId, model, content, stop_reason, usage, ...rest };
    expectSame(await collect(decodeMessage(body, { provider: 'Anthropic', model: 'm' })), expected);
  });

  test('is sent back exactly as it came', async () => {
    const { content } = await collect(modelFor(recording, 1).stream(request, call()));
    const encoded = encodeMessages([
      userMessage('hello'),
      { id: 'a', role: 'assistant', content },
      userMessage('and then?'),
    ]);
    const back = encoded.filter((message) => message.role === 'assistant').flatMap((message) => message.content);
    expect(back).toEqual(comparable(expected.content));
    expect(spliced.some((prefix) => id.startsWith(prefix)) || encoded.length === (back.length === 0 ? 1 : 3)).toBe(
      true,
    );
  });
});

describe('recorded refusals', () => {
  test.each(refused.map((recording) => [recording.response.status, recording] as const))(
    'HTTP %i',
    async (status, recording) => {
      const { events, thrown } = await collectUntilThrow(modelFor(recording, 1).stream(request, call()));
      const body = recording.response.body as { error: { type: string; message: string }; request_id: string | null };
      const code = { 400: 'model.rejected', 401: 'model.unauthorized', 404: 'model.notFound' }[status ?? 0];
      expect(events).toEqual([]);
      expect(thrown).toMatchObject({ code, retryable: false, status, providerCode: body.error.type });
      expect((thrown as ModelError).requestId).toBe(body.request_id ?? undefined);
      expect((thrown as Error).message).toContain(body.error.message);
    },
  );
});

describe('several answers spliced into one body', () => {
  test.each(spliced)('%s gives the first one, unmixed', async (prefix) => {
    const recording = recordings.find((one) => one.id.startsWith(prefix));
    if (recording === undefined) throw new Error('gone');
    expect(recording.response.events?.filter((event) => event.includes('"message_start"')).length).toBeGreaterThan(1);
    expectSame(await collect(modelFor(recording, 3).stream(request, call())), answerIn(recording));
  });
});
