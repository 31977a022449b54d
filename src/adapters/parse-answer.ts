// Parses what a provider sent as JSON, and says what is wrong with an answer that cannot be used. Called by the model
// stream and the decoders.

import { ModelError } from '../contracts/errors.ts';
import type { CallFacts } from './http-errors.ts';
import { redact } from './redact.ts';
import type { ServerSentEvent } from './server-sent-events.ts';

/** Parses an event's data. Throws a retryable ModelError for text that is not JSON. */
export function parseEvent(event: ServerSentEvent, facts: CallFacts): unknown {
  try {
    return JSON.parse(event.data);
  } catch (cause) {
    throw malformed('an event', event.data, facts, cause);
  }
}

/** The error of an answer that ended without the provider's terminal event. */
export function incomplete(facts: CallFacts, expected: string): ModelError {
  return new ModelError(
    'stream.incomplete',
    `${facts.provider}'s answer ended without ${expected}: it is cut off and not used. This is usually temporary; try again.`,
    { retryable: true },
  );
}

/** Parses a whole answer's text. Throws a retryable ModelError for text that is not JSON. */
export function parseBody(text: string, facts: CallFacts): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw malformed('a body', text, facts, cause);
  }
}

/** The error of a response without a body. */
export function withoutContent(facts: CallFacts): ModelError {
  return malformed('a body', '', facts, undefined);
}

function malformed(what: string, text: string, facts: CallFacts, cause: unknown): ModelError {
  const fault =
    text.trim() === '' ? 'without content' : `that is not JSON (it begins ${JSON.stringify(beginning(text, facts))})`;
  // The parser's message quotes a part of the text: half a key no longer looks like one.
  const isClean = cause !== undefined && redact(text, facts.secrets) === text;
  return new ModelError(
    'stream.protocol',
    `${facts.provider} sent ${what} ${fault}. Is a proxy in between? Trying again may succeed.`,
    { retryable: true, ...(isClean ? { cause } : {}) },
  );
}

/** The error of a web page that came in place of an answer. Quotes its first words. */
export function webPageError(text: string, facts: CallFacts): ModelError {
  const words = text
    .replace(/<(script|style)\b[\s\S]*?<\/\1>|<[^>]*>/gi, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const where = facts.baseURL === undefined ? '' : ` (${facts.baseURL})`;
  return new ModelError(
    'stream.protocol',
    `A web page came instead of ${facts.provider}'s answer: ${JSON.stringify(beginning(words, facts))}. Check the base URL${where} and any proxy or login page in between.`,
    { retryable: false },
  );
}

function beginning(text: string, facts: CallFacts): string {
  // Redacted before it is cut, because half a key no longer looks like one.
  return redact(text.slice(0, 4000), facts.secrets)
    .slice(0, 80)
    .replace(/[\uD800-\uDBFF]$/, '');
}
