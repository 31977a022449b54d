import { describe, expect, test } from 'vitest';
import type { Interpreter } from './turn-bench.ts';
import { playTurn, startTurn, toolOf, type TurnSetup } from './turn-bench.ts';

const calls = [{ name: 'look' }, { name: 'look' }];
const nothing = () => undefined;
const rich: TurnSetup = {
  tools: [toolOf('look', () => 'seen', { isConcurrencySafe: true })],
  approve: () => Promise.resolve({ allow: true }),
  transformers: [
    { name: 't', beforeTurn: nothing, beforeIteration: nothing, afterIteration: nothing, afterTurn: nothing },
  ],
  script: [{ calls }, { cutAfter: 1 }, { text: 'done' }],
};

describe('inspect', () => {
  test('sees the turn, its services, its tool calls by their position and its transcript, and no other actor', async () => {
    const turn = await playTurn({ ...rich, interpreter: 'inspected' }, 10_000);
    expect([...turn.actors].toSorted()).toEqual([
      'close',
      'delay',
      'dispatchTools',
      'prepare',
      'review',
      'shape',
      'streamModel',
      'toolCall:0',
      'toolCall:1',
      'transcript',
      'turn',
    ]);
  });

  test('a turn that nobody inspects has the same events, transcript and result', async () => {
    const play = (interpreter: Interpreter) => playTurn({ ...rich, interpreter }, 10_000);
    const [table, inspected] = [await play('table'), await play('inspected')];
    expect(inspected.events).toEqual(table.events);
    expect(inspected.conversation).toEqual(table.conversation);
    expect(inspected.result).toEqual(table.result);
  });

  test('a callback that throws hurts nobody, and onListenerError is informed', async () => {
    const errors: unknown[] = [];
    const turn = await playTurn({
      script: [{ text: 'x' }],
      inspect: () => {
        throw new Error('no screen');
      },
      onListenerError: (error) => errors.push(error),
    });
    expect(turn.result.reason).toBe('completed');
    expect(errors.length).toBeGreaterThan(0);
    expect(errors[0]).toMatchObject({ message: 'no screen' });
  });

  test('an onListenerError that throws hurts nobody', async () => {
    const thrower = () => {
      throw new Error('no log');
    };
    const turn = await playTurn({ script: [{ text: 'x' }], inspect: thrower, onListenerError: thrower });
    expect(turn.result.reason).toBe('completed');
  });

  test('what it sees of a turn is small: its answer, but neither transcript nor requests', async () => {
    let longest = 0;
    const text = 'a secret of the transcript '.repeat(1000);
    const turn = startTurn({
      script: [{ calls: [{ name: 'look', args: { text } }] }, { text: 'done' }],
      tools: [toolOf('look', () => text)],
      inspect: (event) => {
        const { snapshot } = event as { snapshot?: unknown };
        if (snapshot !== undefined) longest = Math.max(longest, JSON.stringify(snapshot).length);
      },
    });
    await turn.end();
    expect(longest).toBeGreaterThan(0);
    expect(longest).toBeLessThan(text.length / 10);
  });
});
