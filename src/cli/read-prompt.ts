// Reads a prompt that is piped in, if there is no -p. Called by main.ts.

import type { Readable } from 'node:stream';

/** A prompt, or why there is none. */
export type FoundPrompt = { readonly prompt: string } | { readonly prompt?: never; readonly why: string };

const maxBytes = 1024 * 1024;

/**
 * Reads standard input to its end. No prompt comes from a terminal, an empty input, and one that is silent for
 * `patienceMs` (default 3,000: some programs start the command with an open pipe that nobody writes to). Throws an Error
 * with a readable message for more than 1 MiB, and the signal's reason after an abort.
 */
export async function readPrompt(
  input: Readable & { readonly isTTY?: boolean },
  signal: AbortSignal,
  patienceMs = 3_000,
): Promise<FoundPrompt> {
  if (input.isTTY === true) return { why: 'no prompt given (-p)' };
  const silence = new AbortController();
  const patience = setTimeout(() => silence.abort(), patienceMs);
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    // Read by hand: an async iterator would destroy the stream but not end a pending read.
    await new Promise<void>((resolve, reject) => {
      const stop = AbortSignal.any([signal, silence.signal]);
      stop.addEventListener('abort', () => resolve(), { once: true });
      input.on('data', (piece: Buffer | string) => {
        clearTimeout(patience);
        const buffer = Buffer.from(piece);
        bytes += buffer.length;
        pieces.push(buffer);
        if (bytes > maxBytes)
          reject(new Error(`the prompt on standard input is larger than ${maxBytes.toLocaleString('en-US')} bytes`));
      });
      input.once('end', resolve);
      input.once('error', () => resolve()); // a closed or unreadable input is an empty one
    });
  } finally {
    clearTimeout(patience);
    input.removeAllListeners('data');
    input.destroy();
  }
  signal.throwIfAborted();
  const prompt = Buffer.concat(pieces)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trim();
  if (prompt !== '') return { prompt };
  return silence.signal.aborted
    ? { why: `standard input gave nothing for ${patienceMs / 1_000} s` }
    : { why: 'no prompt given (-p) and standard input is empty' };
}
