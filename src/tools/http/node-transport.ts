// A `fetch` for Node that checks the addresses a name resolves to before it connects, which Node's own cannot. Only
// used if Node's modules exist; nothing is imported, so that bundles for browsers need no stubs.

import type { LookupFunction } from 'node:net';
import { contentDecoders } from './content-decoders.ts';
import { AddressRefused, isNamedExactly, isPrivateAddress, type HostRules } from './host-rules.ts';
import type { OutgoingRequest, Transport } from './outgoing-request.ts';
import { idempotentMethods } from './retry.ts';

interface NodeModules {
  readonly dns: typeof import('node:dns');
  readonly http: typeof import('node:http');
  readonly https: typeof import('node:https');
  readonly stream: typeof import('node:stream');
  readonly zlib: typeof import('node:zlib');
}

/** The transport over Node's modules, or undefined if there are none. Each has its own connections. */
export function nodeTransport(rules: HostRules): Transport | undefined {
  const node = nodeModules();
  if (node === undefined) return undefined;
  // A kept connection was made under these rules: other tools do not share it.
  const kept = { keepAlive: true, timeout: idleMs };
  const agents = { http: new node.http.Agent(kept), https: new node.https.Agent(kept) };
  const lookup = checkedLookup(node.dns);
  const send = (outgoing: OutgoingRequest, signal: AbortSignal, mayReuse: boolean): Promise<Response> =>
    new Promise((resolve, reject) => {
      const { method, url, headers, body } = outgoing;
      const isSecure = url.protocol === 'https:';
      const request = (isSecure ? node.https : node.http).request(url, {
        method,
        headers: Object.fromEntries(headers),
        agent: mayReuse && (isSecure ? agents.https : agents.http),
        signal,
        ...(rules.allowPrivateAddresses === true || isNamedExactly(url, rules) ? {} : { lookup }),
      });
      const fail = (error: unknown): void => reject(error instanceof Error ? error : new Error(String(error)));
      request.on('error', (error) => {
        if (signal.aborted) fail(signal.reason);
        // The server had closed the idle connection: that is not a failure of this request.
        else if (request.reusedSocket && isLost(error)) send(outgoing, signal, false).then(resolve, fail);
        else fail(error);
      });
      request.on('upgrade', (message, socket) => {
        socket.destroy();
        fail(unknownStatus(message.statusCode));
      });
      request.on('response', (message) => {
        message.on('error', () => undefined); // its reader gets the error; without a reader it does not matter
        // A body without a length would seem to have ended normally.
        const cut = (): void => void message.destroy(signal.reason instanceof Error ? signal.reason : undefined);
        signal.addEventListener('abort', cut, { once: true });
        message.on('close', () => signal.removeEventListener('abort', cut));
        responseOf(node, message, method, url).then(resolve, (error) => {
          message.destroy();
          fail(signal.aborted ? signal.reason : error);
        });
      });
      request.end(body);
    });
  // A request that must not be sent twice gets a new connection, which the server cannot have closed.
  return (outgoing, signal) => send(outgoing, signal, idempotentMethods.has(outgoing.method));
}

// How long an idle connection is kept; shorter than servers keep theirs.
const idleMs = 4_000;

function isLost(error: Error): boolean {
  return ['ECONNRESET', 'EPIPE', 'ECONNABORTED'].includes(String(Reflect.get(error, 'code')));
}

function unknownStatus(status: number | undefined): Error {
  return new Error(`The server answered with the status ${status ?? 0}, which has no meaning for this request.`);
}

function checkedLookup({ lookup }: typeof import('node:dns')): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, '');
        return;
      }
      const hidden = addresses.find(({ address }) => isPrivateAddress(address));
      const [first] = addresses;
      if (hidden !== undefined || first === undefined) {
        callback(new AddressRefused(`${hostname} leads into a private network, which this tool may not reach.`), '');
      } else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

const emptyStatuses = new Set([204, 205, 304]);

async function responseOf(
  node: NodeModules,
  message: import('node:http').IncomingMessage,
  method: string,
  url: URL,
): Promise<Response> {
  const status = message.statusCode ?? 0;
  if (status < 200 || status > 599) throw unknownStatus(status);
  const headers = new Headers();
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2) {
    headers.append(message.rawHeaders[index] ?? '', message.rawHeaders[index + 1] ?? '');
  }
  const isEmpty = method === 'HEAD' || emptyStatuses.has(status);
  if (isEmpty) message.resume();
  const decoders = isEmpty ? [] : await contentDecoders(node.zlib, message, headers.get('content-encoding'));
  const stream = decoders.length === 0 ? message : node.stream.pipeline([message, ...decoders], () => undefined);
  if (decoders.length > 0) {
    headers.delete('content-encoding');
    headers.delete('content-length');
  }
  // Node's declaration of a web stream and the page's are the same object under two names; the end of a pipeline of
  // readable streams is one.
  const body = isEmpty
    ? null
    : (node.stream.Readable.toWeb(stream as import('node:stream').Readable) as unknown as ReadableStream<
        Uint8Array<ArrayBuffer>
      >);
  const response = new Response(body, { status, statusText: reasonOf(message), headers });
  Object.defineProperty(response, 'url', { value: url.href }); // which the constructor cannot set
  return response;
}

// A `Response` cannot have control characters there.
function reasonOf({ statusMessage = '' }: import('node:http').IncomingMessage): string {
  return statusMessage.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '');
}

let modules: NodeModules | undefined;

function nodeModules(): NodeModules | undefined {
  if (modules !== undefined) return modules;
  const load = globalThis.process?.getBuiltinModule;
  if (typeof load !== 'function') return undefined;
  const [dns, http, https, stream, zlib] = [
    load('node:dns'),
    load('node:http'),
    load('node:https'),
    load('node:stream'),
    load('node:zlib'),
  ];
  return (modules = { dns, http, https, stream, zlib });
}
