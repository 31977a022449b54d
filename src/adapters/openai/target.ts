// What is known about the server a request goes to. Made once per client, read by the encoders and decoders.

/** Which of the two APIs is spoken. */
export type Api = 'responses' | 'chat';

/** The server a request goes to. */
export interface Target {
  readonly api: Api;
  readonly model: string;
  /**
   * Under this name blocks keep what only this server understands: `openai` and `openai-chat` for OpenAI itself,
   * `openai:<host>` and `openai-chat:<host>` for others, so that no server is sent another one's ciphertext or ids.
   */
  readonly provider: string;
  /** OpenAI itself or OpenAI on Azure. Others get only the fields that every imitator takes. */
  readonly isOpenAI: boolean;
  /** The server keeps the answers. */
  readonly store: boolean;
  /** Call ids it refuses are rewritten; undefined = takes any. */
  readonly callIds: CallIdRule | undefined;
}

/** The call ids a server takes. */
export interface CallIdRule {
  readonly length: number;
  /** Ids must have exactly `length` letters and digits. */
  readonly isExact?: true;
}

/** Without an explicit `api`: Responses at OpenAI itself, Chat Completions everywhere else. */
export function targetOf(
  options: { readonly model: string; readonly api?: Api; readonly store?: boolean },
  baseURL: string | undefined,
): Target {
  const host = hostOf(baseURL);
  const isFirst = host === undefined || host === 'api.openai.com' || host.endsWith('.api.openai.com');
  const isOpenAI = isFirst || /\.(openai|cognitiveservices|services\.ai)\.azure\.(com|us|cn)$/.test(host);
  const api = options.api ?? (isOpenAI ? 'responses' : 'chat');
  const name = api === 'responses' ? 'openai' : 'openai-chat';
  return {
    api,
    model: options.model,
    provider: isFirst ? name : `${name}:${host}`,
    isOpenAI,
    store: options.store ?? false,
    callIds: callIdRule(api, host, isOpenAI),
  };
}

function callIdRule(api: Api, host: string | undefined, isOpenAI: boolean): CallIdRule | undefined {
  if (isOpenAI) return { length: api === 'responses' ? 64 : 40 };
  // The one imitator known to check the ids it is sent: "must be a-z, A-Z, 0-9, with a length of 9".
  return host !== undefined && /(^|\.)mistral\.ai$/.test(host) ? { length: 9, isExact: true } : undefined;
}

function hostOf(baseURL: string | undefined): string | undefined {
  if (baseURL === undefined) return undefined;
  try {
    return new URL(baseURL).host.toLowerCase();
  } catch {
    return baseURL; // a name of its own, for a client with an address of its own kind
  }
}
