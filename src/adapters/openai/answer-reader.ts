// Feeds server-sent events to a decoder and turns what it reports into ModelErrors. Called by model.ts.

import { ModelError } from '../../contracts/errors.ts';
import type { StreamEvent } from '../../contracts/model.ts';
import { modelErrorOfReport, type CallFacts } from '../http-errors.ts';
import { redact } from '../redact.ts';
import type { StreamDecoder } from '../model-stream.ts';
import { incomplete, parseEvent } from '../parse-answer.ts';
import type { AnswerDecoder, Progress } from './answer-decoder.ts';
import { objectOf } from './json-fields.ts';

/** The reader of one answer. `decoderOf` is called at the first event: by then the server is known. */
export function createAnswerReader(decoderOf: () => AnswerDecoder, facts: CallFacts): StreamDecoder {
  let decoder: AnswerDecoder | undefined;
  let done = false;

  const take = (progress: Progress): void => {
    switch (progress.status) {
      case 'reading':
        return;
      case 'complete':
        done = true;
        return;
      case 'incomplete':
        throw incomplete(facts, 'its terminal event');
      case 'reported':
        throw modelErrorOfReport(progress.report, facts);
      case 'protocol':
        throw broken(progress.message, facts);
    }
  };

  return {
    get done() {
      return done;
    },
    decode(event, out) {
      decoder ??= decoderOf();
      if (event.data === '') return;
      if (event.data.length < 20 && event.data.trim() === '[DONE]') return take(decoder.end(out, 'marker'));
      take(decoder.read(recordIn(parseEvent(event, facts), facts), out));
    },
    decodeWhole(body, out) {
      decoder ??= decoderOf();
      take(decoder.readWhole(recordIn(body, facts), out));
    },
    end(out: StreamEvent[]) {
      decoder ??= decoderOf();
      take(decoder.end(out, 'endOfBody'));
    },
  };
}

function recordIn(value: unknown, facts: CallFacts) {
  const record = objectOf(value);
  if (record === undefined)
    throw broken(`expected an object, got ${redact(JSON.stringify(value) ?? '', facts.secrets).slice(0, 80)}`, facts);
  return record;
}

function broken(what: string, facts: CallFacts): ModelError {
  const at = facts.baseURL === undefined ? '' : ` Does ${facts.baseURL} speak this API?`;
  return new ModelError('stream.protocol', `${facts.provider} sent an answer that cannot be read: ${what}.${at}`, {
    retryable: false,
  });
}
