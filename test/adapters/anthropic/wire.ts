// An independent reading of Anthropic's payloads, written from the API's description and without the adapter's code:
// what an answer holds, in the API's own terms, and the other way round what one of our messages holds in them.

import { bodyOf, type Recording } from '../recordings.ts';

export type Wire = { readonly [key: string]: unknown };

/** An answer as the API would give it in one JSON body. */
export interface WireAnswer {
  readonly id: string;
  readonly model: string;
  readonly content: readonly Wire[];
  readonly stop_reason: string | null;
  readonly usage: Wire;
  readonly rest: Wire;
}

/** The payloads of a recorded event stream, read line by line. */
function payloadsOf(recording: Recording): readonly Wire[] {
  return bodyOf(recording)
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => JSON.parse(line.slice('data:'.length)) as Wire);
}

/** The first answer in a recording. */
export function answerIn(recording: Recording): WireAnswer {
  if (recording.transport === 'json') return answerOf(recording.response.body as Wire);
  const payloads = payloadsOf(recording);
  const end = payloads.findIndex((payload) => payload['type'] === 'message_stop');
  const message = {
    ...((payloads.find((payload) => payload['type'] === 'message_start')?.['message'] ?? {}) as Wire),
  } as Record<string, unknown>;
  const content = [...((message['content'] ?? []) as Record<string, unknown>[])];
  for (const payload of payloads.slice(0, end)) {
    const index = payload['index'] as number;
    if (payload['type'] === 'content_block_start') {
      content[index] = { ...(payload['content_block'] as Wire), inputText: '' };
    }
    if (payload['type'] === 'content_block_delta')
      applyDelta(content[index] as Record<string, unknown>, payload['delta'] as Wire);
    if (payload['type'] === 'message_delta') {
      Object.assign(message, payload['delta']);
      if (payload['context_management'] !== undefined) message['context_management'] = payload['context_management'];
      const after = Object.entries(payload['usage'] as Wire).filter(([, value]) => value !== null);
      message['usage'] = { ...(message['usage'] as Wire), ...Object.fromEntries(after) };
    }
  }
  message['content'] = content.map(({ inputText, ...block }) =>
    inputText === undefined || inputText === ''
      ? block
      : { ...block, input: JSON.parse(inputText as string) as unknown },
  );
  return answerOf(message);
}

function applyDelta(block: Record<string, unknown>, delta: Wire): void {
  switch (delta['type']) {
    case 'text_delta':
      block['text'] = `${block['text'] as string}${delta['text'] as string}`;
      break;
    case 'thinking_delta':
      block['thinking'] = `${block['thinking'] as string}${delta['thinking'] as string}`;
      break;
    case 'signature_delta':
      block['signature'] = delta['signature'];
      break;
    case 'input_json_delta':
      block['inputText'] = `${block['inputText'] as string}${delta['partial_json'] as string}`;
      break;
    case 'citations_delta':
      block['citations'] = [...((block['citations'] ?? []) as unknown[]), delta['citation']];
      break;
    case 'compaction_delta':
      block['content'] = delta['content'];
      if ('encrypted_content' in delta) block['encrypted_content'] = delta['encrypted_content'];
      break;
    default:
      throw new Error(`the recordings hold a delta this reading does not know: ${String(delta['type'])}`);
  }
}

function answerOf(message: Wire): WireAnswer {
  const { id, model, content, stop_reason, usage, type: _, role: __, ...rest } = message;
  return {
    id: id as string,
    model: model as string,
    content: content as readonly Wire[],
    stop_reason: stop_reason as string | null,
    usage: usage as Wire,
    rest: Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null)),
  };
}

/**
 * The blocks of an answer in comparable form. Left out, because they say nothing: empty texts, null fields, empty
 * citations, and `caller: { type: 'direct' }` of a tool call.
 */
export function comparable(blocks: readonly Wire[]): readonly Wire[] {
  return blocks
    .filter((block) => block['type'] !== 'text' || block['text'] !== '')
    .map((block) => {
      if (!['text', 'thinking', 'tool_use'].includes(block['type'] as string)) return block;
      return Object.fromEntries(
        Object.entries(block).filter(([key, value]) => {
          if (value === null || (key === 'citations' && (value as unknown[]).length === 0)) return false;
          return !(key === 'caller' && (value as Wire)['type'] === 'direct');
        }),
      );
    });
}
