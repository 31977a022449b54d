// Events of a Responses stream → StreamEvents. Pure: called by the transport, and by tests without a network.

import type { StopReason, StreamEvent } from '../../../contracts/model.ts';
import {
  complete,
  createOutput,
  incomplete,
  reading,
  writeRaw,
  type AnswerDecoder,
  type Output,
  type Progress,
} from '../answer-decoder.ts';
import { objectAt, objectOf, objectsAt, optional, textAt, type JsonObject } from '../json-fields.ts';
import { ItemSequence } from './item-sequence.ts';
import { usageOf } from './usage.ts';

/** What the decoder needs to know besides the events. */
export interface ResponsesDecoderOptions {
  /** The name under which blocks keep what only this server understands. */
  readonly provider: string;
  /** Names of the custom (free text) tools the request offered. */
  readonly customTools?: ReadonlySet<string>;
}

/** A decoder for one answer. Its items are written in order of `output_index`: if a server interleaves them, the later ones wait. */
export function createResponsesDecoder(options: ResponsesDecoderOptions): AnswerDecoder {
  return new ResponsesDecoder(options);
}

class ResponsesDecoder implements AnswerDecoder {
  readonly #output: Output;
  readonly #items: ItemSequence;
  #started = false;

  constructor({ provider, customTools = new Set() }: ResponsesDecoderOptions) {
    this.#output = createOutput(provider);
    this.#items = new ItemSequence(this.#output, customTools);
  }

  read(event: JsonObject, into: StreamEvent[]): Progress {
    this.#output.events = into;
    const type = textAt(event, 'type') ?? '';
    // Nearly all events of a stream are these, and of the current item.
    if (type === 'response.output_text.delta' && this.#items.readCurrent(event, type)) return reading;
    const response = objectAt(event, 'response');
    switch (type) {
      case 'response.created':
        if (this.#output.answerId !== undefined && textAt(response, 'id') !== this.#output.answerId) {
          return { status: 'protocol', message: 'a second answer began before the first one had ended' };
        }
        this.#start(response);
        return reading;
      case 'response.in_progress':
      case 'response.queued':
        this.#start(response);
        return reading;
      case 'response.completed':
        return this.#finish(response ?? {}, 'completed');
      case 'response.incomplete':
        return this.#finish(response ?? {}, 'incomplete');
      case 'response.failed':
      case 'response.cancelled':
        return failureOf(response ?? {}, type);
      case 'error':
        return { status: 'reported', report: reportOf(objectAt(event, 'error') ?? event) };
      default:
        return this.#readOther(event, type);
    }
  }

  readWhole(body: JsonObject, into: StreamEvent[]): Progress {
    this.#output.events = into;
    const error = body['error'];
    const status = textAt(body, 'status') ?? (Array.isArray(body['output']) ? 'completed' : '');
    if (status === 'failed' || status === 'cancelled') return failureOf(body, status);
    if (error !== undefined && error !== null) {
      return { status: 'reported', report: reportOf(objectOf(error) ?? { message: error, ...body }) };
    }
    // Some compatible servers send `complete`.
    if (status === 'completed' || status === 'complete' || status === 'incomplete') return this.#finish(body, status);
    this.#start(body);
    return status === '' ? { status: 'protocol', message: 'the body is not an answer' } : incomplete;
  }

  end(): Progress {
    return incomplete;
  }

  // An event of an item, an error without a type, or an unknown event.
  #readOther(event: JsonObject, type: string): Progress {
    const error = type === '' ? objectAt(event, 'error') : undefined;
    if (error !== undefined) return { status: 'reported', report: reportOf(error) };
    this.#start(undefined);
    if (event['output_index'] !== undefined || itemEvent.test(type)) this.#items.read(event, type);
    else writeRaw(this.#output, event);
    return reading;
  }

  #start(response: JsonObject | undefined): void {
    if (this.#started) return;
    this.#started = true;
    this.#output.answerId = textAt(response, 'id');
    this.#output.events.push({
      type: 'message.start',
      ...optional('providerId', this.#output.answerId),
      ...optional('model', textAt(response, 'model')),
    });
  }

  #finish(response: JsonObject, status: string): Progress {
    this.#start(response);
    this.#items.finishFrom(objectsAt(response, 'output'));
    const usage = objectAt(response, 'usage');
    if (usage !== undefined) this.#output.events.push({ type: 'usage', usage: usageOf(usage) });
    const reason = textAt(objectAt(response, 'incomplete_details'), 'reason');
    // The order of the items: a reasoning item is valid only together with the one that followed it.
    const providerItems = this.#items.orderAroundReasoning();
    this.#output.events.push({
      type: 'message.end',
      stopReason: status === 'incomplete' ? stopReasonOfCut(reason) : stopReasonOf(this.#output),
      rawStopReason: reason ?? status,
      ...(providerItems === undefined ? {} : { meta: { providerItems } }),
    });
    return complete;
  }
}

const itemEvent = /^response\.(output_item|content_part|output_text|refusal|function_call_arguments|reasoning_\w+)\./;

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
