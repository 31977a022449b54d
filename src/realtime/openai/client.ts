// The OpenAI SDK as transport of the REST calls (calls, client secrets, webhooks): loaded at the first use, or the
// client the app passed. Also finds a session's key and address; a session needs no SDK. Called by every function that
// sends something.

import type { OpenAI } from 'openai';
import { modelErrorOf, type CallFacts } from '../../adapters/http-errors.ts';
import { secretsIn, shownAddress } from '../../adapters/redact.ts';
import { messageOf, TurnchartError } from '../../contracts/errors.ts';
import type { ClientOptions } from './client-options.ts';

/** What is used of the SDK. */
export interface RealtimeClient {
  readonly baseURL: string;
  readonly apiKey: string | null;
  readonly organization?: string | null;
  readonly project?: string | null;
  readonly webhookSecret?: string | null;
  readonly realtime: Pick<OpenAI['realtime'], 'calls' | 'clientSecrets'>;
  readonly webhooks: Pick<OpenAI['webhooks'], 'unwrap'>;
}

/**
 * The app's client, or one made for the options. Throws `peer.missing` without the SDK, `options.invalid` for an
 * invalid client.
 */
export async function clientOf(options: ClientOptions, asker: string): Promise<RealtimeClient> {
  if (options.client !== undefined) {
    if (isClient(options.client)) return options.client;
    throw noClient(asker);
  }
  const { OpenAI } = await importSdk(asker);
  try {
    return new OpenAI({ maxRetries: 0, ...keyAndAddress(options) });
  } catch (cause) {
    throw new TurnchartError('options.invalid', `${asker} cannot make a client: ${messageOf(cause)}`, { cause });
  }
}

/** What error messages may say about the server, and which secrets they must not quote. */
export function factsOf(
  client: RealtimeClient | undefined,
  options: ClientOptions & { readonly headers?: Readonly<Record<string, string>> | undefined },
  model: string,
  access?: Pick<Access, 'baseURL' | 'key'>,
): CallFacts {
  const address = access?.baseURL ?? client?.baseURL ?? options.baseURL;
  const keys = [options.apiKey, access?.key, client?.apiKey ?? undefined, client?.webhookSecret ?? undefined];
  return {
    provider: 'OpenAI',
    model,
    secrets: [...keys, ...secretsIn(options.headers, address)],
    baseURL: address === undefined ? undefined : shownAddress(address),
    keyVariable: options.baseURL === undefined ? 'OPENAI_API_KEY' : undefined,
  };
}

/** Runs `work`; rejects with a `ModelError` without keys in it. An abort of the signal rejects with its reason. */
export async function throughClient<Result>(
  client: RealtimeClient,
  facts: CallFacts,
  signal: AbortSignal | undefined,
  work: (client: RealtimeClient) => PromiseLike<Result>,
): Promise<Result> {
  try {
    return await work(client);
  } catch (thrown) {
    if (signal?.aborted === true) throw signal.reason;
    throw modelErrorOf(thrown, facts);
  }
}

/** True for anything with the REST half of the Realtime API. */
export function isClient(value: unknown): value is RealtimeClient {
  return (
    typeof field(value, 'baseURL') === 'string' &&
    typeof field(field(field(value, 'realtime'), 'calls'), 'accept') === 'function'
  );
}

/** What a socket needs from a client or, without one, from the options and the environment. */
export interface Access {
  readonly baseURL: string;
  readonly key: string | undefined;
  /** The key came from a function: a token rather than a key. */
  readonly isToken?: boolean;
  readonly organization?: string | null | undefined;
  readonly project?: string | null | undefined;
}

/**
 * Key and address of a session. Throws `options.invalid` for an invalid client, and for OpenAI itself without a key.
 */
export async function accessOf(options: ClientOptions): Promise<Access> {
  const { client } = options;
  if (client !== undefined && !isClient(client)) throw noClient('openaiRealtime(…)');
  if (client !== undefined) {
    const { baseURL, organization, project } = client;
    return { baseURL, organization, project, ...(await keyOf(client)) };
  }
  const baseURL = options.baseURL ?? variable('OPENAI_BASE_URL') ?? 'https://api.openai.com/v1';
  const isFirst = isOpenAIs(baseURL.replace(/^ws(s?):/i, 'http$1:'));
  const key =
    options.apiKey?.trim() ?? (options.baseURL === undefined || isFirst ? variable('OPENAI_API_KEY') : undefined);
  if (key === undefined && isFirst) {
    throw new TurnchartError(
      'options.invalid',
      'openaiRealtime(…) has no key. Pass `apiKey` or `client`, or set OPENAI_API_KEY.',
    );
  }
  if (!isFirst) return { baseURL, key };
  return { baseURL, key, organization: variable('OPENAI_ORG_ID'), project: variable('OPENAI_PROJECT_ID') };
}

/** An SDK client may have a function that returns a fresh key each time. */
async function keyOf(client: RealtimeClient): Promise<Pick<Access, 'key' | 'isToken'>> {
  const provided = field(field(client, '_options'), 'apiKey');
  const isToken = typeof provided === 'function';
  const key: unknown = isToken ? await provided() : client.apiKey;
  return { key: typeof key === 'string' && key !== '' && key !== noKey ? key : undefined, ...(isToken && { isToken }) };
}

function variable(name: string): string | undefined {
  const value = typeof process === 'undefined' ? undefined : process.env?.[name]?.trim();
  return value === '' ? undefined : value;
}

function noClient(asker: string): TurnchartError {
  return new TurnchartError(
    'options.invalid',
    `${asker} expects \`client\` to be an instance of openai@7, an object with realtime.calls. Pass \`new OpenAI(…)\`, or leave it out.`,
  );
}

// The SDK requires a key although none may be sent.
const noKey = 'none';

function keyAndAddress({ apiKey, baseURL }: ClientOptions): { apiKey?: string; baseURL?: string } {
  if (baseURL === undefined) return apiKey === undefined ? {} : { apiKey };
  const address = baseURL.replace(/^ws(s?):/i, 'http$1:'); // REST is always HTTP
  if (apiKey !== undefined) return { apiKey, baseURL: address };
  return isOpenAIs(address) ? { baseURL: address } : { apiKey: noKey, baseURL: address };
}

function isOpenAIs(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { hostname, protocol } = new URL(address);
  return protocol === 'https:' && (hostname === 'api.openai.com' || hostname.endsWith('.api.openai.com'));
}

async function importSdk(asker: string): Promise<typeof import('openai')> {
  try {
    return await import('openai');
  } catch (cause) {
    throw new TurnchartError(
      'peer.missing',
      `${asker} needs the package openai, which could not be loaded. Install it: npm install openai@7`,
      { cause },
    );
  }
}

function field(holder: unknown, key: string): unknown {
  return typeof holder === 'object' && holder !== null ? Reflect.get(holder, key) : undefined;
}
