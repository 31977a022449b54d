// What is known about the server that a request goes to. Made for each request, read by the encoders and decoders.

/** Which of the two APIs a server speaks. */
export type Api = 'responses' | 'chat';

/** The server a request goes to. */
export interface Target {
  readonly api: Api;
  readonly model: string;
  /**
   * The name under which blocks keep what only this server understands: `openai` and `openai-chat` for OpenAI itself,
   * `openai:<host>` and `openai-chat:<host>` for others, so that no server gets another one's ciphertext or ids.
   */
  readonly provider: string;
  /** OpenAI itself or OpenAI on Azure. Others get only the fields that every compatible server accepts. */
  readonly isOpenAI: boolean;
  /** The server stores the answers. */
  readonly store: boolean;
  /** Call ids that break this rule are rewritten; undefined = the server accepts any. */
  readonly callIds: CallIdRule | undefined;
}

/** The call ids that a server accepts. */
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
  // The one compatible server known to check ids: "must be a-z, A-Z, 0-9, with a length of 9".
  return host !== undefined && /(^|\.)mistral\.ai$/.test(host) ? { length: 9, isExact: true } : undefined;
}

function hostOf(baseURL: string | undefined): string | undefined {
  if (baseURL === undefined) return undefined;
  try {
    return new URL(baseURL).host.toLowerCase();
  } catch {
    return baseURL; // a custom client may use something other than a URL
  }
}
