// The three APIs as one table: what their servers send and the models that ask them. For the tests every adapter passes.

import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { anthropic } from '../../src/adapters/anthropic/index.ts';
import { openai } from '../../src/adapters/openai/index.ts';
import type { Model, ModelRequest } from '../../src/contracts/model.ts';
import { userMessage } from '../../src/conversation/message.ts';
import * as claude from './anthropic/events.ts';
import * as gpt from './openai/wire-events.ts';

/** The simplest question. */
export const request: ModelRequest = { system: [], messages: [userMessage('hello')], tools: [] };

/** Options of one call. */
export const call = (
  signal: AbortSignal = new AbortController().signal,
  activity?: () => void,
): Parameters<Model['stream']>[1] => ({ signal, ...(activity === undefined ? {} : { activity }) });

/** Options every adapter has. */
export interface WireOptions {
  readonly apiKey?: string;
  readonly baseURL?: string;
  readonly headers?: Record<string, string>;
  readonly fetch?: typeof fetch;
  readonly client?: unknown;
}

/** One API. Events are framed, in the order a server sends them. */
export interface Wire {
  readonly name: string;
  readonly modelOf: (options: WireOptions) => Model;
  /** A model of the server at `url`. */
  readonly modelAt: (url: string) => Model;
  /** An instance of the official SDK. */
  readonly clientOf: (options: {
    readonly baseURL?: string;
    readonly timeout?: number;
    readonly fetch?: typeof fetch;
  }) => unknown;
  /** "Hello" in two pieces, to the last event. */
  readonly whole: readonly string[];
  /** What a server sends that says nothing. */
  readonly noise: readonly string[];
  /** How many events of `whole` still leave the answer unfinished. */
  readonly unfinished: number;
  /** Up to the first piece, "Hel". */
  readonly begun: readonly string[];
  /** A call that begins behind it. */
  readonly callBegun: string;
  /** "Hello" and a call of `run`, whole. */
  readonly withCall: readonly string[];
  /** The server's trouble, inside a stream. */
  readonly error: string;
  /** Too much to do, inside a stream, and what it comes to. */
  readonly overloaded: string;
  readonly overloadedError: { readonly code: string; readonly providerCode: string };
  /** An answer of this text in one event. */
  readonly saying: (text: string) => readonly string[];
  /** The same as a JSON body; `providerId` of it is `whole_1`. */
  readonly bodySaying: (text: string) => unknown;
  /** The body of a refusal, with a code the API has for it. */
  readonly refusal: (code: string, message: string) => string;
  readonly codes: { readonly limited: string; readonly overloaded: string; readonly broken: string };
}

const message = { type: 'message', id: 'msg_1', role: 'assistant', content: [] };
const openaiRefusal = (code: string, text: string): string =>
  JSON.stringify({ error: { type: 'x', code, message: text } });
const openaiCodes = { limited: 'rate_limit_exceeded', overloaded: 'overloaded', broken: 'server_error' };
const openaiOverloaded = { code: 'model.rateLimited', providerCode: 'rate_limit_exceeded' };
const openaiWire = (api: 'responses' | 'chat') => ({
  name: api,
  modelOf: (options: WireOptions) => openai({ model: 'm', api, ...options }),
  modelAt: (url: string) => openai({ model: 'm', api, apiKey: 'sk-none', baseURL: `${url}/v1` }),
  clientOf: (options: object) => new OpenAI({ apiKey: 'sk-none', maxRetries: 5, ...options }),
  refusal: openaiRefusal,
  codes: openaiCodes,
  noise: [': keep-alive\n\n', ':\n\n'],
  overloadedError: openaiOverloaded,
});

const wholeClaude = [claude.messageStart, ...claude.text(0, 'Hel', 'lo'), ...claude.messageEnd('end_turn')];

export const wires: readonly Wire[] = [
  {
    name: 'anthropic',
    modelOf: (options) => anthropic({ model: 'claude-test', ...options }),
    modelAt: (baseURL) => anthropic({ model: 'claude-test', apiKey: 'sk-ant-none', baseURL }),
    clientOf: (options) => new Anthropic({ apiKey: 'sk-ant-none', maxRetries: 5, ...options }),
    whole: wholeClaude,
    noise: [claude.sse({ type: 'ping' }), ': keep-alive\n\n'],
    unfinished: wholeClaude.length - 1,
    begun: [claude.messageStart, ...claude.text(0, 'Hel').slice(0, 2)],
    callBegun: claude.toolUse(1, 'a', 'run', '{"co').slice(0, 2).join(''),
    withCall: [
      claude.messageStart,
      ...claude.text(0, 'Hello'),
      ...claude.toolUse(1, 'a', 'run', '{"code":1}'),
      ...claude.messageEnd('tool_use'),
    ],
    error: claude.sse({ type: 'error', error: { type: 'api_error', message: 'oops' } }),
    overloaded: claude.sse({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    overloadedError: { code: 'model.overloaded', providerCode: 'overloaded_error' },
    saying: (text) => [claude.messageStart, ...claude.text(0, text), ...claude.messageEnd('end_turn')],
    bodySaying: (text) => ({
      id: 'whole_1',
      type: 'message',
      role: 'assistant',
      model: 'c',
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 2 },
    }),
    refusal: (type, text) => JSON.stringify({ type: 'error', error: { type, message: text } }),
    codes: { limited: 'rate_limit_error', overloaded: 'overloaded_error', broken: 'api_error' },
  },
  {
    ...openaiWire('responses'),
    whole: gpt.wholeResponse,
    unfinished: gpt.wholeResponse.length - 1,
    begun: [gpt.sse(gpt.created), gpt.sse(gpt.itemAdded(0, message)), gpt.sse(gpt.textDelta(0, 'Hel'))],
    callBegun: gpt.sse(gpt.itemAdded(1, gpt.callItem('fc_1', 'a', 'run', ''))),
    withCall: [
      gpt.sse(gpt.created),
      gpt.sse(gpt.itemDone(0, gpt.messageItem('msg_1', 'Hello'))),
      gpt.sse(gpt.itemDone(1, gpt.callItem('fc_1', 'a', 'run', '{"code":1}'))),
      gpt.sse(gpt.completed()),
    ],
    error: gpt.sse({ type: 'error', code: 'server_error', message: 'oops' }),
    overloaded: gpt.sse({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'slow down' } },
    }),
    saying: (text) => [gpt.sse(gpt.created), gpt.sse(gpt.textDelta(0, text)), gpt.sse(gpt.completed())],
    bodySaying: (text) => ({
      id: 'whole_1',
      model: 'x',
      status: 'completed',
      output: [gpt.messageItem('msg_1', text)],
    }),
  },
  {
    ...openaiWire('chat'),
    whole: gpt.wholeChat,
    unfinished: gpt.wholeChat.length - 2, // the finish reason is the last word
    begun: [gpt.sse(gpt.chunk({ role: 'assistant' })), gpt.sse(gpt.chunk({ content: 'Hel' }))],
    callBegun: gpt.sse(gpt.callDelta({ index: 0, id: 'a', function: { name: 'run', arguments: '{"co' } })),
    withCall: [
      gpt.sse(gpt.chunk({ content: 'Hello' })),
      gpt.sse(gpt.callDelta({ index: 0, id: 'a', function: { name: 'run', arguments: '{"code":1}' } })),
      gpt.sse(gpt.finish('tool_calls')),
      gpt.doneMarker,
    ],
    error: gpt.sse({ error: { type: 'server_error', message: 'oops' } }),
    overloaded: gpt.sse({ error: { code: 'rate_limit_exceeded', message: 'slow down' } }),
    saying: (text) => [gpt.sse(gpt.chunk({ content: text })), gpt.doneMarker],
    bodySaying: (text) => ({
      id: 'whole_1',
      model: 'x',
      choices: [{ message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    }),
  },
];
