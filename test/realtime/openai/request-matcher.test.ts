// Which request an answer belongs to, with servers that echo our metadata and with servers that do not.

import { expect, test } from 'vitest';
import { RequestMatcher } from '../../../src/realtime/openai/request-matcher.ts';
import { eventDecoder } from './facts.ts';

const echoing = (id: string) => ({ metadata: { client_event_id: id } });
const silent = { metadata: null };

/** The last is for an answer in the conversation, those before for answers outside it. */
function matcher(...asked: readonly string[]): RequestMatcher {
  const requests = new RequestMatcher();
  for (const [index, id] of asked.entries()) requests.asked(id, index < asked.length - 1);
  return requests;
}

test('an echo decides, whatever the order', () => {
  const requests = matcher('a', 'b');
  requests.committed();
  expect(requests.match(echoing('b'))).toBe('b');
  expect(requests.match(echoing('a'))).toBe('a');
});

test('without an echo answers come in the order of the requests', () => {
  const requests = matcher('a', 'b');
  expect([requests.match(silent), requests.match({}), requests.match({})]).toEqual(['a', 'b', undefined]);
});

test('without an echo the answer to speech the server took in is its own', () => {
  const requests = matcher('a');
  requests.committed();
  expect(requests.match({})).toBeUndefined();
  expect(requests.match({})).toBe('a');
});

test('speech that was committed by us is answered only when we ask', () => {
  const requests = matcher();
  requests.committing('c');
  requests.asked('a');
  requests.committed();
  expect(requests.match({})).toBe('a');
});

test('a server that does not answer by itself has no answers of its own', () => {
  const requests = matcher('a');
  requests.committed();
  requests.configured(false);
  requests.committed();
  expect(requests.match({})).toBe('a');
});

test('a server that says nothing about it may answer by itself', () => {
  const requests = matcher('a');
  requests.configured(undefined);
  requests.committed();
  expect(requests.match({})).toBeUndefined();
});

test('after a silence the server speaks by itself', () => {
  const requests = matcher('a');
  requests.waited();
  expect(requests.match({})).toBeUndefined();
});

test('a request that was refused is not waited for', () => {
  const requests = matcher('a', 'b');
  requests.refused('a');
  requests.refused(undefined);
  expect(requests.match({})).toBe('b');
});

test('a request that was given up answers nothing: the next one asked for has its answer', () => {
  const requests = matcher('a');
  requests.asked('b');
  requests.asked('c');
  expect([requests.match(silent), requests.match(silent)]).toEqual(['c', undefined]);
});

test('without an echo answers outside the conversation belong to requests for such', () => {
  const requests = matcher('beside', 'within');
  requests.committed();
  expect(requests.match({ conversation_id: null })).toBe('beside');
  expect(requests.match({ conversation_id: 'conv_1' })).toBeUndefined(); // of the speech
  expect(requests.match({ conversation_id: 'conv_1' })).toBe('within');
});

test('a commit of ours that was refused does not count: what the server commits next is its own', () => {
  const requests = matcher('a');
  requests.committing('c');
  requests.refused('c');
  requests.committed();
  expect(requests.match({})).toBeUndefined();
});

test('the end of an answer names the same request as its beginning', () => {
  const requests = matcher('a');
  const decode = eventDecoder({ requests });
  const response = { id: 'r1', status: 'in_progress' };
  expect(decode({ type: 'response.created', response })).toMatchObject([{ requestId: 'a' }]);
  expect(decode({ type: 'response.created', response })).toMatchObject([{ requestId: 'a' }]);
  expect(decode({ type: 'response.done', response })).toMatchObject([{ requestId: 'a' }]);
});

test('a refusal, speech and settings reach it through the events', () => {
  const requests = matcher('a', 'b');
  const decode = eventDecoder({ requests });
  decode({ type: 'error', error: { code: 'invalid_value', event_id: 'a' } });
  decode({ type: 'session.updated', session: { audio: { input: { turn_detection: { type: 'server_vad' } } } } });
  decode({ type: 'input_audio_buffer.committed', item_id: 'u' });
  expect(decode({ type: 'response.created', response: { id: 'r1' } })[0]).not.toHaveProperty('requestId');
  decode({ type: 'input_audio_buffer.timeout_triggered', item_id: 'u' });
  expect(decode({ type: 'response.created', response: { id: 'r2' } })[0]).not.toHaveProperty('requestId');
  expect(decode({ type: 'response.created', response: { id: 'r3' } })).toMatchObject([{ requestId: 'b' }]);
});
