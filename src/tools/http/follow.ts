// Sends one request and follows its redirects to the last response. The rules are checked before every step, so that no
// redirect leads outside of them and no secret reaches another origin.

import { AddressRefused, refusalOf, type HostRules } from './host-rules.ts';
import { nodeTransport } from './node-transport.ts';
import type { OutgoingRequest, Transport } from './outgoing-request.ts';

const maxRedirects = 10;

/** The headers that are sent to another origin. Any other may be a secret, whatever its name. */
const harmlessHeaders = new Set(['accept', 'accept-encoding', 'accept-language', 'content-type', 'user-agent']);

// Set by the connection itself; a request that sets them could smuggle a second request.
const connectionHeaders = [
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Sends a request and follows its redirects. If the rules refuse an address, rejects with a message for the model. */
export type Follow = (request: OutgoingRequest, signal: AbortSignal) => Promise<Response>;

/**
 * How requests under these rules are sent: over `custom`, else over Node's modules, else over the browser's `fetch`.
 */
export function followingFetch(rules: HostRules, custom?: typeof fetch): Follow {
  let transport: Transport | undefined;
  return async (request, signal) => {
    transport ??= (custom === undefined ? nodeTransport(rules) : undefined) ?? overFetch(custom ?? fetch, rules);
    let current = request;
    for (let redirects = 0; ; redirects += 1) {
      const refusal = refusalOf(current.url, rules);
      if (refusal !== undefined) throw new AddressRefused(refusal);
      const response = await transport(prepared(current), signal);
      if (current.redirect === 'manual') return response;
      const target = targetOf(response, current.url);
      if (target === undefined) return response;
      void response.body?.cancel().catch(() => undefined); // only the next response counts
      if (current.redirect === 'error') {
        throw new AddressRefused(`${shown(current.url)} redirects, which this request does not allow.`);
      }
      if (redirects === maxRedirects)
        throw new AddressRefused(`The server redirected more than ${maxRedirects} times.`);
      if (current.url.protocol === 'https:' && target.protocol === 'http:') {
        throw new AddressRefused(`The server redirected from https: to ${shown(target)}, which is not encrypted.`);
      }
      current = redirected(current, response.status, target);
    }
  };
}

/** The address without query and fragment, which may contain secrets. */
export function shown(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

function overFetch(send: typeof fetch, rules: HostRules): Transport {
  // A browser follows redirects invisibly or not at all. Invisibly is allowed only if there is no list of hosts.
  const mayFollowUnseen = send === globalThis.fetch && rules.allowHosts === undefined && isBrowser();
  return async ({ method, url, headers, body, redirect: wanted, browser }, signal) => {
    const redirect = mayFollowUnseen ? wanted : 'manual';
    const settings = isBrowser() ? browser : {};
    const given = body === undefined ? {} : { body };
    const response = await send(url, { ...settings, method, headers, redirect, signal, ...given });
    if (response.type === 'opaqueredirect') {
      throw new AddressRefused(`${shown(url)} redirects, and a browser does not tell where to, so it is not followed.`);
    }
    const refusal = response.redirected ? refusalOf(new URL(response.url), rules) : undefined;
    if (refusal !== undefined) throw new AddressRefused(refusal);
    return response;
  };
}

function isBrowser(): boolean {
  return globalThis.process?.versions?.node === undefined;
}

function prepared(request: OutgoingRequest): OutgoingRequest {
  const headers = new Headers(request.headers);
  for (const name of connectionHeaders) headers.delete(name);
  if (!headers.has('accept')) headers.set('accept', '*/*');
  if (!isBrowser() && !headers.has('accept-encoding')) headers.set('accept-encoding', 'gzip, deflate, br');
  if (request.body !== undefined && !isBrowser()) headers.set('content-length', String(request.body.byteLength));
  return { ...request, headers };
}

function targetOf(response: Response, from: URL): URL | undefined {
  const location = response.headers.get('location');
  if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return undefined;
  try {
    return new URL(utf8Of(location), from);
  } catch {
    throw new AddressRefused(`${shown(from)} redirects to an address that cannot be read.`);
  }
}

/** The text of a header or status line: it arrives as one character per byte, but servers write UTF-8. */
export function utf8Of(binary: string): string {
  if (!/[\u0080-\u00ff]/.test(binary)) return binary;
  try {
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return binary;
  }
}

// By the Fetch standard, 303, and a POST answered with 301 or 302, become a GET without a body.
function redirected(request: OutgoingRequest, status: number, url: URL): OutgoingRequest {
  const isGet = ['GET', 'HEAD'].includes(request.method);
  const becomesGet = status === 303 ? !isGet : request.method === 'POST' && (status === 301 || status === 302);
  const headers = new Headers(request.headers);
  for (const name of [...headers.keys()]) {
    const isOfBody = becomesGet && name.startsWith('content-');
    if (isOfBody || (url.origin !== request.url.origin && !harmlessHeaders.has(name))) headers.delete(name);
  }
  return becomesGet ? { ...request, method: 'GET', url, headers, body: undefined } : { ...request, url, headers };
}
