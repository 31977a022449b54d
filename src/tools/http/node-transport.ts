// `fetch` for Node that looks at the addresses a name resolves to before it connects, which Node's own cannot. Only
// reached where there are Node's modules; nothing is imported, so that bundles for browsers need no stand-ins.

import type { LookupFunction } from 'node:net';
import type { Transport } from './outgoing-request.ts';
import { AddressRefused, isNamedExactly, isPrivateAddress, type HostRules } from './host-rules.ts';

interface NodeModules {
  readonly dns: typeof import('node:dns');
  readonly http: typeof import('node:http');
  readonly https: typeof import('node:https');
  readonly stream: typeof import('node:stream');
  readonly zlib: typeof import('node:zlib');
}

/** The transport over Node's modules, or undefined where there are none. Each has connections of its own. */
export function nodeTransport(rules: HostRules): Transport | undefined {
  const node = nodeModules();
  if (node === undefined) return undefined;
  // A connection that is kept was made under these rules: other tools do not get it.
  const agents = { http: new node.http.Agent({ keepAlive: true }), https: new node.https.Agent({ keepAlive: true }) };
  const lookup = checkedLookup(node.dns);
  return ({ method, url, headers, body }, signal) =>
    new Promise((resolve, reject) => {
      const isSecure = url.protocol === 'https:';
      const request = (isSecure ? node.https : node.http).request(url, {
        method,
        headers: Object.fromEntries(headers),
        agent: isSecure ? agents.https : agents.http,
        signal,
        ...(rules.allowPrivateAddresses === true || isNamedExactly(url, rules) ? {} : { lookup }),
      });
      request.on('error', (error) => reject(signal.reason instanceof Error ? signal.reason : error));
      request.on('response', (message) => {
        message.on('error', () => undefined); // its reader hears of it; without a reader nobody needs to
        try {
          resolve(responseOf(node, message, method, url));
        } catch (error) {
          message.destroy();
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
      request.end(body);
    });
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

function responseOf(
  node: NodeModules,
  message: import('node:http').IncomingMessage,
  method: string,
  url: URL,
): Response {
  const status = message.statusCode ?? 0;
  if (status < 200 || status > 599)
    throw new Error(`The server answered with the status ${status}, which HTTP does not know.`);
  const headers = new Headers();
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2) {
    headers.append(message.rawHeaders[index] ?? '', message.rawHeaders[index + 1] ?? '');
  }
  const coding = headers.get('content-encoding');
  const isEmpty = method === 'HEAD' || emptyStatuses.has(status);
  if (isEmpty) message.resume();
  const stream = isEmpty ? undefined : decoded(node, message, coding);
  // Node's declaration of a web stream and the page's are the same object under two names.
  const body =
    stream === undefined
      ? null
      : (node.stream.Readable.toWeb(stream) as unknown as ReadableStream<Uint8Array<ArrayBuffer>>);
  if (stream !== undefined && stream !== message) {
    headers.delete('content-encoding');
    headers.delete('content-length');
  }
  const response = new Response(body, { status, statusText: message.statusMessage ?? '', headers });
  Object.defineProperty(response, 'url', { value: url.href }); // which the constructor cannot set
  return response;
}

function decoded(
  { stream, zlib }: NodeModules,
  message: import('node:http').IncomingMessage,
  coding: string | null,
): import('node:stream').Readable {
  const decoder = decoderOf(zlib, coding?.trim().toLowerCase() ?? '');
  // A failure of either side reaches the reader.
  return decoder === undefined ? message : stream.pipeline(message, decoder, () => undefined);
}

function decoderOf(zlib: typeof import('node:zlib'), coding: string): import('node:stream').Transform | undefined {
  switch (coding) {
    case 'gzip':
    case 'x-gzip': {
      return zlib.createGunzip();
    }
    case 'deflate': {
      return zlib.createInflate();
    }
    case 'br': {
      return zlib.createBrotliDecompress();
    }
    case '':
    case 'identity': {
      return undefined;
    }
    default: {
      throw new Error(`The body is compressed as ${coding}, which was not asked for.`);
    }
  }
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
