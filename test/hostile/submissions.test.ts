// What callers do to an operative and its messages: nothing is lost, and nobody waits forever.

import { describe, expect, test } from 'vitest';
import {
  createConversation,
  createEngine,
  createOperative,
  isTurnchartError,
  userMessage,
  type EngineOptions,
  type Message,
  type OperativeOptions,
} from '../../src/index.ts';
import { decodeConversation, encodeConversation } from '../../src/codec/index.ts';
import { scriptedModel, simulatedHost, verifyTranscript } from '../../src/testing/index.ts';

function setUp(createId?: (kind: string) => string, more: Partial<OperativeOptions> = {}) {
  const host = simulatedHost();
  const engine = createEngine({
    model: scriptedModel(() => ({ text: 'Hi' }), { host }),
    host: createId === undefined ? host : { ...host, createId },
  });
  const conversation = createConversation();
  return { host, engine, conversation, operative: createOperative({ engine, conversation, ...more }) };
}

async function codeOf(refused: Promise<unknown>): Promise<string | undefined> {
  return refused.then(
    () => undefined,
    (thrown: unknown) => (isTurnchartError(thrown) ? thrown.code : String(thrown)),
  );
}

test('a text is not an earlier message, though the host gives its id again', async () => {
  const { operative, conversation, host } = setUp((kind) => kind);
  const first = await operative.submit('one');
  await host.advance(1_000);
  const second = await operative.submit('two');
  await host.advance(1_000);
  expect(second.messageId).not.toBe(first.messageId);
  const said = conversation.messages.flatMap(({ role, content }) => (role === 'user' ? content : []));
  expect(said.map((block) => (block.type === 'text' ? block.text : block.type))).toEqual(['one', 'two']);
});

test('a steered text of a bare run is not an earlier one, though the host gives its id again', async () => {
  const host = simulatedHost();
  const engine = createEngine({
    model: scriptedModel(() => ({ text: 'Hi', delayMs: 10 }), { host }),
    host: { ...host, createId: (kind) => kind },
  });
  const conversation = createConversation({ messages: [userMessage('go')] });
  const run = engine.run(conversation);
  run.steer('one');
  run.steer('two');
  await host.advance(1_000);
  await run.result;
  expect(conversation.messages.filter(({ role }) => role === 'user').length).toBe(3);
});

test('what its owner does to a message after the submit changes nothing', async () => {
  const { operative, conversation, host } = setUp();
  const message = { id: 'm', role: 'user', content: [{ type: 'text', text: 'Hi' }] };
  const submitting = operative.submit(message as Message);
  message.id = 'other';
  message.role = 'assistant';
  for (const block of message.content) block.text = '';
  message.content.length = 0;
  await submitting;
  await host.advance(1_000);
  expect(conversation.messages[0]).toEqual({ id: 'm', role: 'user', content: [{ type: 'text', text: 'Hi' }] });
});

test.each<[string, object]>([
  ['a text that is none', { type: 'text', text: 5 }],
  ['an image without source', { type: 'image' }],
  ['an unknown block', { type: 'video' }],
])('%s is refused, so that the conversation can still be stored', async (_what, block) => {
  const { operative, conversation } = setUp();
  const message = userMessage([block as never, { type: 'text', text: 'Hi' }]);
  expect(await codeOf(operative.submit(message))).toBe('message.invalid');
  expect(decodeConversation(encodeConversation(conversation))).toEqual(conversation);
});

describe.each<[string, Partial<OperativeOptions>]>([
  ['table', {}],
  ['inspected', { inspect: () => undefined }],
])('an operative whose host gives no id for a turn (%s)', (_interpreter, more) => {
  const broken = () =>
    setUp((kind) => {
      if (kind === 'turn') throw new Error('no id');
      return kind;
    }, more);

  test('refuses every call but close instead of never answering', async () => {
    const { operative } = broken();
    const codes = [];
    for (const call of ['submit', 'resume', 'cancel', 'close'] as const) {
      codes.push(await codeOf(call === 'submit' ? operative.submit('Hi') : operative[call]()));
    }
    expect(codes).toEqual(['turn.broken', 'turn.broken', 'turn.broken', undefined]);
  });

  test('lets go of its conversation', async () => {
    const { operative, conversation } = broken();
    await codeOf(operative.submit('Hi'));
    expect(createOperative({ engine: setUp().engine, conversation }).state).toBe('idle');
  });
});

test.each<[string, unknown]>([
  ['an object', {}],
  ['a text', 'abort'],
  ['null', null],
])('a run with %s as its signal is refused and leaves the conversation free', async (_what, signal) => {
  const { engine, host } = setUp();
  const conversation = createConversation({ messages: [userMessage('Hi')] });
  expect(() => engine.run(conversation, { signal: signal as never })).toThrow('must be an AbortSignal');
  const { result } = engine.run(conversation);
  await host.advance(1_000);
  expect((await result).reason).toBe('completed');
});

test('a host that throws at the start of a run leaves the conversation free', async () => {
  const conversation = createConversation({ messages: [userMessage('Hi')] });
  const throwing = createEngine({
    model: scriptedModel([]),
    host: {
      createId: () => {
        throw new Error('no id');
      },
    },
  });
  expect(() => throwing.run(conversation)).toThrow('no id');
  expect(() => createOperative({ engine: throwing, conversation })).toThrow('no id');
  const { engine, host } = setUp();
  const { result } = engine.run(conversation);
  await host.advance(1_000);
  await result;
  verifyTranscript(conversation);
});

describe('an async function that rejects', () => {
  // As plain JavaScript passes it, where no type speaks against it.
  const rejecting = (() => Promise.reject(new Error('rejected'))) as () => void;

  async function turnWith(more: Partial<EngineOptions>, listener?: () => void) {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const host = simulatedHost();
    const engine = createEngine({ model: scriptedModel([{ text: 'Hi' }], { host }), host, ...more });
    const operative = createOperative({ engine });
    if (listener !== undefined) operative.subscribe(listener);
    const { delivery } = await operative.submit('Hi');
    await host.advance(1_000);
    await new Promise(setImmediate); // where unhandled rejections are reported
    process.off('unhandledRejection', note);
    return { status: (await delivery).status, unhandled };
  }

  test('as a listener goes to onListenerError and harms nobody', async () => {
    const errors: unknown[] = [];
    const onListenerError = (error: unknown) => void errors.push(error);
    const { status, unhandled } = await turnWith({ onListenerError }, rejecting);
    expect({ status, unhandled }).toEqual({ status: 'answered', unhandled: [] });
    expect(errors.length).toBeGreaterThan(0);
  });

  test.each<[string, Partial<EngineOptions>]>([
    ['an inspector', { inspect: rejecting }],
    ['onListenerError', { onListenerError: rejecting }],
  ])('as %s harms nobody', async (_what, more) => {
    const throwing = () => {
      throw new Error('thrown');
    };
    expect(await turnWith(more, throwing)).toEqual({ status: 'answered', unhandled: [] });
  });
});
