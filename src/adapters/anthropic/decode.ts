// Anthropic's stream events → ours. Pure: called by the model, and by tests without a network.

import { ModelError } from '../../contracts/errors.ts';
import type { StreamEvent } from '../../contracts/model.ts';
import type { JsonValue } from '../../conversation/json.ts';
import { modelErrorOfReport, type CallFacts } from '../http-errors.ts';
import { listOf, numberAt, recordOf, restOf, textAt, type JsonRecord } from '../json-reading.ts';
import type { StreamDecoder } from '../model-stream.ts';
import { incomplete, parseEvent } from '../parse-answer.ts';
import type { ServerSentEvent } from '../server-sent-events.ts';
import { BlockWriter } from './block-writer.ts';
import { providerName } from './blocks.ts';
import { mergeUsage, stopReasonOf, usageOf } from './usage.ts';

const messageKeys: ReadonlySet<string> = new Set(['id', 'type', 'role', 'model', 'content', 'stop_reason', 'usage']);
const deltaKeys: ReadonlySet<string> = new Set(['type', 'delta', 'usage']);

/** A decoder for one answer. Of several answers in one body only the first one counts. */
export function createDecoder(facts: CallFacts): StreamDecoder {
  return new MessageDecoder(facts);
}

class MessageDecoder implements StreamDecoder {
  readonly #facts: CallFacts;
  readonly #blocks = new BlockWriter();
  #started = false;
  #done = false;
  #usage: JsonRecord = {};
  #stopReason: string | undefined;
  readonly #meta: { [key: string]: JsonValue } = {};

  constructor(facts: CallFacts) {
    this.#facts = facts;
  }

  get done(): boolean {
    return this.#done;
  }

  decode(event: ServerSentEvent, out: StreamEvent[]): void {
    const payload = recordOf(parseEvent(event, this.#facts)) ?? {};
    const type = payload['type'];
    if (!this.#done) this.#step(payload, typeof type === 'string' ? type : event.event, out);
  }

  decodeWhole(body: unknown, out: StreamEvent[]): void {
    const message = recordOf(body) ?? {};
    if (message['error'] !== undefined && message['content'] === undefined) throw reported(message, this.#facts);
    if (listOf(message['content']) === undefined) throw protocol('a JSON body that is not a message', this.#facts);
    this.#start(message, out);
    this.#finish(out);
  }

  end(): void {
    if (!this.#done) throw incomplete(this.#facts, 'message_stop');
  }

  #step(event: JsonRecord, type: string | undefined, out: StreamEvent[]): void {
    switch (type) {
      case 'ping':
        return;
      case 'error':
        throw reported(event, this.#facts);
      case 'message_start':
        this.#start(recordOf(event['message']) ?? {}, out);
        return;
      case 'content_block_start':
        if (!this.#started) this.#start({}, out);
        this.#blocks.start(numberAt(event, 'index') ?? 0, recordOf(event['content_block']) ?? {}, out);
        return;
      case 'content_block_delta': {
        const index = event['index'];
        const at = typeof index === 'number' ? index : 0;
        if (this.#blocks.add(at, event, out, rawEvent)) return;
        throw protocol(`a content_block_delta for block ${at}, which is not open`, this.#facts);
      }
      case 'content_block_stop':
        this.#blocks.stop(numberAt(event, 'index') ?? 0, out);
        return;
      case 'message_delta':
        this.#blocks.stopAll(out);
        this.#takeEnd(recordOf(event['delta']) ?? {}, messageKeys, out);
        this.#takeEnd(event, deltaKeys, out);
        this.#takeUsage(recordOf(event['usage']), out);
        return;
      case 'message_stop':
        if (!this.#started) throw protocol('a message_stop before message_start', this.#facts);
        this.#finish(out);
        return;
      default:
        // Some compatible servers send an error without the type `error`.
        if (type === undefined && recordOf(event['error']) !== undefined) throw reported(event, this.#facts);
        out.push(rawEvent(event));
    }
  }

  #start(message: JsonRecord, out: StreamEvent[]): void {
    if (this.#started) throw protocol('a second message_start before message_stop', this.#facts);
    this.#started = true;
    const providerId = textAt(message, 'id');
    const model = textAt(message, 'model');
    out.push({
      type: 'message.start',
      ...(providerId === undefined ? {} : { providerId }),
      ...(model === undefined ? {} : { model }),
    });
    this.#takeUsage(recordOf(message['usage']), out);
    for (const [at, content] of (listOf(message['content']) ?? []).entries()) {
      const block = recordOf(content);
      if (block === undefined) continue;
      this.#blocks.start(at, block, out);
      this.#blocks.stop(at, out);
    }
    this.#takeEnd(message, messageKeys, out);
  }

  #takeUsage(raw: JsonRecord | undefined, out: StreamEvent[]): void {
    if (raw === undefined) return;
    this.#usage = mergeUsage(this.#usage, raw);
    out.push({ type: 'usage', usage: usageOf(this.#usage) });
  }

  // The stop reason; unknown fields go into the message's meta.
  #takeEnd(holder: JsonRecord, known: ReadonlySet<string>, out: StreamEvent[]): void {
    const reason = textAt(holder, 'stop_reason');
    if (reason !== undefined) {
      this.#stopReason = reason;
      this.#blocks.flush(reason === 'refusal', out);
    }
    Object.assign(this.#meta, restOf(holder, known));
  }

  #finish(out: StreamEvent[]): void {
    this.#blocks.stopAll(out);
    this.#blocks.flush(this.#stopReason === 'refusal', out);
    this.#done = true;
    out.push({
      type: 'message.end',
      stopReason: stopReasonOf(this.#stopReason, this.#blocks.hasCalls),
      ...(this.#stopReason === undefined ? {} : { rawStopReason: this.#stopReason }),
      ...(Object.keys(this.#meta).length === 0 ? {} : { meta: { [providerName]: this.#meta } }),
    });
  }
}

function rawEvent(event: JsonRecord): StreamEvent {
  return { type: 'raw', provider: providerName, event: event as JsonValue }; // parsed JSON: no field is undefined
}

function reported(event: JsonRecord, facts: CallFacts): ModelError {
  const error = recordOf(event['error']) ?? event;
  return modelErrorOfReport(
    {
      codes: [recordOf(error['details'])?.['error_code'], error['type']],
      message: textAt(error, 'message'),
      requestId: textAt(event, 'request_id'),
    },
    facts,
  );
}

function protocol(what: string, facts: CallFacts): ModelError {
  return new ModelError(
    'stream.protocol',
    `${facts.provider} broke its own protocol: ${what}. Does the base URL lead to an Anthropic Messages API?`,
    { retryable: false },
  );
}
