// Events of a Responses stream → StreamEvents. Pure: called by the transport, and by tests without a network.

import type { StopReason, StreamEvent } from '../../../contracts/model.ts';
import {
  complete,
  createOutput,
  incomplete,
  reading,
  type AnswerDecoder,
  type Output,
  type Progress,
} from '../answer-decoder.ts';
import { numberAt, objectAt, objectOf, objectsAt, optional, textAt, type JsonObject } from '../json-fields.ts';
import { ItemPlaces, type OpenItem } from './item-places.ts';
import type { ItemWriter } from './item-writer.ts';
import { itemImpliedBy, openItem } from './open-item.ts';
import { usageOf } from './usage.ts';

/** What the decoder knows besides the events. */
export interface ResponsesDecoderOptions {
  /** The name under which blocks keep what only this server understands. */
  readonly provider: string;
  /** Names of the custom (free text) tools the request offered. */
  readonly customTools?: ReadonlySet<string>;
}

/**
 * A decoder for one answer. Items are keyed by `output_index` only (some servers change `item_id` with every event)
 * and written one after the other in that order: where a server interleaves them, the later ones wait.
 */
export function createResponsesDecoder(options: ResponsesDecoderOptions): AnswerDecoder {
  const output = createOutput(options.provider);
  const customTools = options.customTools ?? new Set<string>();
  const items = new ItemPlaces();
  const itemsInOrder: JsonObject[] = [];
  let current: number | undefined;
  let started = false;
  let sawReasoning = false;

  const start = (response: JsonObject | undefined): void => {
    if (started) return;
    started = true;
    output.answerId = textAt(response, 'id');
    output.events.push({
      type: 'message.start',
      ...optional('providerId', output.answerId),
      ...optional('model', textAt(response, 'model')),
    });
  };

  const begin = (item: OpenItem, first: JsonObject): ItemWriter => {
    item.first = first;
    item.writer = openItem(first, output, customTools);
    if (first['type'] === 'reasoning') sawReasoning = true;
    return item.writer;
  };

  const finish = (key: number, item: OpenItem, final: JsonObject | undefined): void => {
    const known = final ?? item.first;
    if (known === undefined) return;
    (item.writer ?? begin(item, known)).finish(final);
    itemsInOrder.push({ ...optional('id', known['id']), ...optional('type', known['type']) });
    items.finish(key);
    if (current === key) current = undefined;
  };

  /** Folds an event of the item whose turn it is. */
  const apply = (key: number, item: OpenItem, event: JsonObject, type: string): void => {
    const sent = objectAt(event, 'item');
    if (type === 'response.output_item.done') return finish(key, item, sent);
    if (type === 'response.output_item.added') {
      if (item.writer === undefined && sent !== undefined) begin(item, sent);
      return;
    }
    const isProgress = item.writer?.read(event, type);
    if (isProgress === true) return;
    if (item.writer === undefined && belongsToBlock.test(type))
      begin(item, itemImpliedBy(event, type)).read(event, type);
    else if (!isRepetition.test(type)) raw(event);
  };

  const raw = (event: JsonObject): void => {
    output.events.push({ type: 'raw', provider: output.provider, event });
  };

  const next = (): void => {
    for (let key = items.first(); current === undefined && key !== undefined; key = items.first()) {
      const item = items.get(key);
      if (item === undefined) return;
      current = key;
      const waiting = item.waiting.splice(0);
      for (const event of waiting) if (items.get(key) !== undefined) apply(key, item, event, String(event['type']));
      if (current === key) return;
    }
  };

  /** The place of an item whose server counts none: the open one, or the next. */
  const placeOf = (type: string): number => {
    if (current !== undefined && type !== 'response.output_item.added') return current;
    return items.next;
  };

  const readItemEvent = (event: JsonObject, type: string): void => {
    start(undefined);
    const key = numberAt(event, 'output_index') ?? placeOf(type);
    if (items.isFinished(key)) {
      if (!isRepetition.test(type) && !belongsToBlock.test(type)) raw(event);
      return;
    }
    const item = items.get(key) ?? items.open(key);
    current ??= key;
    if (current === key) {
      apply(key, item, event, type);
      next();
    } else item.waiting.push(event);
  };

  /** Takes from the final list what the stream did not bring whole; what it brought stands. */
  const settle = (response: JsonObject): void => {
    const final = objectsAt(response, 'output');
    const ranks = items.ranks();
    for (;;) {
      next();
      const key = current ?? items.first();
      const item = key === undefined ? undefined : items.get(key);
      if (key === undefined || item === undefined) break;
      const whole = final[ranks.get(key) ?? -1];
      const isSame = whole !== undefined && (item.first === undefined || whole['type'] === item.first['type']);
      finish(key, item, isSame ? whole : undefined);
      items.drop(key);
      current = undefined;
    }
    for (const whole of final.slice(ranks.size)) finish(items.next, items.open(items.next), whole);
  };

  const finishAnswer = (response: JsonObject, status: string): Progress => {
    start(response);
    settle(response);
    const usage = objectAt(response, 'usage');
    if (usage !== undefined) output.events.push({ type: 'usage', usage: usageOf(usage) });
    const reason = textAt(objectAt(response, 'incomplete_details'), 'reason');
    output.events.push({
      type: 'message.end',
      stopReason: status === 'incomplete' ? stopReasonOfCut(reason) : stopReasonOf(output),
      rawStopReason: reason ?? status,
      // Which item stood before which: a reasoning item is valid only together with the one that followed it.
      ...(sawReasoning ? { meta: { providerItems: itemsInOrder } } : {}),
    });
    return complete;
  };

  const fold = (event: JsonObject): Progress => {
    const type = textAt(event, 'type') ?? '';
    // Nearly all events of a stream are these, and of the item whose turn it is.
    if (type === 'response.output_text.delta' && current !== undefined && event['output_index'] === current) {
      if (items.get(current)?.writer?.read(event, type) === true) return reading;
    }
    const response = objectAt(event, 'response');
    switch (type) {
      case 'response.created':
        if (started && output.answerId !== undefined && textAt(response, 'id') !== output.answerId) {
          return { status: 'protocol', message: 'a second answer began before the first one had ended' };
        }
        start(response);
        return reading;
      case 'response.in_progress':
      case 'response.queued':
        start(response);
        return reading;
      case 'response.completed':
        return finishAnswer(response ?? {}, 'completed');
      case 'response.incomplete':
        return finishAnswer(response ?? {}, 'incomplete');
      case 'response.failed':
      case 'response.cancelled':
        return failureOf(response ?? {}, type);
      case 'error':
        return { status: 'reported', report: reportOf(objectAt(event, 'error') ?? event) };
      default:
        if (type === '' && objectAt(event, 'error') !== undefined) {
          return { status: 'reported', report: reportOf(objectAt(event, 'error') ?? event) };
        }
        if (event['output_index'] !== undefined || itemEvent.test(type)) readItemEvent(event, type);
        else {
          start(undefined);
          raw(event);
        }
        return reading;
    }
  };

  return {
    read(event, into) {
      output.events = into;
      return fold(event);
    },
    readWhole(body, into: StreamEvent[]) {
      output.events = into;
      const error = body['error'];
      const status = textAt(body, 'status') ?? (Array.isArray(body['output']) ? 'completed' : '');
      if (status === 'failed' || status === 'cancelled') return failureOf(body, status);
      if (error !== undefined && error !== null) {
        return { status: 'reported', report: reportOf(objectOf(error) ?? { message: error, ...body }) };
      }
      // `complete` is what some imitators say.
      if (status === 'completed' || status === 'complete' || status === 'incomplete') return finishAnswer(body, status);
      start(body);
      return status === '' ? { status: 'protocol', message: 'the body is no answer' } : incomplete;
    },
    end: () => incomplete,
  };
}

const itemEvent = /^response\.(output_item|content_part|output_text|refusal|function_call_arguments|reasoning_\w+)\./;
/** Events that say something of a block, also when no item was announced. */
const belongsToBlock =
  /^response\.(content_part\.added|output_text\.delta|refusal\.delta|reasoning_\w+\.delta|function_call_arguments\.\w+)$/;
/** Events that only repeat what was said or will be said whole. */
const isRepetition =
  /^response\.(output_item\.\w+|content_part\.\w+|output_text\.done|refusal\.done|reasoning_\w+\.(done|added))$/;

function stopReasonOf(output: Output): StopReason {
  if (output.calls > 0) return 'toolUse';
  return output.refused ? 'refusal' : 'endTurn';
}

function stopReasonOfCut(reason: string | undefined): StopReason {
  switch (reason) {
    case 'max_output_tokens':
    case 'max_tokens':
      return 'maxTokens';
    case 'content_filter':
      return 'refusal';
    default:
      return 'other';
  }
}

function failureOf(response: JsonObject, status: string): Progress {
  const error = objectAt(response, 'error');
  return { status: 'reported', report: reportOf(error ?? { message: `The answer ended as "${status}".` }) };
}

function reportOf(error: JsonObject) {
  return {
    codes: [error['code'], error['type'] === 'error' ? undefined : error['type']],
    message: textAt(error, 'message') ?? JSON.stringify(error),
    cause: error,
  };
}
