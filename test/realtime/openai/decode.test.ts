// Server events of both generations → neutral facts.

import { describe, expect, test } from 'vitest';
import { currentName } from '../../../src/realtime/openai/dialect.ts';
import { eventDecoder, factsOf, frameDecoder } from './facts.ts';

const place = { response_id: 'r1', item_id: 'i1', output_index: 0, content_index: 0 };
const neutral = { responseId: 'r1', itemId: 'i1', contentIndex: 0 };

describe('audio', () => {
  test.each(['response.output_audio.delta', 'response.audio.delta'])('%s is decoded into bytes of its own', (type) => {
    const [fact] = factsOf({ type, event_id: 'e', ...place, delta: 'AQID/w==' });
    expect(fact).toEqual({ type: 'audio.delta', ...neutral, audio: Uint8Array.of(1, 2, 3, 255) });
    expect(fact?.type === 'audio.delta' && fact.audio.buffer.byteLength).toBe(4);
  });

  test('with an odd number of bytes passes as it is', () => {
    expect(factsOf({ type: 'response.output_audio.delta', ...place, delta: 'AQI=' })).toMatchObject([
      { audio: Uint8Array.of(1, 2) },
    ]);
    expect(factsOf({ type: 'response.output_audio.delta', ...place, delta: 'AQ==' })).toMatchObject([
      { audio: Uint8Array.of(1) },
    ]);
  });

  test.each([
    ['no base64', { ...place, delta: 'AQ!D' }],
    ['no delta', { ...place }],
    ['a delta that is no text', { ...place, delta: 5 }],
    ['no item', { response_id: 'r1', delta: 'AQID' }],
  ])('with %s arrives raw', (_, fields) => {
    const event = { type: 'response.output_audio.delta', ...fields };
    expect(factsOf(event)).toEqual([{ type: 'raw', event }]);
  });

  test('without a response id belongs to the response of its item', () => {
    const facts = factsOf(
      { type: 'response.output_item.added', response_id: 'r1', item: { id: 'i1', type: 'message' } },
      { type: 'response.audio.delta', item_id: 'i1', delta: 'AQID' },
    );
    expect(facts[1]).toMatchObject({ type: 'audio.delta', ...neutral });
  });
});

describe('a frame', () => {
  test.each([
    ['no JSON', '{"type":'],
    ['a list', '[]'],
    ['null', 'null'],
    ['no type', '{"a":1}'],
    ['a type that is no text', '{"type":7}'],
    ['nothing', ''],
  ])('that holds %s is an error the session survives', (_, frame) => {
    expect(frameDecoder()(frame)).toMatchObject([{ type: 'error', kind: 'session', code: 'malformed_frame' }]);
  });

  test('that nobody can read is not quoted', () => {
    const [fact] = frameDecoder()(`sk-secret-${'x'.repeat(100)}`);
    expect(JSON.stringify(fact)).not.toContain('secret');
  });

  test('may be text or bytes', () => {
    const text = JSON.stringify({ type: 'response.text.delta', ...place, delta: 'é🙂' });
    expect(frameDecoder()(text)).toEqual(frameDecoder()(new TextEncoder().encode(text)));
  });

  test('of 10 MB is read', () => {
    const delta = 'AAAA'.repeat(2_500_000);
    const [fact] = factsOf({ type: 'response.output_audio.delta', ...place, delta });
    expect(fact?.type === 'audio.delta' && fact.audio.length).toBe(7_500_000);
  });
});

describe('text and transcripts', () => {
  test.each([
    ['response.output_text.delta', { delta: 'a' }, { type: 'text.delta', text: 'a', ...neutral }],
    ['response.text.done', { text: 'ab' }, { type: 'text.done', text: 'ab', ...neutral }],
    [
      'response.output_audio_transcript.delta',
      { delta: 'a' },
      { type: 'transcript.delta', role: 'assistant', text: 'a', ...neutral },
    ],
    [
      'response.audio_transcript.done',
      { transcript: 'ab' },
      { type: 'transcript.done', role: 'assistant', transcript: 'ab', ...neutral },
    ],
  ])('%s', (type, fields, fact) => {
    expect(factsOf({ type, ...place, ...fields })).toEqual([fact]);
  });

  test('of the user come with what they cost', () => {
    const type = 'conversation.item.input_audio_transcription';
    expect(factsOf({ type: `${type}.delta`, item_id: 'u', content_index: 0, delta: 'He' })).toEqual([
      { type: 'transcript.delta', role: 'user', itemId: 'u', contentIndex: 0, text: 'He' },
    ]);
    const usage = { type: 'tokens', input_tokens: 5, output_tokens: 2, total_tokens: 7 };
    expect(factsOf({ type: `${type}.completed`, item_id: 'u', content_index: 0, transcript: 'Hey', usage })).toEqual([
      { type: 'transcript.done', role: 'user', itemId: 'u', contentIndex: 0, transcript: 'Hey' },
      { type: 'usage', usage: { inputTokens: 5, outputTokens: 2, details: usage } },
    ]);
    const error = { code: 'DeploymentNotFound', message: 'no such deployment, key sk-abcdefghijklmnop123456' };
    expect(factsOf({ type: `${type}.failed`, item_id: 'u', content_index: 0, error })).toEqual([
      {
        type: 'transcript.failed',
        itemId: 'u',
        code: 'DeploymentNotFound',
        message: 'no such deployment, key [redacted]',
      },
    ]);
  });
});

describe('the input buffer', () => {
  test.each([
    ['speech_started', { audio_start_ms: 3, item_id: 'u' }, { type: 'speech.started', itemId: 'u', audioMs: 3 }],
    ['speech_stopped', { audio_end_ms: 9, item_id: 'u' }, { type: 'speech.stopped', itemId: 'u', audioMs: 9 }],
    ['committed', { item_id: 'u', previous_item_id: null }, { type: 'input.committed', itemId: 'u' }],
    [
      'committed',
      { item_id: 'u', previous_item_id: 'p' },
      { type: 'input.committed', itemId: 'u', previousItemId: 'p' },
    ],
    ['cleared', {}, { type: 'input.cleared' }],
    ['timeout_triggered', { item_id: 'u', audio_start_ms: 1, audio_end_ms: 2 }, { type: 'input.idle' }],
    ['dtmf_event_received', { event: '#', received_at: 1 }, { type: 'call.dtmf', digit: '#' }],
  ])('%s', (name, fields, fact) => {
    expect(factsOf({ type: `input_audio_buffer.${name}`, ...fields })).toEqual([fact]);
  });
});

describe('the conversation', () => {
  test.each([
    [
      'conversation.item.added',
      { item: { id: 'i' }, previous_item_id: 'p' },
      { type: 'item.added', itemId: 'i', previousItemId: 'p' },
    ],
    ['conversation.item.created', { item: { id: 'i' } }, { type: 'item.added', itemId: 'i' }],
    ['conversation.item.truncated', { item_id: 'i', audio_end_ms: 5 }, { type: 'item.truncated', itemId: 'i' }],
    ['conversation.item.deleted', { item_id: 'i' }, { type: 'item.deleted', itemId: 'i' }],
    ['output_audio_buffer.started', { response_id: 'r1' }, { type: 'output.started', responseId: 'r1' }],
    ['output_audio_buffer.stopped', { response_id: 'r1' }, { type: 'output.stopped', responseId: 'r1' }],
    ['output_audio_buffer.cleared', { response_id: 'r1' }, { type: 'output.cleared', responseId: 'r1' }],
  ])('%s', (type, fields, fact) => {
    expect(factsOf({ type, ...fields })).toEqual([fact]);
  });
});

describe('a response', () => {
  test('names the request it answers', () => {
    const response = { id: 'r1', metadata: { client_event_id: 'q1', own: 'x' }, conversation_id: 'c' };
    expect(factsOf({ type: 'response.created', response })).toEqual([
      { type: 'response.created', responseId: 'r1', requestId: 'q1' },
    ]);
  });

  test('outside the conversation says so', () => {
    expect(factsOf({ type: 'response.created', response: { id: 'r1', conversation_id: null } })).toEqual([
      { type: 'response.created', responseId: 'r1', outOfBand: true },
    ]);
  });

  test.each([
    [{ status: 'completed' }, { status: 'completed' }],
    [
      { status: 'cancelled', status_details: { reason: 'turn_detected' } },
      { status: 'cancelled', reason: 'turn_detected' },
    ],
    [
      { status: 'incomplete', status_details: { reason: 'max_output_tokens' } },
      { status: 'incomplete', reason: 'max_output_tokens' },
    ],
    [
      { status: 'failed', status_details: { error: { code: 'rate_limit_exceeded', message: 'slow' } } },
      { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'slow' } },
    ],
    [{ status: 'completed', status_details: 'unimplemented' }, { status: 'completed' }],
    [{}, { status: 'completed' }],
  ])('done with %j', (fields, told) => {
    expect(factsOf({ type: 'response.done', response: { id: 'r1', output: [], usage: null, ...fields } })).toEqual([
      { type: 'response.done', responseId: 'r1', calls: [], ...told },
    ]);
  });

  test('reports its tokens by kind', () => {
    const usage = {
      input_tokens: 41,
      output_tokens: 164,
      input_token_details: { text_tokens: 14, audio_tokens: 27, image_tokens: 0, cached_tokens: 3 },
      output_token_details: { text_tokens: 30, audio_tokens: 134, reasoning_tokens: 2 },
    };
    const [fact] = factsOf({ type: 'response.done', response: { id: 'r1', status: 'completed', usage } });
    expect(fact).toMatchObject({
      usage: {
        inputTokens: 41,
        outputTokens: 164,
        cacheReadTokens: 3,
        reasoningTokens: 2,
        inputAudioTokens: 27,
        inputTextTokens: 14,
        inputImageTokens: 0,
        outputAudioTokens: 134,
        outputTextTokens: 30,
        details: usage,
      },
    });
  });
});

describe('a tool call', () => {
  const item = {
    id: 'i1',
    type: 'function_call',
    status: 'completed',
    call_id: 'c1',
    name: 'look',
    arguments: '{"a":1}',
  };
  const told = {
    type: 'toolCall.requested',
    responseId: 'r1',
    callId: 'c1',
    itemId: 'i1',
    name: 'look',
    rawArgs: '{"a":1}',
  };
  const args = { ...place, call_id: 'c1', arguments: '{"a":1}' };

  test('is reported once, when its arguments are complete', () => {
    const decode = eventDecoder();
    expect(
      decode({ type: 'response.output_item.added', response_id: 'r1', item: { ...item, arguments: '' } })[0]?.type,
    ).toBe('raw');
    expect(decode({ type: 'response.function_call_arguments.done', ...args, name: 'look' })).toEqual([told]);
    expect(decode({ type: 'response.output_item.done', response_id: 'r1', item })[0]?.type).toBe('raw');
  });

  test('of the former generation gets its name from its item', () => {
    const decode = eventDecoder();
    decode({ type: 'response.output_item.added', response_id: 'r1', item: { ...item, arguments: '' } });
    expect(decode({ type: 'response.function_call_arguments.done', ...args })).toEqual([told]);
  });

  test('that was never named is reported with its finished item', () => {
    const decode = eventDecoder();
    expect(decode({ type: 'response.function_call_arguments.done', ...args })[0]?.type).toBe('raw');
    expect(decode({ type: 'response.output_item.done', response_id: 'r1', item })).toEqual([told]);
  });

  test('reported with its finished item is not reported again by late arguments', () => {
    const decode = eventDecoder();
    expect(decode({ type: 'response.output_item.done', response_id: 'r1', item })).toEqual([told]);
    expect(decode({ type: 'response.function_call_arguments.done', ...args, name: 'look' })[0]?.type).toBe('raw');
  });

  test('is in the response that is done, reported before or not', () => {
    const { type: _, responseId: __, ...call } = told;
    const response = { id: 'r1', status: 'completed', output: [item, { id: 'm', type: 'message' }] };
    expect(factsOf({ type: 'response.done', response })).toMatchObject([{ calls: [call] }]);
  });

  test('that was cut off does not count', () => {
    const cut = { ...item, status: 'incomplete', arguments: '{"a' };
    expect(factsOf({ type: 'response.output_item.done', response_id: 'r1', item: cut })[0]?.type).toBe('raw');
    expect(
      factsOf({ type: 'response.done', response: { id: 'r1', status: 'cancelled', output: [cut] } }),
    ).toMatchObject([{ calls: [] }]);
  });

  test('with the id of an earlier answer’s is another call', () => {
    const decode = eventDecoder();
    const again = { ...args, response_id: 'r2', item_id: 'i2', name: 'look' };
    decode({ type: 'response.function_call_arguments.done', ...args, name: 'look' });
    expect(decode({ type: 'response.function_call_arguments.done', ...again })).toMatchObject([
      { type: 'toolCall.requested', responseId: 'r2', itemId: 'i2' },
    ]);
  });
});

describe('a session', () => {
  test('of the current generation', () => {
    const session = {
      id: 's1',
      type: 'realtime',
      expires_at: 1_000,
      audio: {
        input: {
          format: { type: 'audio/pcm', rate: 24_000 },
          turn_detection: { type: 'server_vad', create_response: true, interrupt_response: false },
        },
        output: { format: { type: 'audio/pcmu' } },
      },
    };
    const settings = {
      detection: 'server_vad',
      createsResponse: true,
      interruptsResponse: false,
      inputFormat: { type: 'pcm16', rate: 24_000 },
      outputFormat: { type: 'g711Ulaw' },
      expiresAt: 1_000_000,
      raw: session,
    };
    expect(factsOf({ type: 'session.created', session })).toEqual([
      { type: 'session.created', sessionId: 's1', settings },
    ]);
    expect(factsOf({ type: 'session.updated', session })).toEqual([{ type: 'session.configured', settings }]);
  });

  test.each([0, -1, 1e-300, 1e308])('with a rate of %d has the usual one', (rate) => {
    const session = { audio: { output: { format: { type: 'audio/pcm', rate } } } };
    expect(factsOf({ type: 'session.updated', session })).toMatchObject([
      { settings: { outputFormat: { type: 'pcm16' } } },
    ]);
    expect(JSON.stringify(factsOf({ type: 'session.updated', session })[0]).match(/"rate"/g)).toHaveLength(1); // in `raw`
  });

  test('of the former generation', () => {
    const session = {
      id: 's1',
      input_audio_format: 'g711_alaw',
      output_audio_format: null,
      turn_detection: { type: 'server_vad' },
    };
    expect(factsOf({ type: 'session.updated', session })).toEqual([
      {
        type: 'session.configured',
        settings: {
          detection: 'server_vad',
          createsResponse: true,
          interruptsResponse: true,
          inputFormat: { type: 'g711Alaw' },
          raw: session,
        },
      },
    ]);
  });

  test.each([null, { type: null }, { type: 'none' }])(
    'with turn detection %j answers nothing by itself',
    (detection) => {
      const session = { audio: { input: { turn_detection: detection } } };
      expect(factsOf({ type: 'session.updated', session })).toMatchObject([
        { settings: { detection: 'off', createsResponse: false, interruptsResponse: false } },
      ]);
    },
  );

  test('that is silent about turn detection leaves it open', () => {
    const [fact] = factsOf({ type: 'session.updated', session: { audio: {} } });
    expect(fact).toEqual({ type: 'session.configured', settings: { raw: { audio: {} } } });
  });

  test('of a side socket is announced by the link, so that the server’s own arrives raw', () => {
    const event = { type: 'session.created', session: { id: 's1' } };
    expect(eventDecoder({ isSideband: true })(event)).toEqual([{ type: 'raw', event }]);
  });
});

describe('an error', () => {
  const error = (fields: object) =>
    factsOf({ type: 'error', event_id: 'e', error: { type: 'invalid_request_error', message: 'm', ...fields } })[0];

  test.each([
    ['benign', { code: 'response_cancel_not_active', event_id: 'q' }],
    ['benign', { code: 'invalid_value', message: 'Audio content of 10200ms is already shorter than 10399ms' }],
    ['benign', { code: 'item_delete_invalid_item_id', event_id: 'q' }],
    ['request', { code: 'invalid_value', event_id: 'q' }],
    ['session', { code: 'something_new', type: 'server_error' }],
    ['fatal', { code: 'insufficient_quota' }],
    ['fatal', { code: 'invalid_api_key', event_id: 'q' }],
    ['fatal', { code: 'billing_hard_limit_reached' }],
    ['fatal', { code: 'account_deactivated' }],
    ['expiry', { code: 'session_expired', message: 'Your session hit the maximum duration of 60 minutes.' }],
  ])('is %s with %j', (kind, fields) => {
    expect(error(fields)).toMatchObject({ type: 'error', kind });
  });

  test('names the event it is about', () => {
    expect(error({ code: 'x', event_id: 'q' })).toMatchObject({ causedBy: 'q' });
    expect(error({ code: 'x', event_id: null })).not.toHaveProperty('causedBy');
  });

  test('about an active response names it where the server does', () => {
    const code = 'conversation_already_has_active_response';
    const message =
      'Conversation already has an active response in progress: resp_1. Wait until the response is finished before creating a new one.';
    expect(error({ code, message, event_id: 'q' })).toMatchObject({
      kind: 'request',
      activeResponseId: 'resp_1',
      causedBy: 'q',
    });
    expect(error({ code })).toMatchObject({ activeResponseId: '' });
  });

  test('quotes no key', () => {
    const decode = eventDecoder({ secrets: ['my-own-secret'] });
    const [fact] = decode({
      type: 'error',
      error: { code: 'invalid_api_key', message: 'Incorrect API key: my-own-secret, sk-proj-abc123def456' },
    });
    expect(fact).toMatchObject({ message: 'Incorrect API key: [redacted], [redacted]' });
  });

  test('without any words still says what came', () => {
    expect(factsOf({ type: 'error' })).toMatchObject([{ code: 'error', message: 'The server reported error.' }]);
  });
});

describe('an event without a neutral form', () => {
  test.each([
    'conversation.created',
    'conversation.item.done',
    'conversation.item.retrieved',
    'conversation.item.input_audio_transcription.segment',
    'response.content_part.added',
    'response.content_part.done',
    'response.function_call_arguments.delta',
    'response.mcp_call_arguments.delta',
    'response.mcp_call.failed',
    'mcp_list_tools.completed',
    'rate_limits.updated',
    'ping',
    'something.new',
  ])('%s arrives as it came', (type) => {
    const event = { type, event_id: 'e', some: { thing: [1, null] } };
    expect(factsOf(event)).toEqual([{ type: 'raw', event }]);
  });

  test.each([
    'response.created',
    'response.done',
    'session.created',
    'conversation.item.added',
    'response.output_text.delta',
  ])('%s without what it needs arrives as it came', (type) => {
    expect(factsOf({ type })).toEqual([{ type: 'raw', event: { type } }]);
  });

  test('names of objects’ own methods are not events', () => {
    expect(factsOf({ type: 'toString' }, { type: '__proto__' })).toMatchObject([{ type: 'raw' }, { type: 'raw' }]);
    expect(currentName('constructor')).toBe('constructor');
  });
});

test('of an answer that is done nothing is remembered', () => {
  const decode = eventDecoder();
  decode({ type: 'response.output_item.added', response_id: 'r1', item: { id: 'i1', type: 'message' } });
  decode({ type: 'response.done', response: { id: 'r1', status: 'completed', output: [] } });
  expect(decode({ type: 'response.audio.delta', item_id: 'i1', delta: 'AQID' })[0]?.type).toBe('raw');
});

test('a server that never finishes an answer is not remembered forever', () => {
  const decode = eventDecoder();
  for (let n = 0; n < 200; n++) {
    decode({ type: 'response.output_item.added', response_id: `r${n}`, item: { id: `i${n}`, name: 'look' } });
  }
  const forgotten = { type: 'response.audio.delta', item_id: 'i0', delta: 'AQID' };
  expect(decode(forgotten)[0]?.type).toBe('raw');
  expect(decode({ ...forgotten, item_id: 'i199' })[0]?.type).toBe('audio.delta');
});
