// An independent reading of Chat Completions payloads, written from the API's description and the recorded servers'
// habits, without the adapter's code: what an answer holds, in order.

import { bodyOf, type Recording } from '../../recordings.ts';

export type Wire = { readonly [key: string]: unknown };

/** One thing an answer holds. */
export type Piece =
  | { readonly kind: 'text' | 'refusal' | 'reasoning'; text: string }
  | { readonly kind: 'call'; readonly id: string | undefined; readonly name: string; text: string };

/** What a recording says. */
export type Told =
  | {
      readonly kind: 'answer';
      readonly id: string | undefined;
      readonly model: string | undefined;
      readonly pieces: readonly Piece[];
      readonly finish: string;
      readonly usage: Wire | undefined;
      readonly signatures: readonly string[];
      readonly citations: readonly unknown[];
      readonly logprobs: number;
    }
  | { readonly kind: 'error'; readonly status: number | undefined; readonly message: string }
  | { readonly kind: 'nonsense' };

export function toldBy(recording: Recording): Told {
  const { status, body } = recording.response;
  if (recording.transport === 'sse') return toldByChunks(payloadsOf(recording));
  if (typeof body !== 'object' || body === null) return { kind: 'nonsense' };
  if ((status ?? 200) >= 400 || 'error' in body)
    return errorOf(body as Wire, (status ?? 200) >= 400 ? (status ?? 200) : undefined);
  return toldByChunks([body as Wire]);
}

function payloadsOf(recording: Recording): readonly Wire[] {
  return bodyOf(recording)
    .split('\n')
    .filter((line) => line.startsWith('data:') && !line.includes('[DONE]'))
    .map((line) => JSON.parse(line.slice('data:'.length)) as Wire);
}

function errorOf(holder: Wire, status: number | undefined): Told {
  const error = holder['error'] as Wire | string;
  const message = typeof error === 'string' ? error : (error['message'] as string);
  // A stream has begun with status 200: its error brings its own.
  return { kind: 'error', status: status ?? ((error as Wire)['status_code'] as number | undefined), message };
}

function toldByChunks(chunks: readonly Wire[]): Told {
  const reader = createReader();
  let finish = '';
  let usage: Wire | undefined;
  let citations: unknown[] = [];
  let logprobs = 0;
  for (const chunk of chunks) {
    // An error after the last word changes nothing.
    if (chunk['error'] !== undefined && finish === '') return errorOf(chunk, undefined);
    usage = (chunk['usage'] ?? (chunk['x_groq'] as Wire | undefined)?.['usage'] ?? usage) as Wire | undefined;
    if (Array.isArray(chunk['citations'])) citations = chunk['citations'];
    const choice = ((chunk['choices'] ?? []) as Wire[]).find((one) => (one['index'] ?? 0) === 0);
    if (choice === undefined) continue;
    // One server puts an empty delta beside the message of a body.
    reader.read((choice['message'] ?? choice['delta']) as Wire);
    finish = (choice['finish_reason'] as string | null) || finish;
    logprobs += (((choice['logprobs'] as Wire | null | undefined)?.['content'] ?? []) as unknown[]).length;
  }
  const named = chunks.find((chunk) => (chunk['choices'] as unknown[] | undefined) !== undefined);
  return {
    kind: 'answer',
    id: (named?.['id'] as string) || undefined,
    model: named?.['model'] as string | undefined,
    pieces: reader.pieces.filter((piece) => piece.kind === 'call' || piece.text.trim() !== ''),
    finish,
    usage,
    signatures: reader.signatures,
    citations,
    logprobs,
  };
}

function createReader() {
  const pieces: Piece[] = [];
  const signatures: string[] = [];
  const say = (kind: 'text' | 'refusal' | 'reasoning', text: unknown): void => {
    if (typeof text !== 'string' || text === '') return;
    const last = pieces.at(-1);
    if (last?.kind === kind) last.text += text;
    else if (last?.kind === 'text' && last.text.trim() === '') pieces.splice(-1, 1, { kind, text });
    else if (kind === 'text' && text.trim() === '' && last?.kind === 'call') return; // nothing between two calls
    else pieces.push({ kind, text });
  };
  const call = (delta: Wire): void => {
    const wanted = (delta['function'] ?? {}) as Wire;
    const id = (delta['id'] as string | undefined) || undefined;
    const calls = pieces.filter((piece) => piece.kind === 'call');
    const known = id === undefined ? calls.at(-1) : calls.find((one) => one.id === id);
    const text = (wanted['arguments'] ?? '') as string;
    if (known === undefined) pieces.push({ kind: 'call', id, name: (wanted['name'] ?? '') as string, text });
    else known.text += text;
  };
  const part = (one: Wire): void => {
    if (one['type'] === 'text') say('text', one['text']);
    if (one['type'] === 'thinking') for (const thought of one['thinking'] as Wire[]) say('reasoning', thought['text']);
  };
  return {
    pieces,
    signatures,
    read(delta: Wire | undefined): void {
      if (delta === undefined) return;
      const details = (delta['reasoning_details'] ?? []) as Wire[];
      const named = delta['reasoning_content'] || delta['reasoning'];
      say(
        'reasoning',
        named || details.map((detail) => (detail['text'] ?? detail['summary'] ?? '') as string).join(''),
      );
      for (const detail of details) if (detail['signature']) signatures.push(detail['signature'] as string);
      if (Array.isArray(delta['content'])) for (const one of delta['content'] as Wire[]) part(one);
      else say('text', delta['content']);
      say('refusal', delta['refusal']);
      for (const one of (delta['tool_calls'] ?? []) as Wire[]) call(one);
      const old = delta['function_call'] as Wire | undefined;
      if (old?.['name']) call({ function: old });
    },
  };
}
