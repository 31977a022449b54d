// The OpenAI SDK as transport: loaded at the first call, or the client the app passed. Called by model.ts.

import { TurnchartError } from '../../contracts/errors.ts';
import type { CallOptions } from '../call-options.ts';

interface Endpoint {
  create(body: { readonly [key: string]: unknown }, options: CallOptions): { asResponse(): Promise<Response> };
}

/** What is used of the SDK; versions 6 and 7 have it, and every client made in its image. */
export interface OpenAIClient {
  readonly baseURL?: unknown;
  readonly apiKey?: unknown;
  readonly responses?: Endpoint;
  readonly chat?: { readonly completions: Endpoint };
}

/** What a client is made of. */
export interface ClientOptions {
  readonly apiKey?: string;
  readonly baseURL?: string;
  readonly fetch?: typeof fetch;
}

/** Loads the SDK. Throws `peer.missing` where it is not installed. */
export async function createClient(options: ClientOptions): Promise<OpenAIClient> {
  const { OpenAI } = await importSdk();
  return new OpenAI({
    maxRetries: 0,
    // Local servers want no key, but the SDK wants one; OpenAI's own key stays where it belongs.
    ...apiKeyOf(options),
    ...(options.baseURL === undefined ? {} : { baseURL: options.baseURL }),
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  }) as unknown as OpenAIClient; // its overloads are narrower than what the API takes
}

/** True for anything with one of the two endpoints. */
export function isClient(value: unknown): value is OpenAIClient {
  return hasCreate(field(value, 'responses')) || hasCreate(field(field(value, 'chat'), 'completions'));
}

/** Stands where the SDK wants a key and none may be sent. */
export const noKey = 'none';

/** Where a request goes to an address of its own without a key, none is sent: the environment's was not given for it. */
function apiKeyOf({ apiKey, baseURL }: ClientOptions): { readonly apiKey?: string } {
  if (apiKey !== undefined) return { apiKey };
  return baseURL === undefined || isOpenAIs(baseURL) ? {} : { apiKey: noKey };
}

function isOpenAIs(baseURL: string): boolean {
  try {
    const { hostname, protocol } = new URL(baseURL);
    return protocol === 'https:' && (hostname === 'api.openai.com' || hostname.endsWith('.api.openai.com'));
  } catch {
    return false;
  }
}

async function importSdk(): Promise<typeof import('openai')> {
  try {
    return await import('openai');
  } catch (cause) {
    throw new TurnchartError(
      'peer.missing',
      'openai(…) needs the package openai, which could not be loaded. Install it: npm install openai@7',
      { cause },
    );
  }
}

function hasCreate(value: unknown): boolean {
  return typeof field(value, 'create') === 'function';
}

function field(holder: unknown, key: string): unknown {
  return typeof holder === 'object' && holder !== null ? Reflect.get(holder, key) : undefined;
}
