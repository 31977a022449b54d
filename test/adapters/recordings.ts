// Provider traffic recorded by other projects: how to read it, and a fetch that plays it back cut at random.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One recorded call. The shape is described in test/recordings/<provider>/README.md. */
export interface Recording {
  readonly id: string;
  readonly group: string;
  readonly step: number;
  readonly protocol: string;
  readonly provider: string;
  readonly transport: 'sse' | 'json' | 'ws';
  readonly tags: readonly string[];
  readonly fidelity: string;
  readonly request: { readonly method: string; readonly path: string; readonly body: unknown } | null;
  readonly response: {
    readonly status: number | null;
    readonly headers?: { readonly [name: string]: string };
    readonly body?: unknown;
    readonly text?: string;
    readonly events?: readonly string[];
    readonly separator?: string;
  };
}

/** All recordings in `test/recordings/<folder>` whose file name begins with `prefix`, in file order. */
export function readRecordings(folder: string, prefix = ''): readonly Recording[] {
  const root = join(import.meta.dirname, '..', 'recordings', folder);
  const files = readdirSync(root)
    .filter((name) => name.startsWith(prefix) && name.endsWith('.jsonl'))
    .toSorted();
  return files.flatMap((name) =>
    readFileSync(join(root, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Recording),
  );
}

/** The body text of a recorded answer. */
export function bodyOf({ response }: Recording): string {
  if (response.events !== undefined) return response.events.join(response.separator ?? '\n\n');
  return response.text ?? JSON.stringify(response.body);
}

/** Typographic quotes and dashes made plain, as one recorder's cleaning did in requests but not in answers. */
export function flattened(text: string): string {
  return text.replace(/[‘’]/g, "'").replace(/[“”]/g, '"').replace(/—/g, '--').replace(/–/g, '-').replace(/…/g, '...');
}

/** A small seeded generator (mulberry32): the same numbers in [0, 1) for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Cuts at random: some bodies into single bytes at places, others into a few large pieces. */
function cutAtRandom(bytes: Uint8Array, random: () => number): readonly Uint8Array[] {
  const chunks: Uint8Array[] = [];
  const scale = [1, 7, 200, 4000][Math.floor(random() * 4)] ?? 200;
  const largest = Math.max(scale, bytes.length / 4000);
  for (let at = 0; at < bytes.length;) {
    const size = 1 + Math.floor(random() * largest);
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

/** A body that hands out the chunks one pull at a time. */
export function streamOfChunks(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  let next = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = chunks[next++];
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );
}

/** A fetch that answers every request with the recording, and what it was asked. */
export function replaying(recording: Recording, seed: number): { fetch: typeof fetch; requests: SeenRequest[] } {
  const requests: SeenRequest[] = [];
  const random = seeded(seed);
  const replay = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const sent = new Request(input, init);
    requests.push({
      url: sent.url,
      headers: sent.headers,
      body: JSON.parse(await sent.text()) as Record<string, unknown>,
    });
    const chunks = cutAtRandom(new TextEncoder().encode(bodyOf(recording)), random);
    const type = recording.transport === 'sse' ? 'text/event-stream' : 'application/json';
    return new Response(streamOfChunks(chunks), {
      status: recording.response.status ?? 200,
      headers: { 'content-type': type, ...recording.response.headers },
    });
  };
  return { fetch: replay, requests };
}

/** A request as the server saw it. */
export interface SeenRequest {
  readonly url: string;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}
