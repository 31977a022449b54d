// Decoders for a compressed body, by its header and its first byte. Called by the transport over Node's modules.

import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';

type Zlib = typeof import('node:zlib');

// Each step multiplies what a few bytes unpack to, and no honest server uses more than two.
const maxSteps = 5;

/**
 * The decoders in the order in which they are applied; none if the body is empty, whatever its header says. Settles
 * when the first byte has arrived. Rejects if the encoding is unknown or the connection ends before that.
 */
export async function contentDecoders(
  zlib: Zlib,
  message: IncomingMessage,
  header: string | null,
): Promise<readonly Transform[]> {
  const codings = (header ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
    .toReversed();
  const unknown = codings.find((coding) => !knownCodings.has(coding));
  if (unknown !== undefined || codings.length > maxSteps) {
    throw new Error(`The body is compressed as ${header ?? ''}, which was not asked for.`);
  }
  if (codings.length === 0) return [];
  const first = await firstByte(message);
  return first === undefined ? [] : codings.map((coding, index) => decoderOf(zlib, coding, index === 0 ? first : 0x78));
}

const knownCodings = new Set(['gzip', 'x-gzip', 'deflate', 'br']);

function decoderOf(zlib: Zlib, coding: string, first: number): Transform {
  if (coding === 'br') return zlib.createBrotliDecompress();
  if (coding !== 'deflate') return zlib.createGunzip();
  // Means the zlib format, but many servers send raw deflate.
  return (first & 0x0f) === 0x08 ? zlib.createInflate() : zlib.createInflateRaw();
}

function firstByte(message: IncomingMessage): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      message.off('readable', look);
      message.off('end', end);
      message.off('error', fail);
    };
    const look = (): void => {
      const bytes: unknown = message.read(1);
      if (!(bytes instanceof Uint8Array)) return;
      leave();
      message.unshift(bytes);
      resolve(bytes[0]);
    };
    const end = (): void => {
      leave();
      resolve(undefined);
    };
    const fail = (error: Error): void => {
      leave();
      reject(error);
    };
    message.on('readable', look);
    message.on('end', end);
    message.on('error', fail);
  });
}
