import { describe, expect, test } from 'vitest';
import type { Engine } from '../../src/contracts/engine.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import { userMessage } from '../../src/conversation/message.ts';
import { createEngine } from '../../src/runtime/engine.ts';
import { createOperative } from '../../src/runtime/operative.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { modelOf, toolOf } from './turn-bench.ts';

describe('createEngine', () => {
  test('shows its model and tools', () => {
    const model = scriptedModel([]);
    const tools = [toolOf('a')];
    expect(createEngine({ model, tools })).toMatchObject({ model, tools });
    expect(createEngine({ model }).tools).toEqual([]);
  });

  test('refuses mistakes before anything runs', () => {
    expect(() => createEngine({ model: modelOf(), maxIterations: 0 })).toThrow(/maxIterations/);
  });

  test('runs with the platform’s own clock and ids', async () => {
    const engine = createEngine({ model: scriptedModel([{ text: 'Hi' }]), transformers: [] });
    const conversation = createConversation({ messages: [userMessage('go')] });
    const run = engine.run(conversation);
    expect(run.turnId).toMatch(/^turn_/);
    expect((await run.result).reason).toBe('completed');
    expect(new Set(conversation.messages.map(({ id }) => id)).size).toBe(2);
  });

  test.each<[string, unknown]>([
    ['a number', 7],
    ['null', null],
    ['no messages', { system: [] }],
    ['no system', { messages: [] }],
    ['messages that are no array', { system: [], messages: {} }],
  ])('run refuses what is not a conversation: %s', (_what, conversation) => {
    const engine = createEngine({ model: scriptedModel([]), transformers: [] });
    expect(() => engine.run(conversation as never)).toThrow(
      expect.objectContaining({ code: 'conversation.invalid' }) as Error,
    );
  });

  test('an object of the same shape is engine.foreign where an engine is needed', () => {
    const foreign: Engine = { ...createEngine({ model: scriptedModel([]) }) };
    expect(() => createOperative({ engine: foreign })).toThrow(
      expect.objectContaining({ code: 'engine.foreign' }) as Error,
    );
  });
});
