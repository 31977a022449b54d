// Chunks of a Chat Completions stream → StreamEvents. Pure: called by the transport, and by tests without a network.
// One decoder for OpenAI and all compatible servers: general rules, no switch by vendor.

import type { JsonValue, Meta } from '../../../conversation/json.ts';
import type { StreamEvent } from '../../../contracts/model.ts';
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
import { listAt, objectAt, objectOf, objectsAt, optional, textAt, type JsonObject } from '../json-fields.ts';
import { DeltaWriter, saysSomething } from './delta-writer.ts';
import { stopReasonOf } from './stop-reason.ts';
import { usageOf } from './usage.ts';

/** What the decoder needs to know besides the chunks. */
export interface ChatDecoderOptions {
  /** The name under which blocks keep what only this server understands. */
  readonly provider: string;
  /** The type of spoken answers. Default `audio/wav`. */
  readonly audioMediaType?: string;
}

/** A decoder for one answer. Of several choices the first (index 0) is the answer, the others become `raw`. */
export function createChatDecoder(options: ChatDecoderOptions): AnswerDecoder {
  return new ChatDecoder(options);
}

class ChatDecoder implements AnswerDecoder {
  readonly #output: Output;
  readonly #blocks: DeltaWriter;
  #started = false;
  #finishReason: string | undefined;
  // Usage came in a separate chunk, which servers send after the end of the text.
  #wasCounted = false;
  #citations: readonly JsonValue[] = [];
  #searchResults: readonly JsonValue[] = [];
  readonly #logprobs: Record<string, JsonValue[]> = {};

  constructor({ provider, audioMediaType = 'audio/wav' }: ChatDecoderOptions) {
    this.#output = createOutput(provider);
    this.#blocks = new DeltaWriter(this.#output, audioMediaType);
  }

  read(chunk: JsonObject, into: StreamEvent[]): Progress {
    this.#output.events = into;
    const plain = this.#finishReason === undefined ? plainTextOf(chunk) : undefined;
    if (plain === undefined) return this.#fold(chunk, false);
    this.#start(chunk);
    this.#blocks.say(plain, false);
    return reading;
  }

  readWhole(body: JsonObject, into: StreamEvent[]): Progress {
    this.#output.events = into;
    const isAnswer = objectsAt(body, 'choices').length > 0;
    if (!isAnswer && errorIn(body) === undefined) return { status: 'protocol', message: 'the body has no choices' };
    const progress = this.#fold(body, true);
    return progress === reading ? this.#finish() : progress;
  }

  end(into: StreamEvent[], how: 'marker' | 'endOfBody'): Progress {
    this.#output.events = into;
    const isMarked = how === 'marker' && this.#output.nextIndex > 0;
    return this.#finishReason !== undefined || this.#wasCounted || isMarked ? this.#finish() : incomplete;
  }

  #fold(chunk: JsonObject, isWhole: boolean): Progress {
    const error = errorIn(chunk);
    if (error !== undefined) {
      // After the answer's end an error changes nothing.
      if (this.#finishReason === undefined) return { status: 'reported', report: reportOf(error) };
      writeRaw(this.#output, chunk);
    }
    const choices = objectsAt(chunk, 'choices');
    const usage = objectAt(chunk, 'usage') ?? objectAt(objectAt(chunk, 'x_groq'), 'usage');
    if (choices.length === 0 && usage === undefined) {
      if (error === undefined && !Array.isArray(chunk['choices'])) writeRaw(this.#output, chunk);
      else this.#start(chunk);
      return reading;
    }
    if (this.#isOfAnotherAnswer(chunk, choices)) {
      writeRaw(this.#output, chunk);
      return reading;
    }
    this.#start(chunk);
    const hadBlocks = this.#output.nextIndex > 0;
    const eventsBefore = this.#output.events.length;
    const progress = this.#readChoices(chunk, choices, isWhole);
    if (progress !== reading) return progress;
    if (listAt(chunk, 'citations').length > 0) this.#citations = listAt(chunk, 'citations');
    if (listAt(chunk, 'search_results').length > 0) this.#searchResults = listAt(chunk, 'search_results');
    if (usage !== undefined) {
      // A chunk with nothing but usage comes after the end; servers that report usage in every chunk send it with text.
      this.#wasCounted ||= hadBlocks && this.#output.events.length === eventsBefore;
      this.#output.events.push({ type: 'usage', usage: usageOf(usage) });
    }
    return reading;
  }

  #readChoices(chunk: JsonObject, choices: readonly JsonObject[], isWhole: boolean): Progress {
    for (const choice of choices) {
      if ((choice['index'] ?? 0) !== 0) writeRaw(this.#output, chunk);
      else {
        const progress = this.#readChoice(choice, isWhole);
        if (progress !== reading) return progress;
      }
    }
    return reading;
  }

  #readChoice(choice: JsonObject, isWhole: boolean): Progress {
    const error = objectOf(choice['error']);
    if (error !== undefined && this.#finishReason === undefined) return { status: 'reported', report: reportOf(error) };
    // Perplexity sends both: in a stream `message` is the text so far, in a body `delta` is empty.
    const [first, second] = isWhole ? (['message', 'delta'] as const) : (['delta', 'message'] as const);
    const said = objectAt(choice, first) ?? objectAt(choice, second);
    if (said !== undefined) this.#blocks.read(said);
    for (const [kind, list] of Object.entries(objectAt(choice, 'logprobs') ?? {})) {
      if (Array.isArray(list) && list.length > 0) (this.#logprobs[kind] ??= []).push(...(list as readonly JsonValue[])); // `isArray` forgets the element type
    }
    // Some servers send an empty text here from the first chunk on, which does not end the answer.
    const reason = textAt(choice, 'finish_reason') || undefined;
    if (reason === 'error') {
      return { status: 'reported', report: { message: 'The server ended the answer with an error.' } };
    }
    this.#finishReason = reason ?? this.#finishReason;
    return reading;
  }

  // Content under another id after the end: a second answer, which some proxies append.
  #isOfAnotherAnswer(chunk: JsonObject, choices: readonly JsonObject[]): boolean {
    const { answerId } = this.#output;
    if (this.#finishReason === undefined || answerId === undefined) return false;
    const id = textAt(chunk, 'id') || answerId;
    return id !== answerId && choices.some((choice) => saysSomething(objectAt(choice, 'delta')));
  }

  #start(chunk: JsonObject): void {
    if (this.#started) return;
    this.#started = true;
    this.#output.answerId = textAt(chunk, 'id') || undefined;
    this.#output.events.push({
      type: 'message.start',
      ...optional('providerId', this.#output.answerId),
      ...optional('model', textAt(chunk, 'model')),
    });
  }

  #finish(): Progress {
    const meta: Meta = {
      ...this.#blocks.finish(this.#citations),
      ...(Object.keys(this.#logprobs).length > 0 ? { logprobs: this.#logprobs } : {}),
      ...(this.#searchResults.length > 0 ? { searchResults: this.#searchResults } : {}),
    };
    this.#output.events.push({
      type: 'message.end',
      stopReason: stopReasonOf(this.#finishReason ?? '', this.#output),
      ...optional('rawStopReason', this.#finishReason),
      ...(Object.keys(meta).length > 0 ? { meta } : {}),
    });
    return complete;
  }
}

/**
 * The text of a chunk that holds nothing else, which nearly all chunks of a stream are. Fields are read by constant
 * names: a list of names to look up costs more than everything else together.
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

function errorIn(chunk: JsonObject): JsonObject | undefined {
  const error = chunk['error'];
  if (typeof error === 'string' && error !== '') return { message: error, ...optional('code', chunk['code']) };
  const reported = objectOf(error);
  if (reported !== undefined && Object.keys(reported).length > 0) return reported;
  return chunk['object'] === 'error' ? chunk : undefined;
}

function reportOf(error: JsonObject) {
  return {
    codes: [error['code'], error['type'], error['status_code']],
    message: textAt(error, 'message') ?? JSON.stringify(error),
    cause: error,
  };
}
