// A tool that is one HTTP request: build, send, format. Called by apps.

import { TurnchartError } from '../../contracts/errors.ts';
import type { Tool, ToolContext } from '../../contracts/tool.ts';
import { defineTool, type ToolSettings } from '../define-tool.ts';
import type { ArgumentsOf, ToolParameters } from '../standard-schema.ts';
import { ToolResult } from '../tool-result.ts';
import { followingFetch, utf8Of } from './follow.ts';
import { hiddenError, hiddenResult } from './hidden-result.ts';
import { isHostEntry, refusalOf, type HostRules } from './host-rules.ts';
import { readBody, type Hide } from './read-body.ts';
import { outgoingRequest } from './outgoing-request.ts';
import { addSecrets, withoutQuotes, withoutSecrets } from './secrets.ts';
import { HttpResponseError, secretsOf, type HttpServiceClient, type ToolSendOptions } from './service-client.ts';

/** Options of `defineHttpTool`. */
export interface HttpToolSpecification<Schema, TurnContext = unknown> extends ToolSettings<Schema, TurnContext> {
  /** Makes the request from the validated arguments. Its headers are never shown. */
  readonly buildRequest: (args: ArgumentsOf<Schema>, context: ToolContext<TurnContext>) => Request | Promise<Request>;
  /**
   * What the model reads, on success and failure. Reading more than `maxResponseBytes` fails with a clear error; the
   * connection is closed when this function has settled. For a response that is not a success the result is `failed`,
   * unless it is a `ToolResult`. Default: `{status} {reason}`, a line break, and the body: JSON formatted, HTML as
   * text, cut if too long; binary data is replaced by its type and size.
   */
  readonly formatResponse?: (response: Response, args: ArgumentsOf<Schema>) => unknown;
  /** The service the request goes to: its address, credentials, success and retries. Not together with `fetch`. */
  readonly client?: HttpServiceClient;
  /**
   * Replaces the tool's own connections. The address rules then apply to names and literal addresses, not to what a
   * name resolves to.
   */
  readonly fetch?: typeof fetch;
  /** The allowed hosts: `host` (every port) or `host:port` (which may be private). Default: every public host. */
  readonly allowHosts?: readonly string[];
  /** Allows addresses in private networks. Default false. */
  readonly allowPrivateAddresses?: boolean;
  /** How many bytes of a response are read, after decompression. Default 262,144. */
  readonly maxResponseBytes?: number;
}

const defaultMaxBytes = 262_144;

/**
 * Makes a tool that sends one request per call. Redirects are followed within the rules, at most ten; cancel and
 * timeout close the connection. A response that is not a success becomes a `failed` result with the same text. Throws
 * `tool.invalid` or `tool.invalidName` for a wrong specification.
 */
export function defineHttpTool<Schema extends ToolParameters, TurnContext = unknown>(
  specification: HttpToolSpecification<Schema, TurnContext>,
): Tool<TurnContext> {
  const {
    buildRequest,
    formatResponse,
    client,
    fetch,
    maxResponseBytes: maxBytes = defaultMaxBytes,
    ...rest
  } = specification;
  checkOptions(specification);
  const { allowHosts, allowPrivateAddresses, ...settings } = rest;
  const rules: HostRules = {
    ...(allowHosts === undefined ? {} : { allowHosts: [...allowHosts] }),
    ...(allowPrivateAddresses === undefined ? {} : { allowPrivateAddresses }),
  };
  const send = client === undefined ? sendAlone(rules, fetch) : sendThrough(client, rules, allowHosts !== undefined);
  return defineTool<Schema, TurnContext>({
    ...settings,
    execute: async (args, context) => {
      const secrets = new Set<string>();
      const hide: Hide = (text, isCut) => withoutSecrets(text, secrets, isCut);
      // Ends a body that was not read to its end.
      const over = new AbortController();
      const signal = AbortSignal.any([context.signal, over.signal]);
      try {
        const request = await builtRequest(() => buildRequest(args, context));
        if (!isRequest(request)) return ToolResult.error(`buildRequest must return a Request, got ${typeof request}.`);
        for (const [name, value] of request.headers) addSecrets(secrets, name, value);
        const options: ToolSendOptions = {
          signal,
          [secretsOf]: (name, value) => addSecrets(secrets, name, value),
        };
        const { response, isSuccess } = await send(request, options);
        const result =
          formatResponse === undefined
            ? await byDefault(response, isSuccess, maxBytes, hide)
            : await formatResponse(limited(response, maxBytes), args);
        if (result instanceof Response) throw new Error(responseText);
        return hiddenResult(result, !isSuccess, hide);
      } catch (error) {
        if (context.signal.aborted) throw context.signal.reason; // the runtime says that it may have had effects
        return ToolResult.error(failureText(error, hide));
      } finally {
        over.abort();
      }
    },
  });
}

const responseText =
  'formatResponse returned the response itself; it must return what the model reads of it, such as await response.text().';

type Send = (
  request: Request,
  options: ToolSendOptions,
) => Promise<{ readonly response: Response; readonly isSuccess: boolean }>;

function sendAlone(rules: HostRules, custom: typeof fetch | undefined): Send {
  const follow = followingFetch(rules, custom);
  return async (request, { signal }) => {
    const both = AbortSignal.any([signal, request.signal]);
    const response = await follow(await outgoingRequest(request, both), both);
    return { response, isSuccess: response.ok };
  };
}

function sendThrough(client: HttpServiceClient, rules: HostRules, hasList: boolean): Send {
  return async (request, options) => {
    // The client's address was set by the app and is trusted; the tool's list can only narrow it.
    const refusal = hasList ? refusalOf(new URL(request.url), { ...rules, allowPrivateAddresses: true }) : undefined;
    if (refusal !== undefined) throw new Error(refusal);
    try {
      return { response: await client.send(request, options), isSuccess: true };
    } catch (error) {
      if (error instanceof HttpResponseError) return { response: error.response, isSuccess: false };
      throw error;
    }
  };
}

async function builtRequest(build: () => Request | Promise<Request>): Promise<Request> {
  try {
    return await build();
  } catch (error) {
    // Error messages of the platform quote a wrong header or address.
    throw new Error(withoutQuotes(failureText(error, withoutQuotes)));
  }
}

async function byDefault(response: Response, isSuccess: boolean, maxBytes: number, hide: Hide): Promise<ToolResult> {
  const body = await readBody(response, maxBytes, hide);
  const status = `${response.status} ${utf8Of(response.statusText)}`.trim();
  const text = `${status}\n${body.kind === 'text' ? body.text : body.reason}`;
  return isSuccess && body.kind === 'text' ? ToolResult.text(text) : ToolResult.error(text);
}

/** The response with a body that fails if it has more than `maxBytes` bytes. */
function limited(response: Response, maxBytes: number): Response {
  if (response.body === null) return response;
  let room = maxBytes;
  const limit = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (part, controller) => {
      room -= part.byteLength;
      if (room < 0) controller.error(new Error(`The answer is longer than ${maxBytes} bytes.`));
      else controller.enqueue(part);
    },
  });
  const { status, statusText, headers, url } = response;
  const bounded = new Response(response.body.pipeThrough(limit), { status, statusText, headers });
  Object.defineProperty(bounded, 'url', { value: url }); // which the constructor cannot set
  return bounded;
}

// Node's error for a lost connection would be mistaken for a cancel, or not be understood.
const inWords: ReadonlyMap<string, string> = new Map([
  ['aborted', 'The connection was lost in the middle of the answer'],
  ['socket hang up', 'The connection was closed without an answer'],
]);

function failureText(error: unknown, hide: Hide): string {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  // Node's fetch says only "fetch failed"; the reason is its cause.
  const said = hiddenError(error instanceof TypeError && cause instanceof Error ? cause : error, hide);
  const text = inWords.get(said) ?? said;
  return typeof code === 'string' && !text.includes(code) && !(error instanceof TurnchartError)
    ? `${text} (${code})`
    : text;
}

function isRequest(value: unknown): value is Request {
  return typeof value === 'object' && value !== null && 'url' in value && 'headers' in value && 'arrayBuffer' in value;
}

function checkOptions(specification: object): void {
  const field = (name: string): unknown => Reflect.get(specification, name);
  const refuse = (reason: string): TurnchartError =>
    new TurnchartError('tool.invalid', `The HTTP tool ${JSON.stringify(field('name'))} is wrong: ${reason}.`);
  for (const name of ['buildRequest', 'formatResponse', 'fetch']) {
    const value = field(name);
    const isMissing = value === undefined && name !== 'buildRequest';
    if (!isMissing && typeof value !== 'function') throw refuse(`${name} must be a function, got ${typeof value}`);
  }
  if (field('client') !== undefined && field('fetch') !== undefined) {
    throw refuse('client and fetch are both given; a client sends with its own');
  }
  const list = field('allowHosts');
  if (list !== undefined && !(Array.isArray(list) && list.every((entry) => isHostEntry(entry)))) {
    throw refuse('allowHosts must be a list of "host" or "host:port", without patterns');
  }
  const limit = field('maxResponseBytes');
  if (limit !== undefined && !(typeof limit === 'number' && limit >= 1)) {
    throw refuse(`maxResponseBytes must be a number from 1, got ${String(limit)}`);
  }
}
