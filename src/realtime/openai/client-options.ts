// Key and address. A separate file, so that the types of a session do not need the SDK's.

/** Which server is called, with which key. */
export interface ClientOptions {
  /**
   * An instance of the SDK, used as it is with its key, address, organisation and headers; `apiKey` and `baseURL` are
   * then ignored.
   */
  readonly client?: unknown;
  /**
   * Default: `OPENAI_API_KEY`, but never for a `baseURL` other than OpenAI's. In browsers pass a client secret
   * (`ek_…`), never the key itself.
   */
  readonly apiKey?: string;
  /**
   * Includes the version, such as `https://api.openai.com/v1` (the default). `http:` and `ws:` addresses are accepted
   * too.
   */
  readonly baseURL?: string;
}
