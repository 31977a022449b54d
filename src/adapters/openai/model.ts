// `openai(…)`: a Model over the official SDK, which is used as transport only (keys, headers, base URL, error classes).
// Streams are decoded here, and the turn retries.

import { TurnchartError } from '../../contracts/errors.ts';
import { anything, checkOptions as checkNames, describeGiven, type Check } from '../../contracts/option-table.ts';
import type { Model, ModelRequest } from '../../contracts/model.ts';
import type { JsonValue } from '../../conversation/json.ts';
import { callOptions } from '../call-options.ts';
import type { CallFacts } from '../http-errors.ts';
import { streamCall } from '../model-stream.ts';
import { secretsIn, shownAddress } from '../redact.ts';
import type { AnswerDecoder } from './answer-decoder.ts';
import { createAnswerReader } from './answer-reader.ts';
import { createChatDecoder } from './chat/decode.ts';
import { encodeChatRequest } from './chat/encode.ts';
import { createClient, isClient, noKey, type OpenAIClient } from './client.ts';
import { objectAt, textAt, type JsonObject } from './json-fields.ts';
import { customToolNames } from './request-parts.ts';
import { createResponsesDecoder } from './responses/decode.ts';
import { encodeResponsesRequest } from './responses/encode.ts';
import { targetOf, type Api, type Target } from './target.ts';

/** Options of `openai(…)`. Only `model` is required. */
export interface OpenAIOptions {
  /** The server's id of the model: `gpt-…`, `o…`, `llama3.2`, … */
  readonly model: string;
  /** Default: `responses` for OpenAI itself (also on Azure), `chat` for any other base URL. */
  readonly api?: Api;
  /**
   * An instance of the SDK (also of its Azure class), used as it is: `apiKey`, `baseURL` and `fetch` are then ignored. In
   * a browser the SDK demands one made with `dangerouslyAllowBrowser`.
   */
  readonly client?: unknown;
  /**
   * Default: `OPENAI_API_KEY`, but no key for a `baseURL` other than OpenAI's, which it was not meant for.
   */
  readonly apiKey?: string;
  /** Including the version: `http://localhost:11434/v1`. Default: `OPENAI_BASE_URL`, else OpenAI. */
  readonly baseURL?: string;
  readonly fetch?: typeof fetch;
  /** Sent with every request. */
  readonly headers?: Record<string, string>;
  /** An effort (`low`, `medium`, `high`, …), or an object in the API's format: `{ effort: 'high', summary: 'auto' }`. */
  readonly reasoning?: JsonValue;
  /** Whether OpenAI stores the answers. Default false: reasoning then comes encrypted and is sent back. */
  readonly store?: boolean;
  /** Tools that run at the provider, in the API's format; their calls and results arrive as `provider` blocks. */
  readonly serverTools?: JsonValue[];
  /** Body fields that override everything except `providerOptions.openai` of a request. */
  readonly extraBody?: Record<string, JsonValue>;
}

/**
 * A model of OpenAI, or of a server that speaks one of its APIs. Sends nothing and loads nothing before the first
 * call; without the SDK that call throws `peer.missing`. Throws `options.invalid` for an invalid client, an unknown
 * `api` or a missing model id.
 */
export function openai(options: OpenAIOptions): Model {
  checkOptions(options);
  const given = isClient(options.client) ? options.client : undefined;
  let client = given;
  let made: Promise<OpenAIClient> | undefined;

  const clientOf = (): Promise<OpenAIClient> => {
    made ??= given === undefined ? createClient(options) : Promise.resolve(given);
    made.then(
      (loaded) => {
        client = loaded;
      },
      () => {
        made = undefined; // the SDK may be installed by the next call
      },
    );
    return made;
  };

  return {
    id: `openai:${options.model}`,
    info: { input: ['text', 'image', 'document', 'audio'] },
    stream: (request, call) => {
      const facts = factsOf(options, () => client);
      let decoder: AnswerDecoder | undefined;
      return streamCall(
        {
          facts,
          decoder: createAnswerReader(() => decoder ?? createChatDecoder({ provider: 'openai' }), facts),
          open: async () => {
            const loaded = await clientOf();
            const baseURL = textOf(loaded.baseURL) ?? options.baseURL;
            const target = targetOf(options, baseURL);
            const body = bodyOf(request, target, options);
            decoder = decoderFor(target, body);
            return endpointOf(loaded, target)
              .create({ ...body, stream: true }, callOptions(call.signal, options.headers))
              .asResponse();
          },
        },
        call,
      );
    },
  };
}

function bodyOf(request: ModelRequest, target: Target, options: OpenAIOptions): JsonObject {
  return target.api === 'responses'
    ? encodeResponsesRequest(request, target, options)
    : encodeChatRequest(request, target, options);
}

function decoderFor(target: Target, body: JsonObject): AnswerDecoder {
  const { provider } = target;
  if (target.api === 'responses') return createResponsesDecoder({ provider, customTools: customToolNames(body) });
  const format = textAt(objectAt(body, 'audio'), 'format');
  return createChatDecoder({ provider, ...(format === undefined ? {} : { audioMediaType: `audio/${format}` }) });
}

function endpointOf(client: OpenAIClient, target: Target) {
  const endpoint = target.api === 'responses' ? client.responses : client.chat?.completions;
  if (endpoint !== undefined) return endpoint;
  throw new TurnchartError(
    'options.invalid',
    `The client passed to openai({ client }) has no ${target.api === 'responses' ? 'responses' : 'chat.completions'}.create. Pass an instance of openai@6 or 7, or choose the other \`api\`.`,
  );
}

function checkOptions(options: OpenAIOptions): void {
  checkNames('openai', options, optionNames);
  if (typeof options.model !== 'string' || options.model === '') {
    throw new TurnchartError('options.invalid', 'openai({ model }) needs a model id such as "gpt-5.4".');
  }
  if (options.api !== undefined && options.api !== 'responses' && options.api !== 'chat') {
    throw new TurnchartError(
      'options.invalid',
      `openai({ api }) must be "responses" or "chat", got ${describeGiven(options.api)}.`,
    );
  }
  if (options.client !== undefined && !isClient(options.client)) {
    throw new TurnchartError(
      'options.invalid',
      'openai({ client }) expects an instance of openai, an object with responses.create or chat.completions.create. Pass `new OpenAI(…)`, or leave it out.',
    );
  }
}

/** Read only after a failure: by then the SDK has found its key and its address. */
function factsOf(options: OpenAIOptions, client: () => OpenAIClient | undefined): CallFacts {
  const address = (): string | undefined => textOf(client()?.baseURL) ?? options.baseURL;
  const target = (): Target => targetOf(options, address());
  return {
    get provider() {
      const { provider, isOpenAI } = target();
      return isOpenAI ? 'OpenAI' : provider.slice(provider.indexOf(':') + 1);
    },
    model: options.model,
    get secrets() {
      const key = textOf(client()?.apiKey);
      return [options.apiKey, key === noKey ? undefined : key, ...secretsIn(options.headers, address())];
    },
    get baseURL() {
      const given = address();
      return given === undefined ? undefined : shownAddress(given);
    },
    get keyVariable() {
      return options.baseURL === undefined || target().isOpenAI ? 'OPENAI_API_KEY' : undefined;
    },
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

// What each must be is checked where it is read.
const optionNames = {
  model: anything,
  api: anything,
  client: anything,
  apiKey: anything,
  baseURL: anything,
  fetch: anything,
  headers: anything,
  reasoning: anything,
  store: anything,
  serverTools: anything,
  extraBody: anything,
} satisfies Record<keyof OpenAIOptions, Check>;
