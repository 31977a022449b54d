import { describe, expect, test } from 'vitest';
import { ToolResult } from '../../src/tools/tool-result.ts';
import { interpreters, playTurn, toolOf, withoutThen, withThen } from '../runtime/turn-bench.ts';

const script = [{ calls: [{ name: 'act' }] }, { text: 'done' }];
const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;

describe.each(interpreters)('what a tool gives back (%s)', (interpreter) => {
  const resultOf = async (execute: () => unknown) => {
    const turn = await playTurn({ interpreter, tools: [toolOf('act', execute)], script });
    expect(turn.result.reason).toBe('completed');
    return turn.lines()[2];
  };

  test.each<[string, unknown, string]>([
    ['a string', 'text', 'completed: text'],
    ['undefined', undefined, 'completed: (no output)'],
    ['an empty string', '', 'completed: (no output)'],
    ['null', null, 'completed: null'],
    ['an object', { a: 1 }, 'completed: {"a":1}'],
    ['a BigInt', 10n, 'completed: 10'],
    ['a ToolResult', ToolResult.text('told'), 'completed: told'],
    ['an error ToolResult', ToolResult.error('told'), 'failed: told'],
    ['an Error', new Error('returned'), 'failed: returned'],
  ])('%s', async (_what, value, line) => {
    expect(await resultOf(() => value)).toBe(line);
    expect(await resultOf(() => Promise.resolve(value))).toBe(line);
  });

  test.each<[string, unknown]>([
    ['a cyclic object', cyclic],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    [
      'a proxy whose traps throw',
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('trap');
          },
        },
      ),
    ],
  ])('%s becomes some text and the turn continues', async (_what, value) => {
    expect(await resultOf(() => Promise.resolve([value]))).toMatch(/^completed: ./);
  });

  test.each<[string, () => unknown]>([
    [
      'an Error',
      () => {
        throw new Error('thrown');
      },
    ],
    [
      'a string',
      () => {
        throw 'thrown';
      },
    ],
    ['a rejection', () => Promise.reject(new Error('thrown'))],
    ['a rejection with a plain object', () => Promise.reject({ message: 'thrown' })],
  ])('a throw of %s is a failed result with its message', async (_what, execute) => {
    expect(await resultOf(execute)).toMatch(/^failed: .*thrown/);
  });

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a symbol', Symbol('s')],
    [
      'an object that cannot be read',
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('trap');
          },
        },
      ),
    ],
  ])('a throw of %s is a failed result', async (_what, value) => {
    const thrower = () => {
      throw value;
    };
    expect(await resultOf(thrower)).toMatch(/^failed: /);
    expect(await resultOf(() => Promise.reject(value))).toMatch(/^failed: /);
  });

  test('a thenable that calls back twice settles the call once', async () => {
    const twice = withThen({ value: (resolve: (value: string) => void) => (resolve('first'), resolve('second')) });
    expect(await resultOf(() => twice)).toBe('completed: first');
  });

  test('a value whose then throws when it is read is a failed result', async () => {
    expect(await resultOf(withoutThen)).toBe('failed: no then');
  });
});

describe.each(interpreters)('a hand-made tool (%s)', (interpreter) => {
  const statusWith = async (more: Parameters<typeof toolOf>[2], args: unknown = {}) => {
    const turn = await playTurn({
      interpreter,
      tools: [toolOf('act', () => 'ran', more)],
      script: [{ calls: [{ name: 'act', args: args as never }] }, { text: 'done' }],
    });
    expect(turn.result.reason).toBe('completed');
    return turn.results().map(({ status }) => status);
  };

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['returns undefined', () => undefined],
    ['returns null', () => null],
    ['returns a boolean', () => true],
    ['says no without a message', () => ({ ok: false })],
  ])('whose parse %s gives invalidArguments', async (_how, parse) => {
    expect(await statusWith({ parse: parse as never })).toEqual(['invalidArguments']);
  });

  test('whose isConcurrencySafe throws runs alone', async () => {
    const isConcurrencySafe = () => {
      throw new Error('no');
    };
    expect(await statusWith({ isConcurrencySafe })).toEqual(['completed']);
  });

  test('gets its arguments as parse made them, in all its functions', async () => {
    const seen: unknown[] = [];
    const note = (value: boolean) => (args: unknown) => {
      seen.push(args);
      return value;
    };
    await playTurn({
      interpreter,
      approve: () => ({ allow: true }),
      tools: [
        toolOf('act', note(true), {
          parse: () => ({ ok: true, args: 'parsed' }),
          isConcurrencySafe: note(true),
          needsApproval: note(true),
          preview: note(true),
        }),
      ],
      script,
    });
    expect(seen).toEqual(['parsed', 'parsed', 'parsed', 'parsed']);
  });
});

describe.each(interpreters)('arguments (%s)', (interpreter) => {
  test('that are not JSON are not run, and the model is informed', async () => {
    let ran = 0;
    const calls = [{ name: 'act', rawArgs: '{"a":' }];
    const turn = await playTurn({
      interpreter,
      tools: [toolOf('act', () => ++ran)],
      script: [{ calls, stopReason: 'toolUse' }, { text: 'done' }],
    });
    expect(ran).toBe(0);
    expect(turn.results().map(({ status }) => status)).toEqual(['invalidArguments']);
  });

  test('that do not fit are answered and do not stop their siblings', async () => {
    const strict = toolOf('act', () => 'ran', {
      parse: (args) =>
        Array.isArray(args) ? { ok: false, message: 'expected an object, got an array' } : { ok: true, args },
    });
    const calls = [{ name: 'act', args: [] }, { name: 'act' }];
    const turn = await playTurn({ interpreter, tools: [strict], script: [{ calls }, { text: 'done' }] });
    expect(turn.lines().slice(3, 5)).toEqual(['invalidArguments: expected an object, got an array', 'completed: ran']);
  });
});
