// Recorded turns, played again from their JSON: equal to what was recorded, whatever happened in them.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createConversation,
  createEngine,
  defineTool,
  ModelError,
  userMessage,
  type EngineOptions,
} from '../../src/index.ts';
import {
  recordTurn,
  replayTurn,
  scriptedModel,
  simulatedHost,
  verifyEvents,
  type ScriptedStep,
  type TurnRecording,
} from '../../src/testing/index.ts';

const runs = 200 * Number(process.env['TURNCHART_RUNS'] ?? 1);
const lost = new ModelError('model.connection', 'lost', { retryable: true });

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  isConcurrencySafe: true,
  execute: (args) => {
    const text = String(Reflect.get(Object(args), 'text'));
    if (text === 'throw') throw new Error('thrown');
    if (text === 'never') return new Promise(() => undefined);
    return text;
  },
});

interface Happening {
  readonly steer?: { readonly at: number; readonly text: string };
  /** Cancels at this many events. */
  readonly cancelAt?: number;
  readonly options?: Partial<EngineOptions>;
}

async function record(steps: readonly ScriptedStep[], happening: Happening = {}): Promise<TurnRecording> {
  const host = simulatedHost({ seed: 7 });
  const conversation = createConversation({ system: 'Be brief.', messages: [userMessage('Go.')] });
  const model = scriptedModel(steps, { host });
  const { run, recording } = recordTurn({ model, tools: [echo], host, ...happening.options }, conversation);
  let count = 0;
  let isOver = false;
  void (async () => {
    for await (const _ of run) {
      count += 1;
      if (count === happening.steer?.at) run.steer(happening.steer.text);
      if (count === happening.cancelAt) void run.cancel();
    }
  })();
  void run.result.then(() => (isOver = true));
  while (!isOver) await host.advance(1_000);
  // As it would be stored.
  return JSON.parse(JSON.stringify(await recording)) as TurnRecording;
}

const call = (text: unknown) => ({ name: 'echo', args: { text } as never });

describe('a replay is equal to its recording', () => {
  test.each<[string, readonly ScriptedStep[], Happening]>([
    [
      'tools and thinking',
      [
        { thinking: { text: 'Hm.', signature: 'sig' }, text: 'I look.', calls: [call('a'), call('b')] },
        { text: 'Done.' },
      ],
      {},
    ],
    [
      'failed, refused and unknown calls',
      [{ calls: [call('throw'), call(7), { name: 'nobody' }] }, { text: 'Done.' }],
      {},
    ],
    ['arguments that are no JSON', [{ calls: [{ name: 'echo', rawArgs: '{"text":' }] }, { text: 'Done.' }], {}],
    ['a call cut by the limit', [{ calls: [call('a')], stopReason: 'maxTokens' }, { text: 'Done.' }], {}],
    ['retries', [{ text: 'Half', throw: lost, throwAfter: 3 }, { throw: lost }, { text: 'Whole.' }], {}],
    ['a failure', [{ throw: new ModelError('model.unauthorized', 'no key', { retryable: false }) }], {}],
    ['an error that is none of ours', [{ throw: new Error('bug') }], {}],
    ['a stream that just ends', [{ text: 'Half', cutAfter: 3 }, { text: 'Whole.' }], {}],
    ['a silent model', [{ text: 'Half', stallAfter: 3 }, { text: 'Whole.' }], {}],
    ['a steer into the answer', [{ text: 'One.' }, { text: 'Two.' }], { steer: { at: 3, text: 'And?' } }],
    ['a steer into a tool call', [{ calls: [call('a')] }, { text: 'Two.' }], { steer: { at: 8, text: 'And?' } }],
    ['a cancel of the answer', [{ text: 'Half a word', chunks: 4 }], { cancelAt: 4 }],
    ['a cancel of a tool', [{ calls: [call('a'), call('never')] }], { cancelAt: 13 }],
    ['the limit of iterations', [{ calls: [call('a')] }, { calls: [call('b')] }], { options: { maxIterations: 2 } }],
    ['a timeout', [{ calls: [call('never')] }, { text: 'Late.' }], { options: { toolTimeoutMs: 50 } }],
    [
      'a denial',
      [{ calls: [call('a')] }, { text: 'No.' }],
      { options: { approve: () => ({ allow: false, message: 'no' }) } },
    ],
  ])('%s', async (_, steps, happening) => {
    const recording = await record(steps, happening);
    const { differences, events, conversation } = await replayTurn(recording);
    expect(differences).toEqual([]);
    expect(conversation.messages.length).toBe(recording.after.messages.length);
    verifyEvents(events);
  });

  test('the model that steps in', async () => {
    const spare = scriptedModel([{ text: 'Spare.' }], { id: 'spare' });
    const recording = await record([{ throw: lost }, { throw: lost }], {
      options: { retry: { attempts: 1 }, fallbackModels: [spare] },
    });
    expect(recording.calls.map(({ model }) => model)).toEqual(['scripted', 'scripted', 'spare']);
    expect((await replayTurn(recording)).differences).toEqual([]);
  });

  test('any turn of texts, calls, failures and steers', async () => {
    const step: fc.Arbitrary<ScriptedStep> = fc.oneof(
      fc.record({
        text: fc.string({ maxLength: 5 }),
        calls: fc.array(fc.constantFrom(call('a'), call('throw'), call(1)), { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ throw: fc.constant(lost) }),
      fc.record({ text: fc.string({ maxLength: 8 }), cutAfter: fc.nat(4) }),
    );
    const happening = fc.record(
      {
        steer: fc.record({ at: fc.integer({ min: 1, max: 30 }), text: fc.constant('And?') }),
        cancelAt: fc.integer({ min: 1, max: 40 }),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 4 }), happening, async (steps, what) => {
        const recording = await record([...steps, { text: 'End.' }, { text: 'End.' }], what);
        const replayed = await replayTurn(recording);
        expect(replayed.differences).toEqual([]);
        verifyEvents(replayed.events);
      }),
      { numRuns: runs },
    );
  }, 60_000);
});

describe('a replay shows', () => {
  test('what a transformer does to the requests', async () => {
    const recording = await record([{ calls: [call('a')] }, { text: 'Done.' }]);
    const { requests, differences } = await replayTurn(recording, {
      transformers: [{ name: 'loud', beforeIteration: () => ({ system: [{ type: 'text', text: 'SHOUT' }] }) }],
    });
    expect(requests.map(({ system }) => system)).toEqual([
      [{ type: 'text', text: 'SHOUT' }],
      [{ type: 'text', text: 'SHOUT' }],
    ]);
    expect(differences).toEqual([]);
  });

  test('what a change makes different', async () => {
    const recording = await record([{ calls: [call('a')] }, { text: 'Done.' }]);
    const { differences } = await replayTurn(recording, { maxIterations: 1 });
    expect(differences).toEqual([
      '1 of 2 recorded model calls were not made',
      'the turn ended as maxIterations, recorded: completed',
      'message 3 is missing, recorded: {"role":"assistant","content":[{"type":"text","text":"Done."}]}',
    ]);
  });

  test('a call that was never made', async () => {
    const recording = await record([{ text: 'Done.' }]);
    const { differences } = await replayTurn({ ...recording, calls: [] });
    expect(differences[0]).toBe('model call 1 was not recorded');
  });
});

test('a recording shares nothing with the conversation', async () => {
  const conversation = createConversation({ messages: [userMessage('Go.')] });
  const { recording } = recordTurn({ model: scriptedModel([{ text: 'Done.' }]) }, conversation);
  const { before, after } = await recording;
  await createEngine({ model: scriptedModel([{ text: 'More.' }]) }).run(conversation).result;
  expect([before.messages.length, after.messages.length, conversation.messages.length]).toEqual([1, 2, 3]);
});

test.each([undefined, {}, { format: 'turnchart.turn', version: 2 }])('%o is refused', async (value) => {
  await expect(replayTurn(value as unknown as TurnRecording)).rejects.toThrow(
    'replayTurn expects a recording made by recordTurn',
  );
});
