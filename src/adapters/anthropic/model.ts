// `anthropic(…)`: a Model over the official SDK, which is used as transport only (keys, headers, base URL, error classes).
// Streams are decoded here, and the turn retries.

import type { Anthropic } from '@anthropic-ai/sdk';
import { TurnchartError } from '../../contracts/errors.ts';
import { anything, checkOptions, type Check } from '../../contracts/option-table.ts';
import type { Model } from '../../contracts/model.ts';
import type { JsonValue } from '../../conversation/json.ts';
import { callOptions, type CallOptions } from '../call-options.ts';
import type { CallFacts } from '../http-errors.ts';
import { streamCall } from '../model-stream.ts';
import { secretsIn, shownAddress } from '../redact.ts';
import { bindingBeta } from './accepted.ts';
import { createDecoder } from './decode.ts';
import { encodeRequest, type EncodeOptions } from './encode.ts';
import { bindsThinking, limitsOf } from './model-limits.ts';

/** Options of `anthropic(…)`. Only `model` is required. */
export interface AnthropicOptions {
  /** Anthropic's id of the model: `claude-…`. */
  readonly model: string;
  /**
   * An instance of the SDK (also of its Bedrock, Vertex and Foundry classes), used as it is: `apiKey`, `baseURL` and
   * `fetch` are then ignored.
   */
  readonly client?: unknown;
  /** Default: what the SDK finds, first `ANTHROPIC_API_KEY`; no key if `baseURL` is not Anthropic's. */
  readonly apiKey?: string;
  readonly baseURL?: string;
  readonly fetch?: typeof fetch;
  /** Sent with every request. */
  readonly headers?: Record<string, string>;
  /**
   * In the API's format: `{ type: 'adaptive' }`, `{ type: 'enabled', budget_tokens: 4096 }`, … `enabled` is turned off
   * where the API refuses it: for a request that forces a call, and in a tool loop that began without thinking. At
   * Anthropic's own address, Claude 5.1 and later get `block_binding: { prefix_mismatch_behavior: 'drop_block' }`.
   */
  readonly thinking?: JsonValue;
  /** `low`, `medium`, `high`, …, if the model supports it. */
  readonly effort?: string;
  /** `auto` (default) marks the end of the prompt and of the system text for caching. */
  readonly cache?: 'auto' | 'off';
  /** Sent as the `anthropic-beta` header, in addition to the client's. */
  readonly betas?: string[];
  /** Tools that run at Anthropic, in the API's format; their calls and results arrive as `provider` blocks. */
  readonly serverTools?: JsonValue[];
  /** Body fields that override everything except `providerOptions.anthropic` of a request. */
  readonly extraBody?: Record<string, JsonValue>;
}

/** The part of the SDK that is used. */
interface MessagesClient {
  readonly baseURL?: unknown;
  readonly apiKey?: unknown;
  readonly authToken?: unknown;
  /** Not in the SDK's types, but present. */
  readonly _options?: { readonly defaultHeaders?: unknown };
  readonly messages: {
    create(body: { readonly [key: string]: unknown }, options: CallOptions): { asResponse(): Promise<Response> };
  };
}

/**
 * A Claude model. Sends nothing and loads nothing before the first call; without the SDK that call throws
 * `peer.missing`. Throws `options.invalid` for an invalid client or a missing model id.
 */
export function anthropic(options: AnthropicOptions): Model {
  checkOptions('anthropic', options, optionNames);
  if (typeof options.model !== 'string' || options.model === '') {
    throw new TurnchartError('options.invalid', 'anthropic({ model }) needs a model id such as "claude-sonnet-5".');
  }
  if (options.client !== undefined && !isClient(options.client)) {
    throw new TurnchartError(
      'options.invalid',
      'anthropic({ client }) expects an instance of @anthropic-ai/sdk, an object with messages.create. Pass `new Anthropic(…)`, or leave it out.',
    );
  }
  const given = options.client;
  const limits = limitsOf(options.model, options.betas ?? []);
  let client = given;
  let loading: Promise<MessagesClient> | undefined;

  const load = async (): Promise<MessagesClient> => {
    loading ??= createClient(options);
    try {
      client = await loading;
      return client;
    } catch (error) {
      loading = undefined; // the SDK may be installed by the next call
      throw error;
    }
  };

  return {
    id: `anthropic:${options.model}`,
    info: { ...limits, input: ['text', 'image', 'document'] },
    stream: (request, call) => {
      const facts = factsOf(options, () => client);
      return streamCall(
        {
          facts,
          decoder: createDecoder(facts),
          open: async () => {
            const { messages, baseURL, _options: settings } = client ?? (await load());
            const dropsUnbound = bindsThinking(options.model) && isAnthropic(baseURL);
            const body = encodeRequest(request, {
              ...encodeOptions(options, limits.maxOutputTokens, baseURL),
              dropsUnbound,
            });
            const headers = headersOf(options, dropsUnbound ? [bindingBeta] : [], settings?.defaultHeaders);
            return messages.create({ ...body, stream: true }, callOptions(call.signal, headers)).asResponse();
          },
        },
        call,
      );
    },
  };
}

function encodeOptions(options: AnthropicOptions, maxOutputTokens: number, baseURL: unknown): EncodeOptions {
  return {
    model: options.model,
    maxOutputTokens,
    thinking: options.thinking,
    effort: options.effort,
    cache: options.cache === 'off' ? 'off' : placeOfMarker(baseURL),
    serverTools: options.serverTools ?? [],
    extraBody: options.extraBody,
    now: Date.now(),
  };
}

/** Amazon Bedrock and Google Vertex do not know the marker for the whole request. */
function placeOfMarker(baseURL: unknown): 'request' | 'blocks' {
  return typeof baseURL === 'string' && /bedrock|aiplatform\.googleapis/.test(baseURL) ? 'blocks' : 'request';
}

/** Only Anthropic's own API has the newest betas. */
function isAnthropic(baseURL: unknown): boolean {
  return typeof baseURL === 'string' && /^https:\/\/api\.anthropic\.com(?:[:/]|$)/.test(baseURL);
}

/** Headers of a request replace the client's headers: the betas of both are sent. */
function headersOf(
  options: AnthropicOptions,
  needed: readonly string[],
  defaults: unknown,
): Record<string, string> | undefined {
  const added = [...betasIn(options.headers), ...(options.betas ?? []), ...needed];
  if (added.length === 0) return options.headers;
  const others = Object.entries(options.headers ?? {}).filter(([name]) => !isBetaHeader(name));
  return { ...Object.fromEntries(others), 'anthropic-beta': [...new Set([...betasIn(defaults), ...added])].join(',') };
}

/** The betas in headers of any shape the SDK takes. */
function betasIn(headers: unknown): readonly string[] {
  const rows: readonly unknown[] =
    headers instanceof Headers || Array.isArray(headers) ? [...headers] : Object.entries(headers ?? {});
  return rows
    .flatMap((row) => (Array.isArray(row) && isBetaHeader(String(row[0])) ? [row[1]].flat() : []))
    .flatMap((value) => (typeof value === 'string' ? value.split(',') : []))
    .map((beta) => beta.trim())
    .filter((beta) => beta !== '');
}

function isBetaHeader(name: string): boolean {
  return name.toLowerCase() === 'anthropic-beta';
}

function factsOf(options: AnthropicOptions, client: () => MessagesClient | undefined): CallFacts {
  const baseURL = client()?.baseURL ?? options.baseURL;
  return {
    provider: 'Anthropic',
    model: options.model,
    // Read only after a failure: by then the SDK has found its key.
    get secrets() {
      return [options.apiKey, ...keysOf(client()), ...secretsIn(options.headers, baseURL)];
    },
    baseURL: typeof baseURL === 'string' ? shownAddress(baseURL) : undefined,
    keyVariable: 'ANTHROPIC_API_KEY',
  };
}

function keysOf(client: MessagesClient | undefined): readonly string[] {
  return [client?.apiKey, client?.authToken].filter((key) => typeof key === 'string');
}

async function createClient(options: AnthropicOptions): Promise<MessagesClient> {
  const { Anthropic: Client } = await importSdk();
  return new Client({
    maxRetries: 0,
    ...keyOf(options),
    ...(options.baseURL === undefined ? {} : { baseURL: options.baseURL }),
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  }) as unknown as MessagesClient; // its overloads are narrower than the API
}

/** The environment's key was not meant for a custom address: without `apiKey` no key is sent there. */
function keyOf({ apiKey, baseURL }: AnthropicOptions): { readonly apiKey?: string; readonly authToken?: null } {
  if (apiKey !== undefined) return { apiKey };
  // The SDK wants some text; servers without keys ignore it.
  return baseURL === undefined || isAnthropic(baseURL) ? {} : { apiKey: 'none', authToken: null };
}

async function importSdk(): Promise<{ readonly Anthropic: typeof Anthropic }> {
  try {
    return await import('@anthropic-ai/sdk');
  } catch (cause) {
    throw new TurnchartError(
      'peer.missing',
      'anthropic(…) needs the package @anthropic-ai/sdk, which could not be loaded. Install it: npm install @anthropic-ai/sdk@1',
      { cause },
    );
  }
}

function isClient(value: unknown): value is MessagesClient {
  if (typeof value !== 'object' || value === null || !('messages' in value)) return false;
  const { messages } = value;
  return (
    typeof messages === 'object' && messages !== null && 'create' in messages && typeof messages.create === 'function'
  );
}

// What each must be is checked where it is read.
const optionNames = {
  model: anything,
  client: anything,
  apiKey: anything,
  baseURL: anything,
  fetch: anything,
  headers: anything,
  thinking: anything,
  effort: anything,
  cache: anything,
  betas: anything,
  serverTools: anything,
  extraBody: anything,
} satisfies Record<keyof AnthropicOptions, Check>;
