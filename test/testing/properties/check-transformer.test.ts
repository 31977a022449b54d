// The kit against transformers with planted bugs: each is caught, and the counterexample is small.

import { describe, expect, test } from 'vitest';
import type { Transformer, View } from '../../../src/contracts/transformer.ts';
import type { Block } from '../../../src/conversation/block.ts';
import type { Conversation } from '../../../src/conversation/conversation.ts';
import { userMessage, type Message } from '../../../src/conversation/message.ts';
import {
  checkTransformer,
  conversations,
  laws,
  TransformerLawError,
  type CheckTransformerOptions,
} from '../../../src/testing/properties/index.ts';

const runs = 199;

const shaping = (name: string, shape: (messages: readonly Message[]) => readonly Message[]): Transformer => ({
  name,
  beforeIteration: ({ messages }): View => ({ messages: shape(messages) }),
});

const withBlocks = (message: Message, change: (block: Block) => Block): Message => ({
  ...message,
  content: message.content.map(change),
});

let counter = 0;

const planted: Readonly<
  Record<
    string,
    {
      readonly bug: Transformer;
      readonly laws: readonly string[];
      readonly source?: CheckTransformerOptions['conversations'];
    }
  >
> = {
  'splits a pair': {
    bug: shaping('keepsFive', (messages) => messages.slice(-5)),
    laws: ['pairsKept', 'lastUserMessage', 'dropsDeclared'],
  },
  'cuts before the last results': {
    bug: shaping('cuts', (all) => all.slice(0, -1)),
    laws: ['pairsKept', 'lastUserMessage', 'dropsDeclared'],
  },
  reorders: { bug: shaping('reverses', (all) => all.toReversed()), laws: ['pairsKept', 'orderKept'] },
  'drops the last user message': {
    bug: shaping('forgets', (all) => all.filter((message) => message !== all.findLast(({ role }) => role === 'user'))),
    laws: ['lastUserMessage'],
  },
  'edits a signature': {
    bug: shaping('trims', (all) =>
      all.map((message) =>
        withBlocks(message, (block) => {
          if (block.type !== 'thinking' || block.signature === undefined) return block;
          return { ...block, signature: block.signature.slice(1) };
        }),
      ),
    ),
    laws: ['blocksUnaltered'],
  },
  'drops thinking': {
    bug: shaping('forgetsThinking', (all) =>
      all.map((message) => ({ ...message, content: message.content.filter(({ type }) => type !== 'thinking') })),
    ),
    laws: ['blocksUnaltered'],
  },
  grows: {
    bug: {
      name: 'repeats',
      alters: ['rewritesText', 'addsMarker'],
      beforeIteration: ({ messages }) => ({ messages: [userMessage('Keep going.', { id: 'go' }), ...messages] }),
    },
    laws: ['pairsKept', 'idempotent', 'withinBudget'],
  },
  'is over the budget': {
    bug: { ...shaping('keepsAll', (all) => all), alters: ['dropsGroups'] },
    laws: ['withinBudget'],
    source: conversations({ maxMessages: 6, maxRepeats: 300 }),
  },
  'invents a message': {
    bug: shaping('adds', (all) => [...all, userMessage('Go on.', { id: 'extra' })]),
    laws: ['nothingInvented', 'pairsKept'],
  },
  'changes the system prompt': {
    bug: { name: 'dates', beforeIteration: () => ({ system: [{ type: 'text', text: 'It is Monday.' }] }) },
    laws: ['systemUntouched'],
  },
  'is never the same': {
    bug: {
      name: 'counts',
      alters: ['addsMarker'],
      beforeIteration: ({ messages }) => ({
        messages: [...messages, userMessage(`Call ${counter++}.`, { id: `count${counter}` })],
      }),
    },
    laws: ['deterministic'],
  },
  'puts what changes in front': {
    bug: {
      name: 'tellsLength',
      alters: ['addsMarker'],
      beforeIteration: ({ messages }) =>
        messages[0]?.id === 'length'
          ? undefined
          : { messages: [userMessage(`There are ${messages.length}.`, { id: 'length' }), ...messages] },
    },
    laws: ['prefixStable'],
  },
  'throws on an empty message': {
    bug: {
      name: 'reads',
      beforeIteration: ({ messages }) => {
        for (const { content } of messages) if (content.length === 0) throw new RangeError('no first block');
      },
    },
    laws: ['total'],
  },
  'throws when it is cancelled': {
    bug: { name: 'checks', beforeIteration: (_, { signal }) => signal.throwIfAborted() },
    laws: ['total'],
  },
  'rewrites the transcript in pieces': {
    bug: {
      name: 'drops',
      beforeTurn: ({ messages, system }) => ({ conversation: { system, messages: messages.slice(1) } }),
    },
    laws: ['pairsKept', 'lastUserMessage', 'dropsDeclared'],
  },
};

describe('checkTransformer', () => {
  test.each(Object.entries(planted))(
    'catches one that %s, with at most six messages',
    async (_, { bug, laws: broken, source }) => {
      for (let seed = 1; seed <= 3; seed++) {
        const error = await failureOf(bug, { seed, runs, ...(source && { conversations: source }) });
        expect(broken).toContain(error.law);
        expect(error.counterexample.messages.length).toBeLessThanOrEqual(6);
      }
    },
    120_000,
  );

  test('accepts one that does nothing', async () => {
    await expect(checkTransformer({ name: 'nothing' }, { runs: 20 })).resolves.toBeUndefined();
  });

  test('tells the law, the conversation, the seed and what changed', async () => {
    const error = await failureOf(
      shaping('forgets', () => []),
      { seed: 7, runs },
    );
    const json = error.message.split('\n').find((line) => line.startsWith('{')) ?? '';
    const parsed: Conversation = JSON.parse(json);
    expect(parsed.messages).toEqual(error.counterexample.messages);
    expect(error.seed).toBe(7);
    expect(error.message).toContain(`The transformer "forgets" breaks the law ${error.law}`);
    expect(error.message).toContain('seed: 7');
    expect(error.message).toMatch(/\n {2}- \S+ user /);
  });

  test('finds the same counterexample again by its seed', async () => {
    const [one, two] = [
      await failureOf(planted['reorders']?.bug, { seed: 3 }),
      await failureOf(planted['reorders']?.bug, { seed: 3 }),
    ];
    expect(two.counterexample).toEqual(one.counterexample);
  });

  test('asks only the laws it is given', async () => {
    const dropping = shaping('forgets', () => []);
    await expect(checkTransformer(dropping, { laws: [laws.pairsKept], runs: 50 })).resolves.toBeUndefined();
  });

  test('allows other words to one that declares it', async () => {
    const shout = (message: Message) =>
      withBlocks(message, (block) => (block.type === 'text' ? { ...block, text: '…' } : block));
    const quiet: Transformer = {
      name: 'quiet',
      beforeIteration: ({ messages }) => ({ messages: messages.map(shout) }),
    };
    expect((await failureOf(quiet, { seed: 1 })).law).toBe('blocksUnaltered');
    const { lastUserMessage: _, ...others } = laws;
    await expect(
      checkTransformer({ ...quiet, alters: ['rewritesText'] }, { laws: Object.values(others), runs: 50 }),
    ).resolves.toBeUndefined();
  });

  test('reports a transformer that breaks in the middle of another law', async () => {
    const error = await failureOf(
      { name: 'breaks', beforeIteration: () => Promise.reject(new Error('broken')) },
      { seed: 1, laws: [laws.orderKept] },
    );
    expect(error.message).toContain('the transformer threw: broken');
  });
});

async function failureOf(
  transformer: Transformer | undefined,
  options: CheckTransformerOptions,
): Promise<TransformerLawError> {
  if (transformer === undefined) throw new Error('There is no such bug.');
  try {
    await checkTransformer(transformer, { runs: 199, ...options });
  } catch (error) {
    if (error instanceof TransformerLawError) return error;
    throw error;
  }
  return expect.fail(`${transformer.name} broke no law`);
}
