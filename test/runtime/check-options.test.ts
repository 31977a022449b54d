import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createConversation } from '../../src/conversation/conversation.ts';
import {
  complete,
  createEngine,
  createOperative,
  defineTool,
  EngineBuilder,
  OperativeBuilder,
} from '../../src/index.ts';
import { engineOptions, operativeOptions, runOptions } from '../../src/runtime/check-options.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { checkOptions } from '../../src/contracts/option-table.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);
const model = scriptedModel([]);
const engine = createEngine({ model });
const secret = 'sk-ant-api03-0123456789';
const usable = { name: 'look', description: 'd', parameters: { type: 'object' }, execute: () => 1 } as const;
// What a caller without types can give.
const engineWith = (options?: unknown) => createEngine(options as never);
const operativeWith = (options?: unknown) => createOperative(options as never);

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (thrown) {
    expect(thrown).toMatchObject({ name: 'TurnchartError' });
    return (thrown as Error).message;
  }
  return 'nothing was thrown';
}

const must = (name: string, expected: string, got: string) => `The option "${name}" must be ${expected}, got ${got}.`;

describe('createEngine', () => {
  test.each<[object, string]>([
    [
      { toolChoice: 'banana' },
      must('toolChoice', 'auto, none, required or { tool: name }', 'a string of 6 characters'),
    ],
    [{ toolChoice: { name: 'look' } }, must('toolChoice', 'auto, none, required or { tool: name }', 'an object')],
    [{ tools: 'look' }, must('tools', 'an array', 'a string of 4 characters')],
    [{ fallbackModels: model }, must('fallbackModels', 'an array', 'an object')],
    [{ maxOutputTokens: 0 }, must('maxOutputTokens', 'an integer of at least 1', '0')],
    [{ output: 'json' }, must('output', '{ name, schema }', 'a string of 4 characters')],
    [{ providerOptions: true }, must('providerOptions', 'an object', 'true')],
    [{ retry: 3 }, must('retry', 'an object', '3')],
    [{ retry: { attempts: 1.5 } }, must('retry.attempts', 'an integer of at least 0', '1.5')],
    [{ approve: 5 }, must('approve', 'a function', '5')],
    [{ approve: null }, must('approve', 'a function', 'null')],
    [{ onListenerError: {} }, must('onListenerError', 'a function', 'an object')],
    [{ inspect: 'all' }, must('inspect', 'a function or an observer', 'a string of 3 characters')],
    [{ steps: () => 1 }, must('steps', 'an object', 'a function')],
    [{ steps: { buildRequest: {} } }, must('steps.buildRequest', 'a function', 'an object')],
    [
      { host: { now: 5 } },
      must('host', 'an object of functions (now, setTimeout, clearTimeout, random, createId)', 'an object'),
    ],
  ])('refuses %j', (options, message) => {
    expect(messageOf(() => engineWith({ model, ...options }))).toBe(message);
    expect(messageOf(() => new EngineBuilder(options as never).withModel(model).build())).toBe(message);
  });

  test('refuses what cannot be read at all', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(messageOf(() => engineWith({ model, approve: proxy }))).toBe(
      must('approve', 'a function', 'an object that cannot be read'),
    );
  });

  test('refuses a name it does not know, and lists those it knows', () => {
    expect(messageOf(() => engineWith({ model, maxIteration: 5 }))).toMatch(
      /^createEngine has no option "maxIteration"; it has model, .*maxIterations.*, steps\.$/,
    );
    expect(messageOf(() => engineWith({ model, retry: { times: 5 } }))).toBe(
      'createEngine has no option "retry.times"; it has attempts, baseDelayMs, maxDelayMs, maxRetryAfterMs.',
    );
    expect(messageOf(() => engineWith({ model, toString: () => 'x' }))).toMatch(/no option "toString"/);
  });

  test.each([undefined, null, {}])('says what is missing in %j', (options) => {
    expect(messageOf(() => engineWith(options))).toBe(
      must('model', 'an object with an "id" and a "stream" function', 'nothing'),
    );
  });

  test('takes undefined for what is not given', () => {
    const names = Object.keys(engineOptions).filter((name) => name !== 'model');
    expect(() => engineWith({ model, ...Object.fromEntries(names.map((name) => [name, undefined])) })).not.toThrow();
  });

  test('takes a host with more than is asked of it', () => {
    expect(() => engineWith({ model, host: { now: () => 5, name: 'mine' } })).not.toThrow();
  });
});

describe('createOperative', () => {
  test.each<[object, string]>([
    [{ lateMessages: 'x' }, must('lateMessages', 'one of hold, start', 'a string of 1 characters')],
    [{ announceTasks: 'yes' }, must('announceTasks', 'one of off, steer, queue', 'a string of 3 characters')],
    [{ reloadBeforeStart: 5 }, must('reloadBeforeStart', 'a function', '5')],
    [
      { frameInjectedMessage: 'in short' },
      must('frameInjectedMessage', 'a function or null', 'a string of 8 characters'),
    ],
    [{ approve: 5 }, must('approve', 'a function', '5')],
    [{ inspect: 5 }, must('inspect', 'a function or an observer', '5')],
  ])('refuses %j', (options, message) => {
    const conversation = createConversation();
    expect(messageOf(() => operativeWith({ engine, conversation, ...options }))).toBe(message);
    expect(messageOf(() => OperativeBuilder.create(engine, conversation).with(options).build())).toBe(message);
    expect(() => operativeWith({ engine, conversation })).not.toThrow(); // a mistake leaves it free
  });

  test('refuses a name it does not know', () => {
    expect(messageOf(() => operativeWith({ engine, lateMessage: 'start' }))).toMatch(
      /^createOperative has no option "lateMessage"; it has engine, conversation, /,
    );
  });

  test.each([
    [undefined, 'nothing'],
    [null, 'null'],
    [5, '5'],
  ])('says that %j is not an object of options', (options, got) => {
    expect(messageOf(() => operativeWith(options))).toBe(`createOperative takes an object of options, got ${got}.`);
  });

  test('says that an engine is missing', () => {
    expect(messageOf(() => operativeWith({}))).toMatch(/^Expected an engine made by createEngine/);
  });

  test('takes null as no frame', () => {
    expect(() => operativeWith({ engine, frameInjectedMessage: null })).not.toThrow();
  });
});

describe('the options of calls', () => {
  test.each<[unknown, string]>([
    [null, 'Engine.run takes an object of options, got null.'],
    [{ signal: new AbortController() }, must('signal', 'an AbortSignal', 'an object')],
    [{ signals: 1 }, 'Engine.run has no option "signals"; it has turnContext, signal, inspectUnder.'],
  ])('Engine.run refuses %j and leaves the conversation free', (options, message) => {
    const conversation = createConversation();
    expect(messageOf(() => engine.run(conversation, options as never))).toBe(message);
    expect(() => operativeWith({ engine, conversation })).not.toThrow();
  });

  test.each<[string, unknown, string]>([
    ['submit', null, 'submit takes an object of options, got null.'],
    ['submit', 'queue', 'submit takes an object of options, got a string of 5 characters.'],
    ['submit', { policy: 'later' }, must('policy', 'one of steer, queue, reject, preempt', 'a string of 5 characters')],
    ['submit', { polcy: 'queue' }, 'submit has no option "polcy"; it has turnContext, policy.'],
    ['resume', null, 'resume takes an object of options, got null.'],
    ['cancel', null, 'cancel takes an object of options, got null.'],
    ['cancel', { graceMs: '1s' }, must('graceMs', 'a number of milliseconds', 'a string of 2 characters')],
    ['compact', { instructions: 5 }, must('instructions', 'a string', '5')],
  ])('%s refuses %j and does nothing', async (name, options, message) => {
    const operative = createOperative({ engine });
    const call = {
      submit: (given: unknown) => operative.submit('Hi', given as never),
      resume: (given: unknown) => operative.resume(given as never),
      cancel: (given: unknown) => operative.cancel(given as never),
      compact: (given: unknown) => operative.compact(given as never),
    }[name];
    await expect(call?.(options)).rejects.toMatchObject({ code: 'options.invalid', message });
    expect([operative.state, operative.conversation.messages]).toEqual(['idle', []]);
  });

  test('a turn’s cancel refuses an invalid grace time', async () => {
    const run = createEngine({ model: scriptedModel([{ text: 'x' }]) }).run(createConversation());
    expect(messageOf(() => run.cancel({ graceMs: Number.NaN }))).toBe(
      must('graceMs', 'a number of milliseconds', 'NaN'),
    );
    await run.result;
  });

  test('complete refuses what is not a model', async () => {
    const completion = complete(undefined as never, { system: [], messages: [], tools: [] });
    await expect(completion).rejects.toMatchObject({ code: 'options.invalid' });
  });
});

test('whatever is given, a check throws options.invalid or nothing', () => {
  const names = Object.keys({ ...engineOptions, ...operativeOptions, ...runOptions });
  const anything = fc.anything({ withNullPrototype: true, withBigInt: true, withMap: true });
  fc.assert(
    fc.property(
      fc.oneof(anything, fc.dictionary(fc.constantFrom(...names), anything)),
      fc.constantFrom(engineOptions, operativeOptions, runOptions),
      (given, table) => {
        try {
          checkOptions('it', given, table);
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: 'options.invalid' });
        }
      },
    ),
    { numRuns: 500 * runs },
  );
});

test.each<[string, () => unknown, string]>([
  [
    'a transformer with a misspelt stage',
    () => createEngine({ model, transformers: [{ name: 'x', beforeIterations: () => undefined } as never] }),
    'The transformer "x" has a "beforeIterations", which is no stage; these are beforeTurn, beforeIteration, afterIteration, afterTurn.',
  ],
  [
    'a listener that is none',
    () => createOperative({ engine }).subscribe(undefined as never),
    'The option "listener" must be a function, got nothing.',
  ],
  [
    'a signal that nobody can leave',
    () => engine.run(createConversation(), { signal: { aborted: false, addEventListener: () => undefined } as never }),
    'The option "signal" must be an AbortSignal, got an object.',
  ],
])('%s is refused', (_what, make, message) => {
  expect(messageOf(make)).toBe(message);
});

test('a tool choice may name a tool that only the model knows, as the provider’s own', () => {
  expect(() => createEngine({ model, toolChoice: { tool: 'web_search' } })).not.toThrow();
});

test.each<[string, () => unknown]>([
  ['the model', () => createEngine({ model: secret as never })],
  ['a transformer', () => createEngine({ model, transformers: [secret as never] })],
  ['a tool', () => createEngine({ model, tools: [secret as never] })],
  ['all options', () => createEngine(secret as never)],
  ['a time limit', () => defineTool({ ...usable, timeoutMs: secret as never })],
  ['a schema', () => defineTool({ ...usable, parameters: secret as never })],
  ['a function', () => createEngine({ model, approve: { key: secret } as never })],
])('a key given for %s is not shown', (_what, make) => {
  expect(make).toThrow(expect.objectContaining({ message: expect.not.stringContaining('sk-ant') as string }) as Error);
});
