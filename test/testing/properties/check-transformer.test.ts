// The kit against transformers with planted bugs: each is caught, and the counterexample is small.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Transformer, View } from '../../../src/contracts/transformer.ts';
import type { Block, ResultContent } from '../../../src/conversation/block.ts';
import type { Conversation } from '../../../src/conversation/conversation.ts';
import type { JsonValue } from '../../../src/conversation/json.ts';
import { textOf, userMessage, type Message } from '../../../src/conversation/message.ts';
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

/** The same value with the keys of its objects the other way round, at every depth. */
function reordered(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).toReversed();
  return Object.fromEntries(fields.map(([name, field]) => [name, reordered(field)]));
}

let counter = 0;

const numbers = new WeakMap<Message, number>();

const sliced = (content: ResultContent): ResultContent =>
  content.type === 'text' ? { ...content, text: content.text.slice(0, 7) } : content;

const forEver = new Promise<undefined>(() => undefined);

const boundaryOf = (summary: string, keepFrom: string): Message =>
  userMessage([{ type: 'boundary', summary, keepFrom }], { id: 'compacted' });

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
  'drops a last user message that is an image, and says that something went': {
    bug: {
      ...shaping('skips', (all) => {
        const last = all.findLast(({ role, content: [block] }) => role === 'user' && block?.type !== 'boundary');
        if (last?.content.length !== 1 || last.content[0]?.type !== 'image') return all;
        return all.map((message) =>
          message === last ? userMessage('[Left out]', { id: `${last.id}-gone` }) : message,
        );
      }),
      alters: ['addsMarker'],
    },
    laws: ['lastUserMessage'],
    source: conversations({ maxMessages: 6 }),
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
  'reorders the arguments of calls': {
    bug: shaping('sortsKeys', (all) =>
      all.map((message) =>
        withBlocks(message, (block) => ('args' in block ? { ...block, args: reordered(block.args) } : block)),
      ),
    ),
    laws: ['blocksUnaltered'],
  },
  'reorders what a provider attached, and says that it rewrites texts': {
    bug: {
      ...shaping('sortsData', (all) =>
        all.map((message) =>
          withBlocks(message, (block) => ('data' in block ? { ...block, data: reordered(block.data) } : block)),
        ),
      ),
      alters: ['rewritesText'],
    },
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
  'knows messages by their objects': {
    bug: {
      name: 'numbers',
      alters: ['addsMarker'],
      beforeIteration({ messages }) {
        const [first] = messages;
        if (first === undefined || first.id === 'number') return undefined;
        if (!numbers.has(first)) numbers.set(first, counter++);
        return { messages: [userMessage(`Conversation ${numbers.get(first)}.`, { id: 'number' }), ...messages] };
      },
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
  'cuts inside a character': {
    bug: {
      ...shaping('slices', (all) =>
        all.map((message) =>
          withBlocks(message, (block) =>
            block.type === 'toolResult' ? { ...block, content: block.content.map(sliced) } : block,
          ),
        ),
      ),
      alters: ['shortensResults'],
    },
    laws: ['wellFormed'],
  },
  'asks the model for ever': {
    bug: {
      name: 'insists',
      async beforeIteration(_, { complete }) {
        for (;;)
          if (
            await complete({ system: [], messages: [], tools: [] }).then(
              () => true,
              () => false,
            )
          )
            return;
      },
    },
    laws: ['total'],
  },
  'changes a block in place': {
    bug: {
      name: 'marks',
      beforeIteration({ messages }) {
        for (const { content } of messages) for (const block of content) Reflect.set(block, 'seen', true);
      },
    },
    laws: ['inputUntouched'],
  },
  'changes a block of a result in place, at the end of the turn': {
    bug: {
      name: 'trims',
      alters: ['shortensResults'],
      afterTurn({ messages }) {
        for (const { content } of messages) {
          for (const block of content) if (block.type === 'toolResult') Reflect.set(block, 'content', []);
        }
      },
    },
    laws: ['inputUntouched'],
  },
  'changes its list instead of giving a view': {
    bug: {
      name: 'shifts',
      beforeIteration({ messages }) {
        if (messages[0]?.role === 'user' && messages.length > 1) messages.shift();
      },
    },
    laws: ['total'],
  },
  'leaves out what it does not declare': {
    bug: shaping('skips', (all) => all.filter(({ role }, index) => role !== 'user' || index > 0 || all.length < 3)),
    laws: ['dropsDeclared', 'lastUserMessage'],
  },
  'keeps a first message larger than the window for ever': {
    bug: {
      ...shaping('keepsFirst', (all) => {
        const last = all.findLastIndex(({ role }) => role === 'user');
        return last <= 0 ? all : [...all.slice(0, 1), ...all.slice(last)];
      }),
      alters: ['dropsGroups'],
    },
    laws: ['withinBudget', 'pairsKept', 'lastUserMessage'],
    source: conversations({ maxMessages: 6, maxRepeats: 300 }),
  },
  'never settles': {
    bug: { name: 'waits', beforeIteration: ({ messages }) => (messages.length > 1 ? forEver : undefined) },
    laws: ['total'],
  },
  'never settles when it is cancelled': {
    bug: {
      name: 'waits',
      beforeIteration: async (_, { complete, signal }) => {
        await complete({ system: [], messages: [], tools: [] }).catch(() => undefined);
        if (signal.aborted) await forEver;
      },
    },
    laws: ['total'],
  },
  'never settles when it is asked to compact': {
    bug: { name: 'waits', compact: () => forEver },
    laws: ['total'],
  },
  'compacts from a message that is not there': {
    bug: {
      name: 'compacts',
      alters: ['appendsBoundary'],
      compact: ({ messages }) => ({ append: [boundaryOf('one', `before-${messages[0]?.id}`)] }),
    },
    laws: ['boundariesStand'],
  },
  'compacts from a message that another one invented': {
    bug: {
      name: 'compacts',
      alters: ['appendsBoundary', 'addsMarker'],
      beforeIteration: ({ messages }) =>
        messages.length < 3 || messages.at(-1)?.content[0]?.type === 'boundary'
          ? undefined
          : { append: [boundaryOf('one', 'note'), userMessage('Note.', { id: 'note' })].slice(0, 1) },
    },
    laws: ['boundariesStand'],
  },
  'compacts when nobody declared it': {
    bug: { name: 'compacts', compact: ({ messages }) => ({ append: [boundaryOf('one', messages[0]?.id ?? '')] }) },
    laws: ['nothingInvented'],
  },
  'takes half a summary for one': {
    bug: {
      name: 'summarises',
      alters: ['appendsBoundary'],
      compact: async ({ messages: [first] }, { complete }) => {
        if (first === undefined) return undefined;
        const { message } = await complete({ system: [], messages: [], tools: [] });
        return { append: [boundaryOf(textOf(message) || 'Nothing.', first.id)] };
      },
    },
    laws: ['boundariesStand'],
  },
  'appends an empty summary': {
    bug: {
      name: 'forgets',
      alters: ['appendsBoundary'],
      compact: ({ messages: [first] }) => (first === undefined ? undefined : { append: [boundaryOf(' ', first.id)] }),
    },
    laws: ['boundariesStand'],
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

  test('lets one that waits for the world outside have its time', async () => {
    const slow: Transformer = {
      name: 'slow',
      beforeIteration: () => new Promise((resolve) => setImmediate(() => setTimeout(resolve, 30, undefined))),
    };
    expect((await failureOf(slow, { seed: 1, laws: [laws.total] })).message).toContain(
      'pass "timeoutMs" to checkTransformer',
    );
    await expect(
      checkTransformer(slow, { runs: 1, laws: [laws.orderKept], timeoutMs: 20_000 }),
    ).resolves.toBeUndefined();
    const error = await failureOf(planted['never settles']?.bug, {
      seed: 1,
      runs: 3,
      laws: [laws.total],
      timeoutMs: 1,
    });
    expect(error.message).toContain('1 ms');
  });

  test('asks for a compaction where one can be had', async () => {
    let asked = 0;
    const compacting: Transformer = { name: 'compacting', compact: () => void asked++ };
    await checkTransformer([compacting, { ...compacting, name: 'never asked', compact: () => expect.fail() }], {
      runs: 5,
    });
    expect(asked).toBeGreaterThanOrEqual(5);
  });

  test('has boundaries that keep from nothing there among its conversations', () => {
    const all = fc.sample(conversations(), { numRuns: 500, seed: 1 });
    const isLost = ({ messages }: Conversation) =>
      messages.some(
        ({ content: [block] }) => block?.type === 'boundary' && !messages.some(({ id }) => id === block.keepFrom),
      );
    expect(all.filter(isLost).length).toBeGreaterThan(20);
  });

  test('gives the counterexample as it was, whatever the transformer does to it', async () => {
    const error = await failureOf(planted['changes a block in place']?.bug, { seed: 1 });
    expect(JSON.stringify(error.counterexample)).not.toContain('seen');
  });

  test('accepts one that does nothing', async () => {
    await expect(checkTransformer({ name: 'nothing' }, { runs: 20 })).resolves.toBeUndefined();
  });

  test('reports the law, the conversation, the seed and what changed', async () => {
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

  test('allows blocks whose fields stand in another order: encoders write them in their own', async () => {
    const rebuilt = shaping('rebuilds', (all) =>
      all.map(({ content, ...rest }) => {
        const blocks = content.map((block) => Object.fromEntries(Object.entries(block).toReversed()));
        return { content: blocks as readonly unknown[] as readonly Block[], ...rest };
      }),
    );
    await expect(checkTransformer(rebuilt, { runs: 50 })).resolves.toBeUndefined();
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
