// Where key and address come from. A file of its own, so that the types of a session are there without the SDK's.

/** Who is asked, with which key. */
export interface ClientOptions {
  /**
   * An instance of the SDK, used as it is: its key, address, organisation and headers; then `apiKey` and `baseURL` do
   * nothing.
   */
  readonly client?: unknown;
  /**
   * Default: `OPENAI_API_KEY`, but never for a `baseURL` other than OpenAI's: a key goes only where it was given for. In
   * browsers give a client secret (`ek_…`), never the key itself.
   */
  readonly apiKey?: string;
  /** With the version, as `https://api.openai.com/v1` (the default). `http:` and `ws:` addresses are taken too. */
  readonly baseURL?: string;
}
