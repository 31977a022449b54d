// A fetch that answers every request in the same way and keeps what it was asked. For tests of models without a server.

import type { SeenRequest } from './recordings.ts';

/** Where every answer comes from, and every request so far. */
export interface AnsweringFetch {
  readonly fetch: typeof fetch;
  readonly requests: readonly SeenRequest[];
}

/** `body` may depend on the address asked. */
export function answering(body: BodyInit | ((url: string) => BodyInit), init: ResponseInit = {}): AnsweringFetch {
  const requests: SeenRequest[] = [];
  return {
    requests,
    async fetch(input, options) {
      const sent = new Request(input, options);
      const { url, headers } = sent;
      requests.push({ url, headers, body: JSON.parse(await sent.text()) as Record<string, unknown> });
      const answer = typeof body === 'function' ? body(url) : body;
      return new Response(answer, { headers: { 'content-type': 'text/event-stream' }, ...init });
    },
  };
}
