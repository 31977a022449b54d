// Neutral commands and session options → client events.

import type { RealtimeSessionCreateRequest } from 'openai/resources/realtime/realtime';
import { describe, expect, test } from 'vitest';
import { encodeCommand } from '../../../src/realtime/openai/encode-command.ts';
import { encodeSession } from '../../../src/realtime/openai/encode-session.ts';
import type { WireCommand, WireConfiguration } from '../../../src/realtime/wire.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  providerOptions: { openai: { description: 'Looks closely.' } },
  execute: () => 'seen',
});

const full: WireConfiguration = {
  systemPrompt: [
    { type: 'text', text: 'Be brief.' },
    { type: 'text', text: 'Be kind.' },
  ],
  tools: [look],
  toolChoice: { tool: 'look' },
  voice: 'marin',
  modalities: ['audio', 'text'],
  inputFormat: { type: 'pcm16' },
  outputFormat: { type: 'g711Ulaw' },
  inputTranscription: { model: 'gpt-4o-transcribe', language: 'de', prompt: 'names' },
  turnDetection: {
    mode: 'server',
    threshold: 0.6,
    prefixPaddingMs: 200,
    silenceMs: 400,
    idleTimeoutMs: 6000,
    createResponse: true,
    interruptResponse: false,
  },
  noiseReduction: 'near',
  maxOutputTokens: 400,
  reasoningEffort: 'low',
  truncation: { retentionRatio: 0.8 },
  speed: 1.2,
};

const tool = {
  type: 'function',
  name: 'look',
  description: 'Looks closely.',
  parameters: look.definition.parameters,
};

describe('a session', () => {
  const current = (options: WireConfiguration) => encodeSession(options, { dialect: 'current', purpose: 'update' });

  test('has every option', () => {
    const expected: RealtimeSessionCreateRequest = {
      type: 'realtime',
      instructions: 'Be brief.\n\nBe kind.',
      output_modalities: ['audio'],
      audio: {
        input: {
          format: { type: 'audio/pcm', rate: 24_000 },
          transcription: { model: 'gpt-4o-transcribe', language: 'de', prompt: 'names' },
          noise_reduction: { type: 'near_field' },
          turn_detection: {
            type: 'server_vad',
            threshold: 0.6,
            prefix_padding_ms: 200,
            silence_duration_ms: 400,
            create_response: true,
            interrupt_response: false,
            idle_timeout_ms: 6000,
          },
        },
        output: { format: { type: 'audio/pcmu' }, voice: 'marin', speed: 1.2 },
      },
      tools: [tool as never],
      tool_choice: { type: 'function', name: 'look' },
      max_output_tokens: 400,
      reasoning: { effort: 'low' },
      truncation: { type: 'retention_ratio', retention_ratio: 0.8 },
    };
    expect(current(full)).toEqual(expected);
  });

  test('of the former generation is flat', () => {
    expect(encodeSession(full, { dialect: 'former', purpose: 'update' })).toEqual({
      instructions: 'Be brief.\n\nBe kind.',
      modalities: ['text', 'audio'],
      voice: 'marin',
      input_audio_format: 'pcm16',
      output_audio_format: 'g711_ulaw',
      input_audio_transcription: { model: 'gpt-4o-transcribe', language: 'de', prompt: 'names' },
      input_audio_noise_reduction: { type: 'near_field' },
      turn_detection: {
        type: 'server_vad',
        threshold: 0.6,
        prefix_padding_ms: 200,
        silence_duration_ms: 400,
        create_response: true,
        interrupt_response: false,
        idle_timeout_ms: 6000,
      },
      tools: [tool],
      tool_choice: { type: 'function', name: 'look' },
      max_response_output_tokens: 400,
      speed: 1.2,
    });
  });

  test('says nothing the options do not say', () => {
    expect(current({})).toEqual({ type: 'realtime' });
    expect(encodeSession({}, { dialect: 'former', purpose: 'update' })).toEqual({});
  });

  test('transcribes with an older model at a server of the former generation', () => {
    const session = encodeSession({ inputTranscription: {} }, { dialect: 'former', purpose: 'update' });
    expect(session).toEqual({ input_audio_transcription: { model: 'gpt-4o-mini-transcribe' } });
  });

  test.each([
    [{ turnDetection: { mode: 'manual' } }, { audio: { input: { turn_detection: null } } }],
    [
      { turnDetection: { mode: 'semantic', eagerness: 'high', threshold: 0.9 } },
      { audio: { input: { turn_detection: { type: 'semantic_vad', eagerness: 'high' } } } },
    ],
    [{ turnDetection: { mode: 'server' } }, { audio: { input: { turn_detection: { type: 'server_vad' } } } }],
    [{ inputTranscription: 'off' }, { audio: { input: { transcription: null } } }],
    [{ inputTranscription: {} }, { audio: { input: { transcription: { model: 'gpt-transcribe' } } } }],
    [{ noiseReduction: 'far' }, { audio: { input: { noise_reduction: { type: 'far_field' } } } }],
    [{ noiseReduction: 'off' }, { audio: { input: { noise_reduction: null } } }],
    [{ inputFormat: { type: 'g711Alaw' } }, { audio: { input: { format: { type: 'audio/pcma' } } } }],
    [{ inputFormat: { type: 'g711Ulaw' } }, { audio: { input: { format: { type: 'audio/pcmu' } } } }],
    [
      { inputFormat: { type: 'pcm16', rate: 16_000 } },
      { audio: { input: { format: { type: 'audio/pcm', rate: 16_000 } } } },
    ],
    [{ modalities: ['text'] }, { output_modalities: ['text'] }],
    [{ maxOutputTokens: Infinity }, { max_output_tokens: 'inf' }],
    [{ truncation: 'off' }, { truncation: 'disabled' }],
    [{ truncation: 'auto' }, { truncation: 'auto' }],
    [{ toolChoice: 'required' }, { tool_choice: 'required' }],
    [{ tools: [] }, { tools: [] }],
    [{ systemPrompt: [] }, { instructions: '' }],
  ] as const)('%j', (options, fields) => {
    expect(current(options)).toEqual({ type: 'realtime', ...fields });
  });

  test('of an answered call leaves out what the server refuses there', () => {
    const { audio } = encodeSession(full, { dialect: 'current', purpose: 'accept' });
    expect(audio).toMatchObject({
      input: {
        turn_detection: {
          type: 'server_vad',
          create_response: true,
          interrupt_response: false,
          idle_timeout_ms: 6000,
        },
      },
    });
    expect(JSON.stringify(audio)).not.toMatch(/threshold|prefix_padding_ms|silence_duration_ms/);
  });

  test('is overlaid by the provider’s own fields', () => {
    const providerOptions = { tracing: 'auto', audio: { output: { voice: 'cedar' } }, tools: null };
    expect(current({ voice: 'marin', speed: 1, tools: [look], providerOptions })).toEqual({
      type: 'realtime',
      tracing: 'auto',
      audio: { output: { voice: 'cedar', speed: 1 } },
      tools: null,
    });
  });
});

describe('a command', () => {
  const sent = (command: WireCommand, dialect: 'current' | 'former' = 'current'): unknown =>
    JSON.parse(encodeCommand(command, dialect));
  const eventId = 'q1';

  test.each<[WireCommand, object]>([
    [
      { type: 'session.configure', eventId, configuration: { speed: 1 } },
      { type: 'session.update', session: { type: 'realtime', audio: { output: { speed: 1 } } } },
    ],
    [
      { type: 'session.update', eventId, changes: { voice: 'cedar' } },
      { type: 'session.update', session: { type: 'realtime', audio: { output: { voice: 'cedar' } } } },
    ],
    [{ type: 'audio.commit', eventId }, { type: 'input_audio_buffer.commit' }],
    [{ type: 'audio.clear', eventId }, { type: 'input_audio_buffer.clear' }],
    [{ type: 'output.clear', eventId }, { type: 'output_audio_buffer.clear' }],
    [
      { type: 'item.delete', eventId, itemId: 'i' },
      { type: 'conversation.item.delete', item_id: 'i' },
    ],
    [
      { type: 'item.truncate', eventId, itemId: 'i', contentIndex: 1, audioEndMs: 12.9 },
      { type: 'conversation.item.truncate', item_id: 'i', content_index: 1, audio_end_ms: 12 },
    ],
    [{ type: 'response.cancel', eventId }, { type: 'response.cancel' }],
    [
      { type: 'response.cancel', eventId, responseId: 'r' },
      { type: 'response.cancel', response_id: 'r' },
    ],
    [
      { type: 'response.create', eventId, request: {} },
      { type: 'response.create', response: { metadata: { client_event_id: 'q1' } } },
    ],
    [
      { type: 'item.create', eventId, itemId: 'i', item: { kind: 'result', callId: 'c', output: 'o' } },
      { type: 'conversation.item.create', item: { id: 'i', type: 'function_call_output', call_id: 'c', output: 'o' } },
    ],
    [
      { type: 'item.create', eventId, itemId: 'i', item: { kind: 'call', callId: 'c', name: 'n', rawArgs: '{}' } },
      {
        type: 'conversation.item.create',
        item: { id: 'i', type: 'function_call', call_id: 'c', name: 'n', arguments: '{}' },
      },
    ],
  ])('%j', (command, event) => {
    expect(sent(command)).toEqual({ ...event, event_id: 'q1' });
  });

  test('append holds the bytes and no id', () => {
    expect(sent({ type: 'audio.append', audio: Uint8Array.of(0, 255, 1) })).toEqual({
      type: 'input_audio_buffer.append',
      audio: 'AP8B',
    });
  });

  test('without an id sends none', () => {
    expect(sent({ type: 'audio.clear', eventId: '' })).toEqual({ type: 'input_audio_buffer.clear' });
  });

  test('response.create has every option', () => {
    const request = {
      instructions: 'Say hello.',
      tools: [look, look.definition],
      toolChoice: 'none',
      modalities: ['text'],
      voice: 'cedar',
      maxOutputTokens: 50,
      outOfBand: true,
      providerOptions: { metadata: { topic: 'x' }, input: [] },
    } as const;
    expect(sent({ type: 'response.create', eventId, request })).toMatchObject({
      response: {
        conversation: 'none',
        instructions: 'Say hello.',
        tools: [tool, tool],
        tool_choice: 'none',
        output_modalities: ['text'],
        audio: { output: { voice: 'cedar' } },
        max_output_tokens: 50,
        metadata: { topic: 'x', client_event_id: 'q1' },
        input: [],
      },
    });
    expect(sent({ type: 'response.create', eventId, request }, 'former')).toMatchObject({
      response: { modalities: ['text'], voice: 'cedar' },
    });
  });

  test('response.create of raw.send goes out as it is, the ids besides', () => {
    const raw = {
      type: 'response.create',
      event_id: 'theirs',
      response: { conversation: 'none', metadata: { a: 'b' } },
      some: 'field',
    };
    expect(sent({ type: 'response.create', eventId, request: {}, raw })).toEqual({
      type: 'response.create',
      event_id: 'q1',
      response: { conversation: 'none', metadata: { a: 'b', client_event_id: 'q1' } },
      some: 'field',
    });
  });

  test.each([
    ['user', 'current', 'input_text'],
    ['system', 'current', 'input_text'],
    ['assistant', 'current', 'output_text'],
    ['assistant', 'former', 'text'],
  ] as const)('words the text of the %s in the %s dialect', (role, dialect, type) => {
    const item = { kind: 'message', role, content: [{ type: 'text', text: 'hi' }] } as const;
    expect(sent({ type: 'item.create', eventId, itemId: 'i', item }, dialect)).toMatchObject({
      item: { id: 'i', type: 'message', role, content: [{ type, text: 'hi' }] },
    });
  });

  test('sends pictures, and drops none it cannot send', () => {
    const file = { type: 'image', source: { type: 'file', provider: 'openai', fileId: 'f' } } as const;
    const content = [
      { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AA==' } },
      { type: 'image', source: { type: 'url', url: 'https://h/x.png' } },
      file,
    ] as const;
    expect(
      sent({ type: 'item.create', eventId, itemId: 'i', item: { kind: 'message', role: 'user', content } }),
    ).toMatchObject({
      item: {
        content: [
          { type: 'input_image', image_url: 'data:image/png;base64,AA==' },
          { type: 'input_image', image_url: 'https://h/x.png' },
          { type: 'input_text', text: JSON.stringify(file) },
        ],
      },
    });
  });

  test('is strict JSON whatever the text holds', () => {
    const text = encodeCommand(
      { type: 'item.create', eventId, itemId: 'i', item: { kind: 'result', callId: 'c', output: 'half \ud83d' } },
      'current',
    );
    expect(text).toContain('half \ufffd');
  });
});
