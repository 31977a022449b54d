import { describe, expect, test } from 'vitest';
import type { EngineOptions } from '../../src/contracts/engine.ts';
import { defaultHost } from '../../src/contracts/host.ts';
import { settingsOf } from '../../src/runtime/settings.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { toolOf } from './turn-bench.ts';

const model = scriptedModel([]);
const settingsWith = (options: Partial<EngineOptions>) => settingsOf({ model, ...options });

describe('the settings of an engine', () => {
  test('have the documented defaults', () => {
    expect(settingsWith({ transformers: [] })).toMatchObject({
      models: [model],
      definitions: [],
      stages: { beforeTurn: false, beforeIteration: false, afterIteration: false, afterTurn: false },
      toolChoice: undefined,
      request: {},
      maxIterations: 100,
      maxParallelTools: 8,
      toolTimeoutMs: undefined,
      cancelGraceMs: 250,
      idleTimeoutMs: 120_000,
      retry: { attempts: 3, baseDelayMs: 500, maxDelayMs: 30_000, maxRetryAfterMs: 60_000 },
      approve: undefined,
      steps: {},
      host: defaultHost,
    });
  });

  test('keep the defaults of the retry options that are not given', () => {
    expect(settingsWith({ retry: { attempts: 0 } }).retry).toEqual({
      attempts: 0,
      baseDelayMs: 500,
      maxDelayMs: 30_000,
      maxRetryAfterMs: 60_000,
    });
  });

  test('hold the fixed parts of every request, and only those that are given', () => {
    expect(settingsWith({ maxOutputTokens: 5, providerOptions: { a: 1 } }).request).toEqual({
      maxOutputTokens: 5,
      providerOptions: { a: 1 },
    });
  });

  test('replace the parts of the host that are given, and no others', () => {
    const { host } = settingsWith({ host: { now: () => 42 } });
    expect(host.now()).toBe(42);
    expect(host.createId('turn')).toMatch(/^turn_/);
  });

  test('take endless counts and times; a time is at most what a timer takes', () => {
    const settings = settingsWith({ maxIterations: Infinity, cancelGraceMs: Infinity, idleTimeoutMs: Infinity });
    expect(settings).toMatchObject({ maxIterations: Infinity, cancelGraceMs: 2 ** 31 - 1, idleTimeoutMs: 2 ** 31 - 1 });
  });

  const mistakes: readonly (readonly [Partial<Record<keyof EngineOptions, unknown>>, string])[] = [
    [{ maxIterations: 0 }, 'The option "maxIterations" must be an integer of at least 1, got 0.'],
    [{ maxIterations: 1.5 }, 'The option "maxIterations" must be an integer of at least 1, got 1.5.'],
    [
      { maxIterations: '5' },
      'The option "maxIterations" must be an integer of at least 1, got a string of 1 characters.',
    ],
    [{ maxParallelTools: 0 }, 'The option "maxParallelTools" must be an integer of at least 1, got 0.'],
    [{ toolTimeoutMs: -1 }, 'The option "toolTimeoutMs" must be a number of milliseconds, 0 or more, got -1.'],
    [{ cancelGraceMs: Number.NaN }, 'The option "cancelGraceMs" must be a number of milliseconds, 0 or more, got NaN.'],
    [{ idleTimeoutMs: null }, 'The option "idleTimeoutMs" must be a number of milliseconds, 0 or more, got null.'],
    [{ retry: { attempts: -1 } }, 'The option "retry.attempts" must be an integer of at least 0, got -1.'],
    [
      { retry: { baseDelayMs: '1s' } },
      'The option "retry.baseDelayMs" must be a number of milliseconds, 0 or more, got a string of 2 characters.',
    ],
    [{ model: undefined }, 'The option "model" must be an object with an "id" and a "stream" function, got nothing.'],
    [{ model: {} }, 'The option "model" must be an object with an "id" and a "stream" function, got an object.'],
    [
      { fallbackModels: ['gpt'] },
      'The option "model" must be an object with an "id" and a "stream" function, got a string of 3 characters.',
    ],
    [
      { transformers: [() => undefined] },
      'The option "transformers" must be objects with a "name" and stage functions, got a function.',
    ],
    [
      { transformers: [{ name: 't', beforeTurn: 'now' }] },
      'The option "transformers: t.beforeTurn" must be a function, got a string of 3 characters.',
    ],
    [{ transformers: [{ name: 't', compact: 5 }] }, 'The option "transformers: t.compact" must be a function, got 5.'],
    [
      {
        transformers: [
          { name: 't', compact: () => undefined },
          { name: 'u', compact: null },
        ],
      },
      'The option "transformers: u.compact" must be a function, got null.',
    ],
  ];
  test.each(mistakes)(
    '%j is options.invalid with a message that says what was expected and got',
    (options, message) => {
      expect(() => settingsWith(options as Partial<EngineOptions>)).toThrow(
        expect.objectContaining({ code: 'options.invalid', message }) as Error,
      );
    },
  );

  test('two tools of one name are tool.duplicateName, a bad name is tool.invalidName, something else tool.invalid', () => {
    const codeOf = (tools: readonly unknown[]) => {
      try {
        settingsWith({ tools: tools as EngineOptions['tools'] & object });
        return undefined;
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    expect(codeOf([toolOf('a'), toolOf('a')])).toBe('tool.duplicateName');
    expect(codeOf([{ ...toolOf('a'), name: 'no spaces' }])).toBe('tool.invalidName');
    expect(codeOf([null])).toBe('tool.invalid');
    expect(codeOf([toolOf('a'), toolOf('A')])).toBeUndefined();
  });
});
