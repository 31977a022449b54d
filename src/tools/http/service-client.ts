// One service for several tools: its address, credentials, success rule and retries in one place. Called by apps; the
// tools send through it.

import { TurnchartError } from '../../contracts/errors.ts';
import { describeGiven } from '../../contracts/option-table.ts';
import { followingFetch, shown, type Follow } from './follow.ts';
import { refusalOf, type HostRules } from './host-rules.ts';
import { outgoingRequest, type OutgoingRequest } from './outgoing-request.ts';
import { sendWithRetries } from './retry.ts';

/** Sends requests to one service. Tools share it; other code may call it too. */
export interface HttpServiceClient {
  /**
   * Resolves with a successful response. Rejects with `HttpResponseError` if `isSuccess` returns false, or with the
   * failure of the connection.
   */
  send(request: Request, options: { readonly signal: AbortSignal }): Promise<Response>;
}

/** The client that `createHttpServiceClient` makes. */
export interface HttpService extends HttpServiceClient {
  /** A request to a path below the base address. Throws `options.invalid` if the path leads out of it. */
  request(path: string, init?: RequestInit): Request;
}

/** Options of `createHttpServiceClient`. */
export interface HttpServiceOptions {
  /** The address every request begins with; its host may be private, since the app wrote it. */
  readonly baseURL: string;
  /** Returns the headers for every request. Called each time, so that a token may change. Never shown anywhere. */
  readonly headers?: () => Record<string, string> | Promise<Record<string, string>>;
  /** Default: a status from 200 to 299. */
  readonly isSuccess?: (response: Response) => boolean;
  /** Default: on Node, connections with checked addresses; elsewhere the browser's `fetch`. */
  readonly fetch?: typeof fetch;
  /**
   * Retries after a lost connection or status 408, 429, 502, 503 or 504, for idempotent methods only. Default 2, at
   * most 10.
   */
  readonly retries?: number;
}

/** The service answered, but not with success. The body can still be read from `response`. */
export class HttpResponseError extends Error {
  override readonly name = 'HttpResponseError';
  readonly response: Response;

  constructor(response: Response, method: string, url: URL) {
    super(`${`${response.status} ${response.statusText}`.trim()} from ${method} ${shown(url)}`);
    this.response = response;
  }
}

/** What our tools pass in addition to the request: the secrets that must not be shown. */
export const secretsOf: unique symbol = Symbol('turnchart.http.secrets');

/** The options of `send` when the caller is a tool of ours. */
export interface ToolSendOptions {
  readonly signal: AbortSignal;
  readonly [secretsOf]?: (name: string, value: string) => void;
}

/** Makes a client. Throws `options.invalid` for a wrong base address or number of retries. */
export function createHttpServiceClient(options: HttpServiceOptions): HttpService {
  const base = readBase(options.baseURL);
  const retries = options.retries ?? 2;
  if (!Number.isInteger(retries) || retries < 0 || retries > 10) {
    throw new TurnchartError(
      'options.invalid',
      `retries must be a whole number from 0 to 10, got ${describeGiven(retries)}.`,
    );
  }
  const port = base.port === '' ? (base.protocol === 'https:' ? '443' : '80') : base.port;
  // Redirects stay on the service's host: no other may get its credentials or stand in for it.
  const rules: HostRules = { allowHosts: [`${base.hostname}:${port}`] };
  const follow: Follow = followingFetch(rules, options.fetch);
  return {
    request: (path, init) => new Request(below(base, path), init),
    send: async (request, sendOptions: ToolSendOptions) => {
      const url = new URL(request.url);
      if (!isBelow(url, base)) {
        throw new TurnchartError(
          'options.invalid',
          `This client sends to ${shown(base)} only, the request is for ${shown(url)}.`,
        );
      }
      const signal = AbortSignal.any([sendOptions.signal, request.signal]);
      const read = await outgoingRequest(request, signal);
      const outgoing = await withHeaders(read, options.headers, sendOptions[secretsOf]);
      const response = await sendWithRetries(() => follow(outgoing, signal), {
        method: outgoing.method,
        retries,
        signal,
      });
      if (judge(response, options.isSuccess ?? isOk)) return response;
      throw new HttpResponseError(response, outgoing.method, url);
    },
  };
}

async function withHeaders(
  request: OutgoingRequest,
  more: HttpServiceOptions['headers'],
  tell: ((name: string, value: string) => void) | undefined,
): Promise<OutgoingRequest> {
  if (more === undefined) return request;
  const headers = new Headers(request.headers);
  for (const [name, value] of Object.entries(await more())) {
    tell?.(name, value);
    try {
      headers.set(name, value);
    } catch {
      // The error message of `set` would show the value.
      throw new TurnchartError(
        'options.invalid',
        `The header ${JSON.stringify(name)} of this client has a value that no header may have.`,
      );
    }
  }
  return { ...request, headers };
}

function readBase(baseURL: unknown): URL {
  const url = typeof baseURL === 'string' && URL.canParse(baseURL) ? new URL(baseURL) : undefined;
  if (url === undefined || refusalOf(url, { allowPrivateAddresses: true }) !== undefined) {
    throw new TurnchartError(
      'options.invalid',
      'baseURL must be an http: or https: address without a user name or password in it.',
    );
  }
  return url;
}

function below(base: URL, path: string): URL {
  const url = new URL(base);
  const [, pathname = '', search = '', hash = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(path) ?? [];
  url.pathname = `${base.pathname.replace(/\/$/, '')}/${pathname.replace(/^\//, '')}`;
  url.search = search;
  url.hash = hash;
  if (isBelow(url, base)) return url;
  throw new TurnchartError('options.invalid', `The path ${JSON.stringify(path)} leads out of ${shown(base)}.`);
}

// Also by `%2e%2e` and `\`, which the URL has already read as `..` and `/`, and by what servers later decode to them.
function isBelow(url: URL, base: URL): boolean {
  const folder = base.pathname.replace(/\/$/, '');
  const isInside = (pathname: string): boolean => pathname === folder || pathname.startsWith(`${folder}/`);
  return url.origin === base.origin && isInside(url.pathname) && isInside(asServersRead(url.pathname));
}

// Many servers decode a path before they look for `..` in it, and some do not count what follows a semicolon as part of
// a name.
function asServersRead(pathname: string): string {
  const read = pathname
    .replaceAll(/%2f|%5c/gi, '/')
    .replaceAll(/%2e/gi, '.')
    .replaceAll(/(?<=\/\.\.?)(?:;|%3b|%00)[^/]*/gi, '');
  return new URL(`http://server${read}`).pathname;
}

// If `isSuccess` throws, nothing would ever read or end the response.
function judge(response: Response, isSuccess: (response: Response) => boolean): boolean {
  try {
    return isSuccess(response);
  } catch (error) {
    void response.body?.cancel().catch(() => undefined);
    throw error;
  }
}

function isOk(response: Response): boolean {
  return response.ok;
}
