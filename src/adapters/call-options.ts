// The options of every request to an official SDK, which is used as transport only. Called by the provider models.

/** Options of one request, in the form both SDKs take. */
export interface CallOptions {
  readonly signal: AbortSignal;
  /** Retrying is the turn's job. */
  readonly maxRetries: 0;
  /** A redirect is an error, see http-errors.ts. */
  readonly fetchOptions: { readonly redirect: 'manual' };
  readonly headers?: Record<string, string>;
}

/** Merged by the SDK into what its client was made with. */
export function callOptions(signal: AbortSignal, headers: Record<string, string> | undefined): CallOptions {
  const options = { signal, maxRetries: 0, fetchOptions: { redirect: 'manual' } } as const;
  return headers === undefined ? options : { ...options, headers };
}
