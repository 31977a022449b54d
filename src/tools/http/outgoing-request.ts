// A request to be sent, and the type of what sends it. Shared by the transports and by redirects.

/** Settings that only browsers have: cookies of the page, its cache. */
export type BrowserSettings = Pick<
  RequestInit,
  'cache' | 'credentials' | 'integrity' | 'keepalive' | 'mode' | 'referrerPolicy'
>;

/** Sends one request without following redirects. Rejects if the connection fails or the rules refuse the address. */
export type Transport = (request: OutgoingRequest, signal: AbortSignal) => Promise<Response>;

/** A request whose body has been read. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  /** `manual`: a redirect is returned as the response; `error`: it is a failure. */
  readonly redirect: RequestRedirect;
  readonly browser: BrowserSettings;
}

/** The request with its body read, so that it can be sent more than once. An abort ends the reading. */
export async function outgoingRequest(request: Request, signal: AbortSignal): Promise<OutgoingRequest> {
  const { method, url, headers, redirect } = request;
  const { cache, credentials, integrity, keepalive, mode, referrerPolicy } = request;
  return {
    method,
    url: new URL(url),
    headers: new Headers(headers),
    body: await bodyOf(request, signal),
    redirect,
    browser: { cache, credentials, integrity, keepalive, mode, referrerPolicy },
  };
}

async function bodyOf(request: Request, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer> | undefined> {
  // Not every browser reports whether there is a body.
  if (request.body === null || ['GET', 'HEAD'].includes(request.method)) return undefined;
  if (request.bodyUsed)
    throw new Error('The body of this request has been read already. Make a new request for each call.');
  try {
    signal.throwIfAborted();
    const { body } = request.clone();
    if (!body) return new Uint8Array(await request.clone().arrayBuffer());
    const abortable = body.pipeThrough(new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>(), { signal });
    return new Uint8Array(await new Response(abortable).arrayBuffer());
  } catch (error) {
    void request.body?.cancel(error).catch(() => undefined); // its source ends when both copies have
    throw error;
  }
}
