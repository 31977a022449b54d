// The OpenAI SDK as transport: loaded at the first call, or the client the app passed. Called by model.ts.

import { TurnchartError } from '../../contracts/errors.ts';
import type { CallOptions } from '../call-options.ts';

interface Endpoint {
  create(body: { readonly [key: string]: unknown }, options: CallOptions): { asResponse(): Promise<Response> };
}

/** The part of the SDK that is used. Versions 6 and 7 have it, and so do compatible clients. */
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

/** Loads the SDK. Throws `peer.missing` if it is not installed. */
export async function createClient(options: ClientOptions): Promise<OpenAIClient> {
  const { OpenAI } = await importSdk();
  return new OpenAI({
    maxRetries: 0,
    // Local servers need no key, but the SDK demands one; OpenAI's own key is not sent elsewhere.
    ...apiKeyOf(options),
    ...(options.baseURL === undefined ? {} : { baseURL: options.baseURL }),
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  }) as unknown as OpenAIClient; // its overloads are narrower than the API
}

/** True for anything with one of the two endpoints. */
export function isClient(value: unknown): value is OpenAIClient {
  return hasCreate(field(value, 'responses')) || hasCreate(field(field(value, 'chat'), 'completions'));
}

/** Passed to the SDK, which demands a key, if none may be sent. */
export const noKey = 'none';

/** The environment's key was not meant for a custom address: without `apiKey` no key is sent there. */
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
