// Anthropic's stream events → ours: a reducer without effects, fed by the model and by the tests.

import { ModelError } from '../../contracts/errors.ts';
import type { StreamEvent } from '../../contracts/model.ts';
import type { JsonValue } from '../../conversation/json.ts';
import { modelErrorOfReport, type CallFacts } from '../http-errors.ts';
import { listOf, numberAt, recordOf, restOf, textAt, type JsonRecord } from '../json-reading.ts';
import { incomplete, parseEvent, type StreamDecoder } from '../model-stream.ts';
import { providerBlockOf, providerName, redactedThinkingOf, textBlockOf, thinkingBlockOf, toolCallOf } from './blocks.ts';
import { mergeUsage, stopReasonOf, usageOf } from './usage.ts';

/** A content block that has begun. */
interface OpenBlock {
  /** The provider's type: `text`, `tool_use`, … */
  readonly type: string;
  start: JsonRecord;
  /** Position in our message; -1 until something of it was emitted. */
  index: number;
  text: string;
  json: string;
  signature: string;
  citations: JsonValue[];
}

const messageKeys: ReadonlySet<string> = new Set(['id', 'type', 'role', 'model', 'content', 'stop_reason', 'usage']);
const deltaKeys: ReadonlySet<string> = new Set(['type', 'delta', 'usage']);

/**
 * A decoder for one answer. Blocks get consecutive positions from 0 in the order they come; empty text blocks get
 * none. The first of several answers in one body is the answer.
 */
export function createDecoder(facts: CallFacts): StreamDecoder {
  const open = new Map<number, OpenBlock>();
  let started = false;
  let done = false;
  let nextIndex = 0;
  let hasCalls = false;
  let usage: JsonRecord = {};
  let stopReason: string | undefined;
  let meta: { [key: string]: JsonValue } = {};
  // A text that ended, its `text.end` held back for one event: only then is known whether it was a refusal.
  let endedText: OpenBlock | undefined;

  const startMessage = (message: JsonRecord, out: StreamEvent[]): void => {
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
    for (const content of listOf(message['content']) ?? []) {
      const block = recordOf(content);
      if (block === undefined) continue;
      flushText(false, out);
      endBlock(startBlock(block, out), out);
    }
    takeEnd(message, messageKeys, out);
  };

  const takeUsage = (raw: JsonRecord | undefined, out: StreamEvent[]): void => {
    if (raw === undefined) return;
    usage = mergeUsage(usage, raw);
    out.push({ type: 'usage', usage: usageOf(usage) });
  };

  const takeEnd = (holder: JsonRecord, known: ReadonlySet<string>, out: StreamEvent[]): void => {
    const reason = textAt(holder, 'stop_reason');
    if (reason !== undefined) {
      stopReason = reason;
      flushText(reason === 'refusal', out);
    }
    meta = { ...meta, ...restOf(holder, known) };
  };

  const startBlock = (start: JsonRecord, out: StreamEvent[]): OpenBlock => {
    const type = textAt(start, 'type') ?? '';
    const block: OpenBlock = { type, start, index: -1, text: '', json: '', signature: textAt(start, 'signature') ?? '', citations: [] };
    if (type === 'text') addText(block, textAt(start, 'text') ?? '', out);
    else if (type === 'thinking') addThinking(block, textAt(start, 'thinking') ?? '', out);
    else if (type === 'tool_use') {
      hasCalls = true;
      block.index = nextIndex++;
      out.push({ type: 'toolInput.start', index: block.index, id: textAt(start, 'id') ?? '', name: textAt(start, 'name') ?? '' });
    }
    return block;
  };

  const addText = (block: OpenBlock, text: string, out: StreamEvent[]): void => {
    if (text === '') return;
    if (block.index < 0) {
      block.index = nextIndex++;
      out.push({ type: 'text.start', index: block.index });
    }
    block.text += text;
    out.push({ type: 'text.delta', index: block.index, text });
  };

  const addThinking = (block: OpenBlock, text: string, out: StreamEvent[]): void => {
    if (block.index < 0) {
      block.index = nextIndex++;
      out.push({ type: 'thinking.start', index: block.index });
    }
    if (text === '') return;
    block.text += text;
    out.push({ type: 'thinking.delta', index: block.index, text });
  };

  const endBlock = (block: OpenBlock, out: StreamEvent[]): void => {
    switch (block.type) {
      case 'text':
        endedText = block;
        return;
      case 'thinking':
        out.push({ type: 'thinking.end', index: block.index, block: thinkingBlockOf(block.start, block.text, block.signature) });
        return;
      case 'redacted_thinking':
        out.push({ type: 'block', index: nextIndex++, block: redactedThinkingOf(block.start) });
        return;
      case 'tool_use': {
        const call = toolCallOf(block.start, block.json);
        const whole = block.json === '' && call.args !== undefined ? JSON.stringify(call.args) : '{}';
        if (whole !== '{}') out.push({ type: 'toolInput.delta', index: block.index, json: whole });
        out.push({ type: 'toolInput.end', index: block.index, call });
        return;
      }
      default:
        out.push({ type: 'block', index: nextIndex++, block: providerBlockOf(block.start, block.json) });
    }
  };

  const flushText = (refused: boolean, out: StreamEvent[]): void => {
    const ended = endedText;
    if (ended === undefined) return;
    endedText = undefined;
    const block = textBlockOf(ended.start, ended.text, ended.citations, refused);
    if (ended.index < 0) {
      if (block.citations === undefined && block.data === undefined) return; // an empty text says nothing
      ended.index = nextIndex++;
      out.push({ type: 'text.start', index: ended.index });
    }
    const isPlain = block.refusal === undefined && block.citations === undefined && block.data === undefined;
    out.push(isPlain ? { type: 'text.end', index: ended.index } : { type: 'text.end', index: ended.index, block });
  };

  const addDelta = (event: JsonRecord, out: StreamEvent[]): void => {
    const at = numberAt(event, 'index') ?? -1;
    const block = open.get(at);
    if (block === undefined) throw protocol(`a content_block_delta for block ${at}, which is not open`, facts);
    const delta = recordOf(event['delta']) ?? {};
    switch (textAt(delta, 'type')) {
      case 'text_delta':
        addText(block, textAt(delta, 'text') ?? '', out);
        return;
      case 'thinking_delta':
        addThinking(block, textAt(delta, 'thinking') ?? '', out);
        return;
      case 'input_json_delta': {
        const json = textAt(delta, 'partial_json') ?? '';
        block.json += json;
        if (json !== '' && block.type === 'tool_use') out.push({ type: 'toolInput.delta', index: block.index, json });
        return;
      }
      case 'signature_delta':
        block.signature = textAt(delta, 'signature') ?? '';
        return;
      case 'citations_delta':
        if (delta['citation'] !== undefined) block.citations.push(delta['citation']);
        return;
      case 'compaction_delta': {
        const { type: _, ...fields } = delta; // carries final values: they replace
        block.start = { ...block.start, ...fields };
        return;
      }
      default:
        out.push(rawEvent(event));
    }
  };

  const closeAll = (out: StreamEvent[]): void => {
    for (const block of open.values()) {
      flushText(false, out);
      endBlock(block, out);
    }
    open.clear();
  };

  const finish = (out: StreamEvent[]): void => {
    closeAll(out);
    flushText(false, out);
    done = true;
    out.push({
      type: 'message.end',
      stopReason: stopReasonOf(stopReason, hasCalls),
      ...(stopReason === undefined ? {} : { rawStopReason: stopReason }),
      ...(Object.keys(meta).length === 0 ? {} : { meta: { [providerName]: meta } }),
    });
  };

  const step = (event: JsonRecord, type: string | undefined, out: StreamEvent[]): void => {
    if (type === 'ping' || done) return;
    if (type === 'error') throw reported(event, facts);
    if (type !== 'message_start' && !started && type?.startsWith('content_block') === true) startMessage({}, out);
    if (endedText !== undefined && type !== 'message_delta') flushText(false, out);
    switch (type) {
      case 'message_start':
        startMessage(recordOf(event['message']) ?? {}, out);
        return;
      case 'content_block_start': {
        const at = numberAt(event, 'index') ?? open.size;
        const before = open.get(at);
        if (before !== undefined) {
          open.delete(at);
          endBlock(before, out);
          flushText(false, out);
        }
        open.set(at, startBlock(recordOf(event['content_block']) ?? {}, out));
        return;
      }
      case 'content_block_delta':
        addDelta(event, out);
        return;
      case 'content_block_stop': {
        const at = numberAt(event, 'index') ?? -1;
        const block = open.get(at);
        if (block === undefined) return;
        open.delete(at);
        endBlock(block, out);
        return;
      }
      case 'message_delta':
        closeAll(out);
        takeEnd(recordOf(event['delta']) ?? {}, messageKeys, out);
        takeEnd(event, deltaKeys, out);
        takeUsage(recordOf(event['usage']), out);
        return;
      case 'message_stop':
        finish(out);
        return;
      default:
        out.push(rawEvent(event));
    }
  };

  return {
    get done() {
      return done;
    },
    decode(event, out) {
      const payload = recordOf(parseEvent(event, facts)) ?? {};
      step(payload, textAt(payload, 'type') ?? event.event, out);
    },
    decodeWhole(body, out) {
      const message = recordOf(body) ?? {};
      if (message['error'] !== undefined && message['content'] === undefined) throw reported(message, facts);
      if (listOf(message['content']) === undefined) throw protocol('a JSON body that is no message', facts);
      startMessage(message, out);
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
