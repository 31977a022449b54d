// Session options → the `session` object of `session.update`, an accepted call or a client secret. Pure.

import type { RealtimeSessionCreateRequest } from 'openai/resources/realtime/realtime';
import type { JsonRecord } from '../../adapters/json-reading.ts';
import type { ToolChoice, ToolDefinition } from '../../contracts/model.ts';
import type {
  RealtimeAudioFormat,
  RealtimeSessionChanges,
  RealtimeTranscription,
  RealtimeTruncation,
  RealtimeTurnDetection,
} from '../../contracts/realtime.ts';
import type { Tool } from '../../contracts/tool.ts';
import type { Block } from '../../conversation/block.ts';
import type { JsonValue } from '../../conversation/json.ts';
import type { WireConfiguration } from '../wire.ts';
import type { Dialect } from './dialect.ts';
import { mergeOver, optional } from './merge.ts';

/** Where the session object is sent, as far as that decides what it may contain. */
export interface SessionPlace {
  readonly dialect: Dialect;
  /** `accept`: it answers a telephone call; the server then refuses the fine-tuning of turn detection. */
  readonly purpose: 'update' | 'accept';
}

/** What can be encoded: the options of a session, or changes to it. */
export type SessionFields = Omit<WireConfiguration, 'tools'> & Pick<RealtimeSessionChanges, 'tools'>;

type Current = RealtimeSessionCreateRequest;
type Input = NonNullable<NonNullable<Current['audio']>['input']>;

/** The transcription model when the options name none. Servers of the former generation know only older ones. */
const transcriptionModels = { current: 'gpt-transcribe', former: 'gpt-4o-mini-transcribe' } as const;

/**
 * The session object. What the options do not set is absent, so that the server's defaults apply; `providerOptions`
 * override everything.
 */
export function encodeSession(options: SessionFields, { dialect, purpose }: SessionPlace): JsonRecord {
  const session = dialect === 'former' ? formerSession(options) : currentSession(options, purpose);
  return mergeOver(session, options.providerOptions);
}

function currentSession(options: SessionFields, purpose: SessionPlace['purpose']): JsonRecord {
  const detection = options.turnDetection;
  const input = {
    ...optional('format', formatOf(options.inputFormat)),
    ...optional('transcription', transcriptionOf(options.inputTranscription, 'current')),
    ...optional('noise_reduction', noiseReductionOf(options.noiseReduction)),
    ...optional('turn_detection', detection && turnDetectionOf(detection, purpose)),
  };
  const output = {
    ...optional('format', formatOf(options.outputFormat)),
    ...optional('voice', options.voice),
    ...optional('speed', options.speed),
  };
  const audio = { ...(isEmpty(input) ? {} : { input }), ...(isEmpty(output) ? {} : { output }) };
  const session = {
    type: 'realtime',
    ...optional('instructions', options.systemPrompt && instructionsOf(options.systemPrompt)),
    // Only one of the two: audio includes its transcript.
    ...optional('output_modalities', options.modalities && [options.modalities.includes('audio') ? 'audio' : 'text']),
    ...(isEmpty(audio) ? {} : { audio }),
    ...optional('tools', options.tools?.map(encodeTool)),
    ...optional('tool_choice', options.toolChoice && encodeToolChoice(options.toolChoice)),
    ...optional('max_output_tokens', tokensOf(options.maxOutputTokens)),
    ...optional('reasoning', options.reasoningEffort === undefined ? undefined : { effort: options.reasoningEffort }),
    ...optional('truncation', options.truncation && truncationOf(options.truncation)),
  } as const;
  return session as unknown as JsonRecord; // JSON by construction: see the parts
}

/** The flat format of the former generation; what it cannot express is left out. */
function formerSession(options: SessionFields): JsonRecord {
  const detection = options.turnDetection;
  const rate = options.inputFormat?.type === 'pcm16' ? options.inputFormat.rate : undefined;
  const session = {
    ...optional('instructions', options.systemPrompt && instructionsOf(options.systemPrompt)),
    ...optional(
      'modalities',
      options.modalities && (options.modalities.includes('audio') ? ['text', 'audio'] : ['text']),
    ),
    ...optional('voice', options.voice),
    ...optional('input_audio_format', formerFormatOf(options.inputFormat)),
    ...optional('input_audio_sampling_rate', rate),
    ...optional('output_audio_format', formerFormatOf(options.outputFormat)),
    ...optional('input_audio_transcription', transcriptionOf(options.inputTranscription, 'former')),
    ...optional('input_audio_noise_reduction', noiseReductionOf(options.noiseReduction)),
    ...optional('turn_detection', detection && turnDetectionOf(detection, 'update')),
    ...optional('tools', options.tools?.map(encodeTool)),
    ...optional('tool_choice', options.toolChoice && encodeToolChoice(options.toolChoice)),
    ...optional('max_response_output_tokens', tokensOf(options.maxOutputTokens)),
    ...optional('speed', options.speed),
  };
  return session as unknown as JsonRecord; // JSON by construction: see the parts
}

/** The texts of a system prompt. */
function instructionsOf(blocks: readonly Block[]): string {
  return blocks
    .flatMap((block) => (block.type === 'text' && block.text !== '' ? [block.text] : []))
    .join('\n\n')
    .toWellFormed();
}

/** A function tool; its `providerOptions.openai` override the other fields. */
export function encodeTool(tool: Tool | ToolDefinition): JsonRecord {
  const { name, description, parameters, providerOptions } = 'definition' in tool ? tool.definition : tool;
  const encoded: JsonRecord = {
    type: 'function',
    name,
    ...(description === '' ? {} : { description }),
    // Servers refuse an object schema that does not say it is one, or names no properties.
    parameters: { type: 'object', ...parameters, properties: parameters['properties'] ?? {} },
  };
  return mergeOver(encoded, recordAt(providerOptions, 'openai'));
}

/** `tool_choice`. */
export function encodeToolChoice(choice: ToolChoice): JsonValue {
  return typeof choice === 'string' ? choice : { type: 'function', name: choice.tool };
}

/** `max_output_tokens`. */
export function tokensOf(limit: number | undefined): number | 'inf' | undefined {
  return limit === Infinity ? 'inf' : limit;
}

function formatOf(format: RealtimeAudioFormat | undefined): Input['format'] | undefined {
  switch (format?.type) {
    case 'pcm16':
      // The SDK's type knows OpenAI's one rate; compatible servers know others and refuse the rest themselves.
      return { type: 'audio/pcm', rate: (format.rate ?? 24_000) as 24_000 };
    case 'g711Ulaw':
      return { type: 'audio/pcmu' };
    case 'g711Alaw':
      return { type: 'audio/pcma' };
    case undefined:
      return undefined;
  }
}

function formerFormatOf(format: RealtimeAudioFormat | undefined): string | undefined {
  switch (format?.type) {
    case 'pcm16':
      return 'pcm16';
    case 'g711Ulaw':
      return 'g711_ulaw';
    case 'g711Alaw':
      return 'g711_alaw';
    case undefined:
      return undefined;
  }
}

function transcriptionOf(
  transcription: RealtimeTranscription | undefined,
  dialect: Dialect,
): Input['transcription'] | null | undefined {
  if (transcription === undefined) return undefined;
  if (transcription === 'off') return null; // clears it; missing in the SDK's type
  const { model = transcriptionModels[dialect], language, prompt } = transcription;
  return { model, ...optional('language', language), ...optional('prompt', prompt) };
}

function noiseReductionOf(reduction: 'near' | 'far' | 'off' | undefined): Input['noise_reduction'] | null | undefined {
  if (reduction === undefined) return undefined;
  return reduction === 'off' ? null : { type: reduction === 'near' ? 'near_field' : 'far_field' };
}

function turnDetectionOf(
  detection: RealtimeTurnDetection,
  purpose: SessionPlace['purpose'],
): Input['turn_detection'] | null {
  const { mode, createResponse, interruptResponse, idleTimeoutMs } = detection;
  const answering = {
    ...optional('create_response', createResponse),
    ...optional('interrupt_response', interruptResponse),
  };
  switch (mode) {
    case 'manual':
      return null;
    case 'semantic':
      return { type: 'semantic_vad', ...optional('eagerness', detection.eagerness), ...answering };
    case 'server':
      return {
        type: 'server_vad',
        ...(purpose === 'accept' ? {} : tuningOf(detection)),
        ...answering,
        ...optional('idle_timeout_ms', idleTimeoutMs),
      };
  }
}

// `calls.accept` answers these with 400; they are sent later with the update on the side socket.
function tuningOf({ threshold, prefixPaddingMs, silenceMs }: RealtimeTurnDetection) {
  return {
    ...optional('threshold', threshold),
    ...optional('prefix_padding_ms', prefixPaddingMs),
    ...optional('silence_duration_ms', silenceMs),
  };
}

function truncationOf(truncation: RealtimeTruncation): Current['truncation'] {
  if (truncation === 'auto') return 'auto';
  if (truncation === 'off') return 'disabled';
  return { type: 'retention_ratio', retention_ratio: truncation.retentionRatio };
}

function recordAt(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as { readonly [key: string]: JsonValue })[key] // neither list nor null: an object
    : undefined;
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}
