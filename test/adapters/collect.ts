// Reads a stream of events to its end, holding it to the contract of StreamEvent, and builds the message.

import type { StopReason, StreamEvent } from '../../src/contracts/model.ts';
import type { Block } from '../../src/conversation/block.ts';
import type { JsonValue, Meta } from '../../src/conversation/json.ts';
import type { Usage } from '../../src/conversation/usage.ts';

/** What an answer came to. */
export interface Answer {
  readonly content: readonly Block[];
  readonly providerId: string | undefined;
  readonly model: string | undefined;
  readonly stopReason: StopReason | undefined;
  readonly rawStopReason: string | undefined;
  readonly usage: Usage | undefined;
  readonly meta: Meta | undefined;
  readonly raw: readonly JsonValue[];
  readonly events: readonly StreamEvent[];
}

/**
 * Builds the message; throws at the first event that breaks the contract, and where an end says another text than the
 * deltas unless `endMayCorrect`.
 */
export async function collect(
  stream: AsyncIterable<StreamEvent> | Iterable<StreamEvent>,
  { endMayCorrect = false } = {},
): Promise<Answer> {
  const events: StreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return build(events, endMayCorrect);
}

/** Reads until the stream ends or throws: the events before it, and what was thrown. */
export async function collectUntilThrow(
  stream: AsyncIterable<StreamEvent>,
): Promise<{ readonly events: readonly StreamEvent[]; readonly thrown: unknown }> {
  const events: StreamEvent[] = [];
  try {
    for await (const event of stream) events.push(event);
  } catch (thrown) {
    return { events, thrown };
  }
  return { events, thrown: undefined };
}

interface Open {
  readonly kind: 'text' | 'thinking' | 'toolInput';
  text: string;
  readonly id: string;
  readonly name: string;
}

function build(events: readonly StreamEvent[], endMayCorrect: boolean): Answer {
  const content: (Block | undefined)[] = [];
  const open = new Map<number, Open>();
  const raw: JsonValue[] = [];
  let usage: Usage | undefined;
  let start: Extract<StreamEvent, { type: 'message.start' }> | undefined;
  let end: Extract<StreamEvent, { type: 'message.end' }> | undefined;

  const begin = (index: number): void => {
    if (start === undefined) throw new Error('a block before message.start');
    if (end !== undefined) throw new Error('a block after message.end');
    if (index !== content.length) throw new Error(`block ${index} begins where ${content.length} was due`);
    content.push(undefined);
  };
  const opened = (index: number, kind: Open['kind']): Open => {
    const block = open.get(index);
    if (block?.kind !== kind) throw new Error(`no ${kind} is open at ${index}`);
    return block;
  };

  for (const event of events) {
    switch (event.type) {
      case 'message.start':
        if (start !== undefined) throw new Error('two message.start');
        start = event;
        break;
      case 'text.start':
      case 'thinking.start':
        begin(event.index);
        open.set(event.index, { kind: event.type === 'text.start' ? 'text' : 'thinking', text: '', id: '', name: '' });
        break;
      case 'toolInput.start':
        begin(event.index);
        open.set(event.index, { kind: 'toolInput', text: '', id: event.id, name: event.name });
        break;
      case 'text.delta':
        opened(event.index, 'text').text += event.text;
        break;
      case 'thinking.delta':
        opened(event.index, 'thinking').text += event.text;
        break;
      case 'toolInput.delta':
        opened(event.index, 'toolInput').text += event.json;
        break;
      case 'text.end':
      case 'thinking.end': {
        const kind = event.type === 'text.end' ? 'text' : 'thinking';
        const { text } = opened(event.index, kind);
        open.delete(event.index);
        if (!endMayCorrect && event.block !== undefined && event.block.text !== text)
          throw new Error('the end says another text than the deltas');
        content[event.index] = event.block ?? { type: kind, text };
        break;
      }
      case 'toolInput.end': {
        const { text, id, name } = opened(event.index, 'toolInput');
        open.delete(event.index);
        const call = event.call ?? {
          type: 'toolCall',
          id,
          name,
          args: JSON.parse(text === '' ? '{}' : text) as JsonValue,
        };
        if (call.id !== id || call.name !== name) throw new Error('the end names another call than the start');
        content[event.index] = call;
        break;
      }
      case 'block':
        begin(event.index);
        content[event.index] = event.block;
        break;
      case 'usage':
        usage = event.usage;
        break;
      case 'raw':
        raw.push(event.event);
        break;
      case 'message.end':
        if (end !== undefined) throw new Error('two message.end');
        if (open.size > 0) throw new Error('message.end while a block is open');
        end = event;
        break;
    }
  }
  return {
    content: content.filter((block) => block !== undefined),
    providerId: start?.providerId,
    model: start?.model,
    stopReason: end?.stopReason,
    rawStopReason: end?.rawStopReason,
    usage,
    meta: end?.meta,
    raw,
    events,
  };
}
