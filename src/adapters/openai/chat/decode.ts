// Chunks of a Chat Completions stream → StreamEvents. Pure: called by the transport, and by tests without a network.
// One decoder for OpenAI and for every server that imitates it: rules, no switch by vendor.

import type { ImageBlock } from '../../../conversation/block.ts';
import type { JsonValue, Meta } from '../../../conversation/json.ts';
import { complete, createOutput, incomplete, reading, type AnswerDecoder, type Progress } from '../answer-decoder.ts';
import { listAt, objectAt, objectOf, objectsAt, optional, textAt, type JsonObject } from '../json-fields.ts';
import { createAudioWriter } from './audio-writer.ts';
import { createCallSlots } from './call-slots.ts';
import { stopReasonOf } from './stop-reason.ts';
import { createTextWriter } from './text-writer.ts';
import { createThinkingWriter } from './thinking-writer.ts';
import { usageOf } from './usage.ts';

/** What the decoder knows besides the chunks. */
export interface ChatDecoderOptions {
  /** The name under which blocks keep what only this server understands. */
  readonly provider: string;
  /** Of spoken answers. Default `audio/wav`. */
  readonly audioMediaType?: string;
}

/** A decoder for one answer. Of several choices the first (index 0) is the answer, the others become `raw`. */
export function createChatDecoder(options: ChatDecoderOptions): AnswerDecoder {
  const output = createOutput(options.provider);
  const text = createTextWriter(output);
  const thinking = createThinkingWriter(output);
  const calls = createCallSlots(output);
  const audio = createAudioWriter(options.audioMediaType ?? 'audio/wav');
  let started = false;
  let finishReason: string | undefined;
  let wasCounted = false;
  let citations: readonly JsonValue[] = [];
  let searchResults: readonly JsonValue[] = [];
  const logprobs: Record<string, JsonValue[]> = {};

  const raw = (event: JsonObject): void => {
    output.events.push({ type: 'raw', provider: output.provider, event });
  };

  const start = (chunk: JsonObject): void => {
    if (started) return;
    started = true;
    output.answerId = textAt(chunk, 'id') || undefined;
    output.events.push({
      type: 'message.start',
      ...optional('providerId', output.answerId),
      ...optional('model', textAt(chunk, 'model')),
    });
  };

  const say = (piece: string, isRefusal: boolean): void => {
    if (piece === '') return;
    if (thinking.isOpen() && piece.trim() !== '') thinking.close();
    text.say(piece, isRefusal);
  };

  const writeBlock = (write: (index: number) => void): void => {
    thinking.close();
    text.close();
    write(output.nextIndex++);
  };

  const readPart = (part: JsonObject): void => {
    const url = textAt(objectAt(part, 'image_url'), 'url') ?? textAt(part, 'image_url');
    if (part['type'] === 'text') say(textAt(part, 'text') ?? '', false);
    else if (part['type'] === 'refusal') say(textAt(part, 'refusal') ?? '', true);
    else if (part['type'] === 'thinking') {
      text.close();
      thinking.readPart(part);
    } else if (url !== undefined)
      writeBlock((index) => output.events.push({ type: 'block', index, block: imageOf(url) }));
    else {
      const { provider } = output;
      const block = { type: 'provider', provider, kind: textAt(part, 'type') ?? 'content', data: part } as const;
      writeBlock((index) => output.events.push({ type: 'block', index, block }));
    }
  };

  const readDelta = (delta: JsonObject): void => {
    if (carriesReasoning(delta)) {
      // Text before reasoning is another block than text after it.
      text.close();
      thinking.read(delta);
    }
    const content = delta['content'];
    if (typeof content === 'string') say(content, false);
    else if (Array.isArray(content)) for (const part of objectsAt(delta, 'content')) readPart(part);
    say(textAt(delta, 'refusal') ?? '', true);
    for (const part of objectsAt(delta, 'images')) readPart(part);
    const annotations = listAt(delta, 'annotations');
    if (annotations.length > 0) text.cite(annotations);
    const asked = callsOf(delta);
    if (asked.length > 0) {
      thinking.close();
      text.close();
      calls.read(asked);
    }
    const spoken = objectAt(delta, 'audio');
    if (spoken !== undefined) audio.read(spoken);
  };

  const readChoice = (choice: JsonObject, isWhole: boolean): Progress => {
    const error = objectOf(choice['error']);
    if (error !== undefined && finishReason === undefined) return { status: 'reported', report: reportOf(error) };
    // Perplexity sends both: in a stream `message` is what was said so far, in a body `delta` is empty.
    const [first, second] = isWhole ? (['message', 'delta'] as const) : (['delta', 'message'] as const);
    const said = objectAt(choice, first) ?? objectAt(choice, second);
    if (said !== undefined) readDelta(said);
    for (const [kind, list] of Object.entries(objectAt(choice, 'logprobs') ?? {})) {
      if (Array.isArray(list) && list.length > 0) (logprobs[kind] ??= []).push(...(list as readonly JsonValue[])); // `isArray` forgets the element type
    }
    // Some servers fill the field with empty text from the first chunk on: that ends nothing.
    const reason = textAt(choice, 'finish_reason') || undefined;
    if (reason === 'error') {
      return { status: 'reported', report: { message: 'The server ended the answer with an error.' } };
    }
    finishReason = reason ?? finishReason;
    return reading;
  };

  /** Content under another id behind our last word: a second answer, which some proxies glue on. */
  const isOfAnotherAnswer = (chunk: JsonObject, choices: readonly JsonObject[]): boolean => {
    if (finishReason === undefined || output.answerId === undefined) return false;
    const id = textAt(chunk, 'id') || output.answerId;
    return id !== output.answerId && choices.some((choice) => saysSomething(objectAt(choice, 'delta')));
  };

  const fold = (chunk: JsonObject, isWhole: boolean): Progress => {
    const error = errorIn(chunk);
    if (error !== undefined) {
      // After the answer's end an error changes nothing.
      if (finishReason === undefined) return { status: 'reported', report: reportOf(error) };
      raw(chunk);
    }
    const choices = objectsAt(chunk, 'choices');
    const usage = objectAt(chunk, 'usage') ?? objectAt(objectAt(chunk, 'x_groq'), 'usage');
    if (choices.length === 0 && usage === undefined) {
      if (error === undefined && !Array.isArray(chunk['choices'])) raw(chunk);
      else start(chunk);
      return reading;
    }
    if (isOfAnotherAnswer(chunk, choices)) {
      raw(chunk);
      return reading;
    }
    start(chunk);
    const before = output.nextIndex;
    const eventsBefore = output.events.length;
    for (const choice of choices) {
      const index = choice['index'];
      if (index !== undefined && index !== null && index !== 0) raw(chunk);
      else {
        const progress = readChoice(choice, isWhole);
        if (progress !== reading) return progress;
      }
    }
    if (listAt(chunk, 'citations').length > 0) citations = listAt(chunk, 'citations');
    if (listAt(chunk, 'search_results').length > 0) searchResults = listAt(chunk, 'search_results');
    if (usage !== undefined) {
      // Counts in a chunk that says nothing come after the last word; servers that count in every chunk do not mean it.
      wasCounted ||= before > 0 && output.events.length === eventsBefore;
      output.events.push({ type: 'usage', usage: usageOf(usage) });
    }
    return reading;
  };

  const finish = (): Progress => {
    thinking.close();
    if (citations.length > 0) text.cite(citations);
    text.close();
    calls.close();
    const spoken = audio.finish();
    if (spoken !== undefined) output.events.push({ type: 'block', index: output.nextIndex++, block: spoken.block });
    const meta: Meta = {
      ...spoken?.meta,
      ...(Object.keys(logprobs).length > 0 ? { logprobs } : {}),
      ...(text.uncited().length > 0 ? { citations: text.uncited() } : {}),
      ...(searchResults.length > 0 ? { searchResults } : {}),
    };
    output.events.push({
      type: 'message.end',
      stopReason: stopReasonOf(finishReason ?? '', output),
      ...optional('rawStopReason', finishReason),
      ...(Object.keys(meta).length > 0 ? { meta } : {}),
    });
    return complete;
  };

  return {
    read(event, into) {
      output.events = into;
      const plain = finishReason === undefined ? plainTextOf(event) : undefined;
      if (plain === undefined) return fold(event, false);
      start(event);
      say(plain, false);
      return reading;
    },
    readWhole(body, into) {
      output.events = into;
      const isAnswer = objectsAt(body, 'choices').length > 0;
      if (!isAnswer && errorIn(body) === undefined) return { status: 'protocol', message: 'the body has no choices' };
      const progress = fold(body, true);
      return progress === reading ? finish() : progress;
    },
    end(into, how) {
      output.events = into;
      const hasEnded = finishReason !== undefined || wasCounted || (how === 'marker' && output.nextIndex > 0);
      return hasEnded ? finish() : incomplete;
    },
  };
}

/**
 * The text of a chunk that holds nothing else, which nearly all chunks of a stream are. Fields are read by constant
 * names: a list of names to look up costs more than all of the rest.
 */
function plainTextOf(chunk: JsonObject): string | undefined {
  const choices = chunk['choices'];
  if (!Array.isArray(choices) || choices.length !== 1) return undefined;
  if (isSet(chunk['usage']) || isSet(chunk['error']) || isSet(chunk['x_groq'])) return undefined;
  if (isSet(chunk['citations']) || isSet(chunk['search_results'])) return undefined;
  const choice = objectOf(choices[0]);
  if (choice === undefined || (choice['index'] ?? 0) !== 0) return undefined;
  if (isSet(choice['finish_reason']) || isSet(choice['logprobs']) || isSet(choice['error'])) return undefined;
  const delta = objectOf(choice['delta']);
  if (delta === undefined) return undefined;
  for (const key in delta) if (key !== 'content' && key !== 'role') return undefined;
  const content = delta['content'];
  return typeof content === 'string' ? content : undefined;
}

function isSet(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

function saysSomething(delta: JsonObject | undefined): boolean {
  return delta !== undefined && (carriesReasoning(delta) || callsOf(delta).length > 0 || Boolean(delta['content']));
}

function carriesReasoning(delta: JsonObject): boolean {
  return (
    (typeof delta['reasoning_content'] === 'string' && delta['reasoning_content'] !== '') ||
    (typeof delta['reasoning'] === 'string' && delta['reasoning'] !== '') ||
    (typeof delta['reasoning_text'] === 'string' && delta['reasoning_text'] !== '') ||
    listAt(delta, 'reasoning_details').length > 0
  );
}

function callsOf(delta: JsonObject): readonly JsonObject[] {
  const asked = objectsAt(delta, 'tool_calls');
  if (asked.length > 0) return asked;
  const legacy = objectAt(delta, 'function_call');
  // Some servers fill the old field with empty text.
  return legacy === undefined || (!textAt(legacy, 'name') && !legacy['arguments'])
    ? []
    : [{ index: 0, function: legacy }];
}

function imageOf(url: string): ImageBlock {
  const inline = /^data:([^;,]+);base64,(.*)$/s.exec(url);
  const [, mediaType, data] = inline ?? [];
  const isInline = mediaType !== undefined && data !== undefined;
  return { type: 'image', source: isInline ? { type: 'base64', mediaType, data } : { type: 'url', url } };
}

function errorIn(chunk: JsonObject): JsonObject | undefined {
  const error = chunk['error'];
  if (typeof error === 'string' && error !== '') return { message: error, ...optional('code', chunk['code']) };
  const told = objectOf(error);
  if (told !== undefined && Object.keys(told).length > 0) return told;
  return chunk['object'] === 'error' ? chunk : undefined;
}

function reportOf(error: JsonObject) {
  return {
    codes: [error['code'], error['type'], error['status_code']],
    message: textAt(error, 'message') ?? JSON.stringify(error),
    cause: error,
  };
}
