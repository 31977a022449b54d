// `raw.send` against every client event the SDK knows.

import type { RealtimeClientEvent } from 'openai/resources/realtime/realtime';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { encodeCommand } from '../../../src/realtime/openai/encode-command.ts';
import { readRaw } from '../../../src/realtime/openai/read-raw.ts';
import type { WireCommand } from '../../../src/realtime/wire.ts';

const examples = {
  'session.update': { session: { type: 'realtime', instructions: 'x' } },
  'input_audio_buffer.append': { audio: 'AQID' },
  'input_audio_buffer.commit': {},
  'input_audio_buffer.clear': {},
  'output_audio_buffer.clear': {},
  'conversation.item.create': {
    item: { type: 'message', role: 'user', content: [{ type: 'input_audio', audio: 'AQID' }] },
  },
  'conversation.item.retrieve': { item_id: 'i' },
  'conversation.item.delete': { item_id: 'i' },
  'conversation.item.truncate': { item_id: 'i', content_index: 0, audio_end_ms: 20 },
  'response.create': { response: { instructions: 'x', metadata: { a: 'b' } } },
  'response.cancel': { response_id: 'r' },
} as const;

function commandOf(raw: unknown): WireCommand {
  const reading = readRaw(raw);
  if ('refused' in reading) throw new Error(reading.refused);
  expect(reading.commands).toHaveLength(1);
  return reading.commands[0] as WireCommand; // just counted
}

test('the examples are every client event', () => {
  expectTypeOf<keyof typeof examples>().toEqualTypeOf<RealtimeClientEvent['type']>();
  expect(Object.keys(examples)).toHaveLength(11);
});

test.each(Object.entries(examples))('%s goes out as it came', (type, fields) => {
  const event = { type, ...fields };
  const out = JSON.parse(encodeCommand(commandOf(event), 'current')) as object;
  if (type === 'response.create') expect(out).toMatchObject(event);
  else expect(out).toEqual(event);
});

test.each(Object.entries(examples).filter(([type]) => type !== 'input_audio_buffer.append'))(
  '%s keeps its own id',
  (type, fields) => {
    expect(JSON.parse(encodeCommand(commandOf({ type, event_id: 'own', ...fields }), 'current'))).toMatchObject({
      event_id: 'own',
    });
  },
);

test('a result names the call it is of', () => {
  const event = {
    type: 'conversation.item.create',
    item: { type: 'function_call_output', call_id: 'c1', output: 'sunny' },
  };
  expect(commandOf(event)).toEqual({ type: 'raw', event, answers: 'c1' });
});

describe('what has a rule in the session becomes the command the rule is about', () => {
  test.each([
    ['response.create', { type: 'response.create', request: {}, eventId: '' }],
    ['response.cancel', { type: 'response.cancel', responseId: 'r', eventId: '' }],
    ['input_audio_buffer.append', { type: 'audio.append', audio: Uint8Array.of(1, 2, 3) }],
    ['input_audio_buffer.commit', { type: 'audio.commit' }],
    ['input_audio_buffer.clear', { type: 'audio.clear' }],
    ['output_audio_buffer.clear', { type: 'output.clear' }],
    ['conversation.item.delete', { type: 'item.delete', itemId: 'i' }],
    ['conversation.item.truncate', { type: 'item.truncate', itemId: 'i', contentIndex: 0, audioEndMs: 20 }],
    ['session.update', { type: 'session.update' }],
  ] as const)('%s', (type, command) => {
    expect(commandOf({ type, ...examples[type] })).toMatchObject(command);
  });

  test('an answer outside the conversation is known as one', () => {
    expect(commandOf({ type: 'response.create', response: { conversation: 'none' } })).toMatchObject({
      request: { outOfBand: true },
    });
  });
});

test('a payload may be what JSON leaves out of itself', () => {
  const payload = { type: 'conversation.item.retrieve', item_id: 'i', event_id: undefined, toString: () => 'x' };
  expect(commandOf(payload)).toEqual({ type: 'raw', event: { type: 'conversation.item.retrieve', item_id: 'i' } });
});

describe('refused, with a sentence that names what is known', () => {
  const circle: Record<string, unknown> = { type: 'response.create' };
  circle['self'] = circle;

  test.each([
    ['no object', 'hello', 'got a string'],
    ['null', null, 'got null'],
    ['nothing', undefined, 'got a undefined'],
    ['a list', [{ type: 'response.create' }], 'got a list'],
    ['no type', { item_id: 'i' }, 'got an object'],
    ['a circle', circle, 'got an object'],
    ['a server event', { type: 'response.done' }, 'no client event "response.done"'],
    ['a name of objects’ own', { type: 'toString' }, 'no client event "toString"'],
    ['an endless name', { type: 'x'.repeat(10_000) }, 'no client event "xxx'],
  ])('%s', (_, raw, words) => {
    const reading = readRaw(raw);
    const refused = 'refused' in reading ? reading.refused : '';
    expect(refused).toContain(words);
    expect(refused).toContain('response.create, response.cancel');
    expect(refused.length).toBeLessThan(500);
  });

  test.each([
    ['session.update', {}],
    ['input_audio_buffer.append', { audio: 'no base64!' }],
    ['input_audio_buffer.append', {}],
    ['conversation.item.delete', {}],
    ['conversation.item.truncate', { item_id: 'i' }],
  ])('%s without what it needs', (type, fields) => {
    expect(readRaw({ type, ...fields })).toMatchObject({ refused: expect.stringContaining('needs') as string });
  });
});
