// An independent reading of Responses payloads, written from the API's description and without the adapter's code:
// what an answer holds, in the API's own terms, and what one of our messages holds in them.

import type { Block } from '../../../../src/conversation/block.ts';
import { bodyOf, type Recording } from '../../recordings.ts';

export type Wire = { readonly [key: string]: unknown };

/** What a recording tells: an answer, an error of the server, or an answer that never ended. */
export type Told =
  | {
      readonly kind: 'answer';
      readonly id: string | undefined;
      readonly model: string | undefined;
      readonly items: readonly Wire[];
      readonly status: string;
      readonly cut: string | undefined;
      readonly usage: Wire | undefined;
    }
  | {
      readonly kind: 'error';
      readonly status: number | undefined;
      readonly code: string | undefined;
      readonly message: string;
    }
  | { readonly kind: 'unfinished' };

export function toldBy(recording: Recording): Told {
  const status = recording.response.status ?? 200;
  if (status >= 400) return errorIn(recording.response.body as Wire, status);
  if (recording.transport === 'json') return toldByResponse(recording.response.body as Wire);
  // Of several answers in one body the first one counts.
  const all = payloadsOf(recording);
  const end = all.findIndex((payload) => terminal.includes(payload['type'] as string));
  const payloads = end < 0 ? all : all.slice(0, end + 1);
  const failure = payloads.find((payload) => payload['type'] === 'error' || payload['type'] === 'response.failed');
  if (failure !== undefined) return errorIn((failure['response'] as Wire | undefined) ?? failure, undefined);
  const last = payloads.at(-1);
  if (last === undefined || end < 0) return { kind: 'unfinished' };
  // By place: some servers give no list at the end, and either ciphertext of a reasoning item is valid.
  const byPlace = new Map<number, Wire>();
  for (const payload of payloads) {
    if (payload['type'] === 'response.output_item.done')
      byPlace.set(payload['output_index'] as number, payload['item'] as Wire);
  }
  const items = [...byPlace].toSorted(([left], [right]) => left - right).map(([, item]) => item);
  // One server gives the answer a new id with every event: the first one is its name.
  const first = payloads.find((payload) => payload['response'] !== undefined)?.['response'] as Wire;
  const response = { ...(last['response'] as Wire), id: first['id'] };
  const listed = (last['response'] as Wire)['output'] as Wire[];
  return toldByResponse({ ...response, output: listed.length > items.length ? listed : items });
}

const terminal = ['response.completed', 'response.incomplete', 'response.failed'];

function payloadsOf(recording: Recording): readonly Wire[] {
  return bodyOf(recording)
    .split('\n')
    .filter((line) => line.startsWith('data:') && !line.includes('[DONE]'))
    .map((line) => JSON.parse(line.slice('data:'.length)) as Wire);
}

function toldByResponse(response: Wire): Told {
  const status = response['status'] as string;
  if (status === 'queued' || status === 'in_progress') return { kind: 'unfinished' };
  return {
    kind: 'answer',
    id: response['id'] as string | undefined,
    model: response['model'] as string | undefined,
    items: response['output'] as Wire[],
    status,
    cut: (response['incomplete_details'] as Wire | null | undefined)?.['reason'] as string | undefined,
    usage: (response['usage'] ?? undefined) as Wire | undefined,
  };
}

function errorIn(holder: Wire, status: number | undefined): Told {
  const error = holder['error'] as Wire | string;
  // The SDK hands on only the text where the error is not an object.
  if (typeof error === 'string') return { kind: 'error', status, code: undefined, message: error };
  return {
    kind: 'error',
    status,
    code: (error['code'] ?? error['type']) as string,
    message: error['message'] as string,
  };
}

/** What says nothing is left out: the role of a message, empty lists of a text. */
export function comparableItem(item: Wire): Wire {
  if (item['type'] !== 'message') return item;
  const content = (item['content'] as Wire[]).map((part) =>
    Object.fromEntries(Object.entries(part).filter(([, value]) => !(Array.isArray(value) && value.length === 0))),
  );
  const { role: _, ...rest } = item;
  return { ...rest, content };
}

/** Our blocks as the items they were, each kind by its own rule and without the encoder. */
export function itemsOf(content: readonly Block[]): readonly Wire[] {
  const items: Wire[] = [];
  let picture: string | undefined;
  for (const block of content) {
    switch (block.type) {
      case 'text': {
        const { part, ...data } = block.data as { part?: Wire };
        const said = block.refusal
          ? { type: 'refusal', refusal: block.text }
          : { type: 'output_text', text: block.text };
        items.push({
          ...data,
          type: 'message',
          content: [{ ...said, ...(block.citations === undefined ? {} : { annotations: block.citations }), ...part }],
        });
        break;
      }
      case 'thinking':
        items.push({
          ...(block.data as Wire),
          type: 'reasoning',
          ...(block.encrypted === undefined ? {} : { encrypted_content: block.encrypted }),
        });
        break;
      case 'toolCall': {
        const {
          type,
          field,
          arguments: text,
          ...data
        } = block.data as { type?: string; field?: string; arguments?: string };
        if (type !== undefined) items.push({ ...data, type, call_id: block.id, [field ?? 'input']: block.args });
        else {
          const sent = text ?? block.rawArgs ?? JSON.stringify(block.args);
          items.push({ ...data, type: 'function_call', call_id: block.id, name: block.name, arguments: sent });
        }
        break;
      }
      case 'image':
        picture = block.source.type === 'base64' ? block.source.data : undefined;
        break;
      case 'provider':
        items.push({ ...(block.data as Wire), ...(block.kind === 'image_generation_call' ? { result: picture } : {}) });
        break;
      default:
        throw new Error(`an answer of this API holds no ${block.type}`);
    }
  }
  return items;
}

/** The text a person can read of a reasoning item. */
export function reasoningText(item: Wire): string {
  const pieces = [...((item['summary'] ?? []) as Wire[]), ...((item['content'] ?? []) as Wire[])];
  return pieces
    .map((piece) => piece['text'] as string)
    .filter((text) => text !== '')
    .join('\n\n');
}
