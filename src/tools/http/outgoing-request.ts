// A request on its way, and what sends it. Shared by the ways to send and the redirects between them.

/** Sends one request and follows nothing. Rejects where the connection fails or the rules refuse the address. */
export type Transport = (request: OutgoingRequest, signal: AbortSignal) => Promise<Response>;

/** A request whose body has been read. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}
