import { describe, expect, test } from 'vitest';
import { isModelError } from '../../src/contracts/errors.ts';
import type { Model, ModelRequest, StreamEvent } from '../../src/contracts/model.ts';
import { userMessage } from '../../src/conversation/message.ts';
import type { Message } from '../../src/conversation/message.ts';
import {
  scriptedModel,
  simulatedHost,
  type ScriptedModelOptions,
  type ScriptedStep,
  type ScriptedStepSource,
} from '../../src/testing/index.ts';

const request: ModelRequest = { system: [], messages: [], tools: [] };

interface Read {
  readonly events: StreamEvent[];
  readonly done: Promise<void>;
  state: 'running' | 'ended' | 'threw';
  error?: unknown;
}

/** Reads a stream in the background and notes how it ends. */
function read(model: Model, options: { signal?: AbortSignal; activity?: () => void } = {}): Read {
  const call = { signal: new AbortController().signal, ...options };
  const result: Read = { events: [], done: run(), state: 'running' };
  async function run(): Promise<void> {
    try {
      for await (const event of model.stream(request, call)) result.events.push(event);
      result.state = 'ended';
    } catch (error) {
      result.state = 'threw';
      result.error = error;
    }
  }
  return result;
}

async function eventsOf(step: ScriptedStep, options?: ScriptedModelOptions): Promise<StreamEvent[]> {
  const { events, done } = read(scriptedModel([step], options));
  await done;
  return events;
}

const types = (events: readonly StreamEvent[]) => events.map((event) => event.type);

describe('what a step says', () => {
  test('text is one block and the turn is over', async () => {
    expect(await eventsOf({ text: 'Hello' })).toEqual([
      { type: 'message.start' },
      { type: 'text.start', index: 0 },
      { type: 'text.delta', index: 0, text: 'Hello' },
      { type: 'text.end', index: 0 },
      { type: 'message.end', stopReason: 'endTurn' },
    ]);
  });

  test('thinking comes before text and text before calls', async () => {
    const events = await eventsOf({ calls: [{ name: 'look' }], text: 'I look.', thinking: 'Hm' });
    expect(types(events).filter((type) => type.endsWith('.start'))).toEqual([
      'message.start',
      'thinking.start',
      'text.start',
      'toolInput.start',
    ]);
  });

  test('signed thinking comes with the end of its block', async () => {
    const events = await eventsOf({ thinking: { text: 'Hm', signature: 'sig', provider: 'p' } });
    expect(events).toContainEqual({
      type: 'thinking.end',
      index: 0,
      block: { type: 'thinking', text: 'Hm', signature: 'sig', provider: 'p' },
    });
  });

  test('calls stream their arguments as JSON, get ids, and ask for tools', async () => {
    expect(
      await eventsOf({ calls: [{ name: 'a', args: { x: 1 } }, { name: 'b' }, { name: 'c', id: 'mine' }] }),
    ).toEqual([
      { type: 'message.start' },
      { type: 'toolInput.start', index: 0, id: 'call_1', name: 'a' },
      { type: 'toolInput.delta', index: 0, json: '{"x":1}' },
      { type: 'toolInput.end', index: 0 },
      { type: 'toolInput.start', index: 1, id: 'call_2', name: 'b' },
      { type: 'toolInput.delta', index: 1, json: '{}' },
      { type: 'toolInput.end', index: 1 },
      { type: 'toolInput.start', index: 2, id: 'mine', name: 'c' },
      { type: 'toolInput.delta', index: 2, json: '{}' },
      { type: 'toolInput.end', index: 2 },
      { type: 'message.end', stopReason: 'toolUse' },
    ]);
  });

  test('call ids count over the life of the model', async () => {
    const model = scriptedModel([{ calls: [{ name: 'a' }] }, { calls: [{ name: 'a' }] }]);
    await read(model).done;
    const second = read(model);
    await second.done;
    expect(second.events[1]).toMatchObject({ id: 'call_2' });
  });

  test('raw arguments are sent as written', async () => {
    const events = await eventsOf({ calls: [{ name: 'a', rawArgs: '{"x": tru' }] });
    expect(events[2]).toEqual({ type: 'toolInput.delta', index: 0, json: '{"x": tru' });
  });

  test('stop reason and usage can be set', async () => {
    const usage = { inputTokens: 10, outputTokens: 2 };
    const events = await eventsOf({ text: 'cut', stopReason: 'maxTokens', rawStopReason: 'length', usage });
    expect(events.slice(-2)).toEqual([
      { type: 'usage', usage },
      { type: 'message.end', stopReason: 'maxTokens', rawStopReason: 'length' },
    ]);
  });

  test('any blocks can come in any order', async () => {
    const events = await eventsOf({
      blocks: [
        { type: 'toolCall', id: 'c', name: 'look', args: {}, provider: 'p' },
        { type: 'text', text: 'said', refusal: true },
        { type: 'provider', provider: 'p', kind: 'search', data: 1 },
      ],
    });
    expect(types(events)).toEqual([
      'message.start',
      'toolInput.start',
      'toolInput.delta',
      'toolInput.end',
      'text.start',
      'text.delta',
      'text.end',
      'block',
      'message.end',
    ]);
    expect(events[3]).toMatchObject({ call: { provider: 'p' } });
    expect(events[6]).toMatchObject({ block: { refusal: true } });
    expect(events.at(-1)).toMatchObject({ stopReason: 'toolUse' });
  });

  test('given events are yielded as they are', async () => {
    const events = [null, { type: 'message.end', stopReason: 'endTurn' }, { type: 'surprise' }, 3];
    expect(await eventsOf({ events })).toEqual(events);
  });

  test('a step that says nothing is an empty message', async () => {
    expect(types(await eventsOf({}))).toEqual(['message.start', 'message.end']);
  });
});

describe('chunks', () => {
  const deltas = async (step: ScriptedStep) =>
    (await eventsOf(step)).flatMap((event) =>
      event.type === 'text.delta' ? [event.text] : event.type === 'toolInput.delta' ? [event.json] : [],
    );

  test('a number cuts into pieces of that many UTF-16 units', async () => {
    expect(await deltas({ text: 'abcde', chunks: 2 })).toEqual(['ab', 'cd', 'e']);
    expect(await deltas({ text: '🌍', chunks: 1 })).toEqual(['\ud83c', '\udf0d']);
  });

  test('a number cuts arguments as well', async () => {
    expect(await deltas({ calls: [{ name: 'a', args: { x: 1 } }], chunks: 3 })).toEqual(['{"x', '":1', '}']);
  });

  test('sizes are taken in order, and the rest comes in one piece', async () => {
    expect(await deltas({ text: 'abcdef', chunks: [1, 0, 2] })).toEqual(['a', '', 'bc', 'def']);
    expect(await deltas({ text: 'ab', chunks: [1, 5, 3] })).toEqual(['a', 'b']);
  });

  test('strings are the deltas of the text', async () => {
    expect(await deltas({ chunks: ['Hel', '', 'lo'] })).toEqual(['Hel', '', 'lo']);
    expect(await deltas({ text: 'Hello', chunks: ['Hel', 'lo'], calls: [{ name: 'a' }] })).toEqual(['Hel', 'lo', '{}']);
  });

  test.each<[string, ScriptedStep]>([
    ['a size of 0 everywhere', { text: 'a', chunks: 0 }],
    ['a broken size', { text: 'a', chunks: 1.5 }],
    ['a negative size in a list', { text: 'a', chunks: [-1] }],
    ['strings that are not the text', { text: 'Hello', chunks: ['Hel', 'p'] }],
  ])('%s fails the call and verify', async (_title, step) => {
    const model = scriptedModel([step]);
    const call = read(model);
    await call.done;
    expect(call.error).toBeInstanceOf(RangeError);
    expect(() => model.verify()).toThrow('step 1 failed');
  });
});

describe('how a stream ends', () => {
  test('a throw comes before the first event', async () => {
    const error = new Error('down');
    const call = read(scriptedModel([{ text: 'never', throw: error }]));
    await call.done;
    expect(call).toMatchObject({ state: 'threw', events: [], error });
  });

  test('a throw comes after the given number of events', async () => {
    const call = read(scriptedModel([{ text: 'never', throw: 'down', throwAfter: 2 }]));
    await call.done;
    expect(call.error).toBe('down');
    expect(types(call.events)).toEqual(['message.start', 'text.start']);
  });

  test('undefined can be thrown', async () => {
    const call = read(scriptedModel([{ throw: undefined }]));
    await call.done;
    expect(call).toMatchObject({ state: 'threw', events: [] });
  });

  test('a cut stream just ends', async () => {
    const call = read(scriptedModel([{ text: 'Hello', cutAfter: 3 }]));
    await call.done;
    expect(call.state).toBe('ended');
    expect(types(call.events)).toEqual(['message.start', 'text.start', 'text.delta']);
  });

  test('a stalled stream waits for its signal and throws the reason', async () => {
    const host = simulatedHost();
    const controller = new AbortController();
    const call = read(scriptedModel([{ text: 'Hello', stallAfter: 1 }], { host }), { signal: controller.signal });
    await host.advance(1e9);
    expect(call.state).toBe('running');
    expect(types(call.events)).toEqual(['message.start']);
    const reason = new Error('enough');
    controller.abort(reason);
    await call.done;
    expect(call.error).toBe(reason);
  });

  test('a stall after 0 events says nothing at all', async () => {
    const host = simulatedHost();
    const call = read(scriptedModel([{ text: 'Hello', stallAfter: 0 }]));
    await host.settle();
    expect(call).toMatchObject({ state: 'running', events: [] });
  });

  test('a stall after the last event leaves the stream open', async () => {
    const host = simulatedHost();
    const call = read(scriptedModel([{ text: 'Hello', stallAfter: 99 }]));
    await host.settle();
    expect(call.state).toBe('running');
    expect(types(call.events).at(-1)).toBe('message.end');
  });

  test('a deaf stall ignores its signal', async () => {
    const host = simulatedHost();
    const controller = new AbortController();
    const model = scriptedModel([{ text: 'Hello', stallAfter: 1, deaf: true }], { host });
    const call = read(model, { signal: controller.signal });
    controller.abort();
    await host.advance(1e9);
    expect(call.state).toBe('running');
    expect(types(call.events)).toEqual(['message.start']);
  });

  test('a deaf model without a stall of its own never ends its message', async () => {
    const host = simulatedHost();
    const call = read(scriptedModel([{ text: 'Hello', deaf: true }]), { signal: AbortSignal.abort() });
    await host.settle();
    expect(call.state).toBe('running');
    expect(types(call.events)).toEqual(['message.start', 'text.start', 'text.delta', 'text.end']);
  });

  test('a deaf model that throws does throw', async () => {
    const call = read(scriptedModel([{ throw: 'down', deaf: true }]), { signal: AbortSignal.abort() });
    await call.done;
    expect(call.error).toBe('down');
  });

  test('an aborted signal ends the stream before the next event', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const stream = scriptedModel([{ text: 'Hello' }]).stream(request, { signal: controller.signal });
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    controller.abort(reason);
    await expect(iterator.next()).rejects.toBe(reason);
  });
});

describe('time', () => {
  test('delayMs waits on the host before the first event', async () => {
    const host = simulatedHost();
    const call = read(scriptedModel([{ text: 'Hello', delayMs: 100 }], { host }));
    await host.advance(99);
    expect(call.events).toEqual([]);
    await host.advance(1);
    expect(call.state).toBe('ended');
  });

  test('delayMs waits before a throw', async () => {
    const host = simulatedHost();
    const call = read(scriptedModel([{ throw: 'down', delayMs: 100 }], { host }));
    await host.advance(99);
    expect(call.state).toBe('running');
    await host.advance(1);
    expect(call.error).toBe('down');
  });

  test('an abort ends the wait and leaves no timer', async () => {
    const host = simulatedHost();
    const controller = new AbortController();
    const call = read(scriptedModel([{ text: 'Hello', delayMs: 100 }], { host }), { signal: controller.signal });
    await host.advance(50);
    controller.abort('enough');
    await call.done;
    expect(call.error).toBe('enough');
    expect(host.pendingTimers()).toBe(0);
  });

  test('paceMs waits before each event after the first', async () => {
    const host = simulatedHost();
    const call = read(scriptedModel([{ text: 'Hello', paceMs: 10 }], { host }));
    await host.advance(25);
    expect(call.events).toHaveLength(3);
  });

  test('pingEveryMs shows life while nothing comes', async () => {
    const host = simulatedHost();
    let pings = 0;
    const model = scriptedModel([{ text: 'Hello', stallAfter: 1, pingEveryMs: 10 }], { host });
    read(model, { activity: () => pings++ });
    await host.advance(35);
    expect(pings).toBe(3);
  });

  test('waiting without a host fails the call and verify', async () => {
    const model = scriptedModel([{ text: 'Hello', delayMs: 1 }]);
    const call = read(model);
    await call.done;
    expect(String(call.error)).toContain('options.host');
    expect(() => model.verify()).toThrow('step 1 failed');
  });
});

describe('functions as steps', () => {
  test('are given the request and where they are, and may be asynchronous', async () => {
    const seen: unknown[] = [];
    const model = scriptedModel([
      { text: 'first' },
      async (asked, { index, signal }) => {
        seen.push(asked.messages.length, index, signal.aborted);
        return { text: 'second' };
      },
    ]);
    await read(model).done;
    const call = read(model);
    await call.done;
    expect(seen).toEqual([0, 1, false]);
    expect(call.events).toContainEqual({ type: 'text.delta', index: 0, text: 'second' });
  });

  test('one function answers every call', async () => {
    const model = scriptedModel((_request, { index }) => ({ text: `answer ${index}` }));
    await read(model).done;
    const call = read(model);
    await call.done;
    expect(call.events).toContainEqual({ type: 'text.delta', index: 0, text: 'answer 1' });
    expect(() => model.verify()).not.toThrow();
  });

  test('that throw fail the call and verify, with their error as cause', async () => {
    const error = new Error('expected 2 messages');
    const failing: ScriptedStepSource = () => {
      throw error;
    };
    const model = scriptedModel([failing]);
    const call = read(model);
    await call.done;
    expect(call.error).toBe(error);
    expect(() => model.verify()).toThrow(expect.objectContaining({ cause: error }));
  });
});

describe('what is remembered', () => {
  test('requests keep the messages of their time', async () => {
    const messages: Message[] = [userMessage('one')];
    const model = scriptedModel([{ text: 'a' }, { text: 'b' }]);
    const signal = new AbortController().signal;
    const first = model.stream({ ...request, messages }, { signal });
    messages.push(userMessage('two'));
    for await (const _ of first);
    for await (const _ of model.stream({ ...request, messages }, { signal }));
    messages.length = 0;
    expect(model.requests.map((asked) => asked.messages.length)).toEqual([1, 2]);
    expect(model.calls).toBe(2);
  });

  test('id and info are the given ones', () => {
    expect(scriptedModel([])).toMatchObject({ id: 'scripted' });
    expect(scriptedModel([], { id: 'other', info: { contextTokens: 10 } })).toMatchObject({
      id: 'other',
      info: { contextTokens: 10 },
    });
  });
});

describe('verify', () => {
  test('is content when every step was used', async () => {
    const model = scriptedModel([{ text: 'a' }]);
    await read(model).done;
    expect(() => model.verify()).not.toThrow();
  });

  test('names the steps that were not used', async () => {
    const model = scriptedModel([{ text: 'a' }, { text: 'b' }, { calls: [{ name: 'look' }] }]);
    await read(model).done;
    expect(() => model.verify()).toThrow(/step 2 of 3 was not used: { text: "b" }\n- step 3 of 3 .*look/);
  });

  test('names calls without a step, which fail and are not retryable', async () => {
    const model = scriptedModel([]);
    const call = read(model);
    await call.done;
    expect(isModelError(call.error) && !call.error.retryable).toBe(true);
    expect(() => model.verify()).toThrow('call 1 has no step: the script has 0');
  });

  test('runs at the end of a using block', () => {
    const forgetful = () => {
      using model = scriptedModel([{ text: 'never asked for' }]);
      expect(model.calls).toBe(0);
    };
    expect(forgetful).toThrow('was not used');
  });
});
