// Who may use the inspector: requests that have the token, were addressed to this machine by one of its own names, and
// do not come from an unknown web page.

import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The gate's decision about a request. `path` is what follows the token; undefined: not even a slash. */
export type Verdict =
  /** Everything: the page, and messages in both directions. */
  | { readonly allow: 'all'; readonly path: string | undefined; readonly query: URLSearchParams }
  /** May send messages but receives none: a page listed in `allowOrigins`. */
  | { readonly allow: 'send'; readonly path: string | undefined; readonly query: URLSearchParams }
  | { readonly allow: 'nothing'; readonly status: 403 | 404; readonly why: string };

/** The gate's settings. */
export interface GateOptions {
  readonly token: string;
  readonly port: number;
  /** Origins of web pages that may send, such as `http://localhost:5173`. */
  readonly allowOrigins: readonly string[];
}

/**
 * Host protects against DNS rebinding, Origin against foreign pages, and the token (the first part of the path) against
 * other users of this machine.
 */
export function judge(request: Pick<IncomingMessage, 'url' | 'headers'>, options: GateOptions): Verdict {
  const { host, origin } = request.headers;
  // As browsers write it: without the port if it is 80.
  const hosts = ['127.0.0.1', 'localhost', '[::1]'].map((name) => new URL(`http://${name}:${options.port}`).host);
  if (host === undefined || !hosts.includes(host.toLowerCase())) {
    return refused(403, 'The inspector answers only to 127.0.0.1, localhost and [::1].');
  }
  const isOwn = origin === undefined || origin === `http://${host.toLowerCase()}`;
  const isNamed = origin !== undefined && options.allowOrigins.includes(origin);
  if (!isOwn && !isNamed) {
    return refused(403, 'This web page may not talk to the inspector. Name it: startInspector({ allowOrigins: […] })');
  }
  const url = URL.parse(request.url ?? '/', 'http://inspector');
  const [, token = '', ...path] = url?.pathname.split('/') ?? [];
  if (url === null || !isSame(token, options.token)) {
    return refused(404, 'Nothing is here. Open the address that the inspector printed when it started.');
  }
  return {
    allow: isOwn ? 'all' : 'send',
    path: path.length === 0 ? undefined : path.join('/'),
    query: url.searchParams,
  };
}

function refused(status: 403 | 404, why: string): Verdict {
  return { allow: 'nothing', status, why };
}

// Takes the same time for every wrong token.
function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
