// Audio bytes to base64 and back, by the fastest means of the platform. Called by the codec, for every piece of audio.

/** `Uint8Array` where the platform has base64 built in (browsers, Node 25 and later). */
interface BuiltIn {
  toBase64?(): string;
}
interface BuiltInConstructor {
  fromBase64?(text: string): Uint8Array;
}

const hasBuffer = typeof Buffer === 'function';
// Node takes small buffers from a pool: they are copied, so that `.buffer` holds this audio and nothing else.
const pooledBelow = 4096;

/** The text of the bytes, padded. */
export function toBase64(bytes: Uint8Array): string {
  if (hasBuffer) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  const builtIn = (bytes as BuiltIn).toBase64?.();
  if (builtIn !== undefined) return builtIn;
  let binary = '';
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}

/** The bytes, in their own memory; undefined if the text is not base64. */
export function fromBase64(text: string): Uint8Array | undefined {
  const { length } = text;
  if (length === 0) return new Uint8Array(0);
  if (hasBuffer) {
    const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
    if ((length - padding) % 4 === 1) return undefined; // six bits are not a byte
    const size = Math.floor(((length - padding) * 3) / 4);
    const decoded = Buffer.from(text, 'base64');
    if (decoded.length !== size) return undefined; // the decoder skips invalid characters
    return size < pooledBelow ? new Uint8Array(decoded) : new Uint8Array(decoded.buffer, decoded.byteOffset, size);
  }
  try {
    const builtIn = (Uint8Array as BuiltInConstructor).fromBase64?.(text);
    if (builtIn !== undefined) return builtIn;
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
    return bytes;
  } catch {
    return undefined;
  }
}
