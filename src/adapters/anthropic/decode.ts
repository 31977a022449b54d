// Anthropic's stream events → ours: a reducer without effects, fed by the model and by the tests.

import { ModelError } from '../../contracts/errors.ts';
import type { StreamEvent } from '../../contracts/model.ts';
import type { JsonValue } from '../../conversation/json.ts';
import { modelErrorOfReport, type CallFacts } from '../http-errors.ts';
import { listOf, numberAt, recordOf, restOf, textAt, type JsonRecord } from '../json-reading.ts';
import { incomplete, parseEvent, type StreamDecoder } from '../model-stream.ts';
import { BlockWriter } from './block-writer.ts';
import { providerName } from './blocks.ts';
import { mergeUsage, stopReasonOf, usageOf } from './usage.ts';

const messageKeys: ReadonlySet<string> = new Set(['id', 'type', 'role', 'model', 'content', 'stop_reason', 'usage']);
const deltaKeys: ReadonlySet<string> = new Set(['type', 'delta', 'usage']);

/** A decoder for one answer. The first of several answers in one body is the answer. */
export function createDecoder(facts: CallFacts): StreamDecoder {
  const blocks = new BlockWriter();
  let started = false;
  let done = false;
  let usage: JsonRecord = {};
  let stopReason: string | undefined;
  const meta: { [key: string]: JsonValue } = {};

  const start = (message: JsonRecord, out: StreamEvent[]): void => {
    if (started) throw protocol('a second message_start before message_stop', facts);
    started = true;
    const providerId = textAt(message, 'id');
    const model = textAt(message, 'model');
    out.push({
      type: 'message.start',
      ...(providerId === undefined ? {} : { providerId }),
      ...(model === undefined ? {} : { model }),
    });
    takeUsage(recordOf(message['usage']), out);
    for (const [at, content] of (listOf(message['content']) ?? []).entries()) {
      const block = recordOf(content);
      if (block === undefined) continue;
      blocks.start(at, block, out);
      blocks.stop(at, out);
    }
    takeEnd(message, messageKeys, out);
  };

  const takeUsage = (raw: JsonRecord | undefined, out: StreamEvent[]): void => {
    if (raw === undefined) return;
    usage = mergeUsage(usage, raw);
    out.push({ type: 'usage', usage: usageOf(usage) });
  };

  // The stop reason, and every further fact for the meta of the message.
  const takeEnd = (holder: JsonRecord, known: ReadonlySet<string>, out: StreamEvent[]): void => {
    const reason = textAt(holder, 'stop_reason');
    if (reason !== undefined) {
      stopReason = reason;
      blocks.flush(reason === 'refusal', out);
    }
    Object.assign(meta, restOf(holder, known));
  };

  const finish = (out: StreamEvent[]): void => {
    blocks.stopAll(out);
    blocks.flush(stopReason === 'refusal', out);
    done = true;
    out.push({
      type: 'message.end',
      stopReason: stopReasonOf(stopReason, blocks.hasCalls),
      ...(stopReason === undefined ? {} : { rawStopReason: stopReason }),
      ...(Object.keys(meta).length === 0 ? {} : { meta: { [providerName]: meta } }),
    });
  };

  const step = (event: JsonRecord, type: string | undefined, out: StreamEvent[]): void => {
    if (done) return;
    switch (type) {
      case 'ping':
        return;
      case 'error':
        throw reported(event, facts);
      case 'message_start':
        start(recordOf(event['message']) ?? {}, out);
        return;
      case 'content_block_start':
        if (!started) start({}, out);
        blocks.start(numberAt(event, 'index') ?? 0, recordOf(event['content_block']) ?? {}, out);
        return;
      case 'content_block_delta': {
        const index = event['index'];
        const at = typeof index === 'number' ? index : 0;
        if (blocks.add(at, event, out, rawEvent)) return;
        throw protocol(`a content_block_delta for block ${at}, which is not open`, facts);
      }
      case 'content_block_stop':
        blocks.stop(numberAt(event, 'index') ?? 0, out);
        return;
      case 'message_delta':
        blocks.stopAll(out);
        takeEnd(recordOf(event['delta']) ?? {}, messageKeys, out);
        takeEnd(event, deltaKeys, out);
        takeUsage(recordOf(event['usage']), out);
        return;
      case 'message_stop':
        if (!started) throw protocol('a message_stop before message_start', facts);
        finish(out);
        return;
      default:
        // Imitators send an error without saying that it is one.
        if (type === undefined && recordOf(event['error']) !== undefined) throw reported(event, facts);
        out.push(rawEvent(event));
    }
  };

  return {
    get done() {
      return done;
    },
    decode(event, out) {
      const payload = recordOf(parseEvent(event, facts)) ?? {};
      const type = payload['type'];
      step(payload, typeof type === 'string' ? type : event.event, out);
    },
    decodeWhole(body, out) {
      const message = recordOf(body) ?? {};
      if (message['error'] !== undefined && message['content'] === undefined) throw reported(message, facts);
      if (listOf(message['content']) === undefined) throw protocol('a JSON body that is no message', facts);
      start(message, out);
      finish(out);
    },
    end() {
      if (!done) throw incomplete(facts, 'message_stop');
    },
  };
}

/** The events of a whole answer, as a JSON body holds it. Throws ModelError for an error body. */
export function decodeMessage(body: unknown, facts: CallFacts): readonly StreamEvent[] {
  const events: StreamEvent[] = [];
  createDecoder(facts).decodeWhole(body, events);
  return events;
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
    `${facts.provider} broke its own protocol: ${what}. Is the server at this base URL really an Anthropic Messages API?`,
    { retryable: false },
  );
}
