import { describe, expect, test } from 'vitest';
import { commandOf } from '../../src/cli/arguments.ts';

const defaults = { resume: false, yes: false, json: false, color: true, inspect: false, seed: 1, paceMs: 15 };

const sessionRule = (name: string, shown = `"${name}"`) =>
  `--session needs a name of at most 64 letters, digits, ".", "_" and "-" that begins with a letter or digit, got ${shown}`;

describe('commandOf', () => {
  test('takes a prompt in all its spellings', () => {
    for (const args of [['-p', 'hi'], ['-phi'], ['--prompt', 'hi'], ['--prompt=hi']]) {
      expect(commandOf(args)).toEqual({ type: 'run', options: { ...defaults, prompt: 'hi' } });
    }
  });

  test('takes a prompt that begins with a dash after an equals sign', () => {
    expect(commandOf(['--prompt=-x'])).toMatchObject({ options: { prompt: '-x' } });
  });

  test('needs no arguments', () => {
    expect(commandOf([])).toEqual({ type: 'run', options: defaults });
  });

  test('takes every option', () => {
    const args =
      '--json --no-color --max-iterations 3 --seed 7 --pace 0 --model openai:gpt-5.4 --session work --resume --yes --inspect';
    expect(commandOf(args.split(' '))).toEqual({
      type: 'run',
      options: {
        model: { provider: 'openai', id: 'gpt-5.4' },
        session: 'work',
        resume: true,
        yes: true,
        json: true,
        color: false,
        inspect: true,
        maxIterations: 3,
        seed: 7,
        paceMs: 0,
      },
    });
  });

  test('help wins over everything, version over a turn', () => {
    expect(commandOf(['--version', '--help'])).toEqual({ type: 'help' });
    expect(commandOf(['-h'])).toEqual({ type: 'help' });
    expect(commandOf(['-p', 'hi', '--version'])).toEqual({ type: 'version' });
  });

  test.for([
    [['--frobnicate'], "unknown option '--frobnicate'"],
    [['-x'], "unknown option '-x'"],
    [['-p'], "option '-p, --prompt <value>' argument missing"],
    [['-p', ''], '--prompt must not be empty'],
    [['-p', '   '], '--prompt must not be empty'],
    [['-p', '--json'], '--prompt needs a value; write --prompt="-…" if it begins with "-"'],
    [['hello'], 'unexpected argument "hello"; put the prompt after -p, in quotes'],
    [['-p', 'how', 'many'], 'unexpected argument "many"; put the prompt after -p, in quotes'],
    [['--json=yes'], "option '--json' does not take an argument"],
    [['--max-iterations', '0'], '--max-iterations needs a whole number from 1 to 1000000, got "0"'],
    [['--max-iterations', '1e3'], '--max-iterations needs a whole number from 1 to 1000000, got "1e3"'],
    [['--max-iterations=-1'], '--max-iterations needs a whole number from 1 to 1000000, got "-1"'],
    [['--seed', 'x'], '--seed needs a whole number from 0 to 4294967295, got "x"'],
    [
      ['--seed', '99999999999999999999'],
      '--seed needs a whole number from 0 to 4294967295, got "99999999999999999999"',
    ],
    [['--session', '../work'], sessionRule('../work')],
    [['--session', ''], sessionRule('')],
    [['--session', '.hidden'], sessionRule('.hidden')],
    [['--session', 'x'.repeat(65)], sessionRule('x'.repeat(65), 'a text of 65 characters')],
    [['--resume'], '--resume needs --session'],
    [
      ['--resume', '--session', 'a', '-p', 'hi'],
      '--resume and --prompt cannot be combined: a prompt also continues an unanswered session',
    ],
    [['--model', 'gpt-5.4'], '--model needs anthropic:<id>, openai:<id> or <base URL>#<id>, got "gpt-5.4"'],
    [['--pace', ''], '--pace needs a whole number from 0 to 60000, got ""'],
  ] as const)('says in one line what is wrong with %j', ([args, message]) => {
    expect(commandOf(args)).toEqual({ type: 'misuse', message });
  });
});
