// A transformer that keeps e-mail addresses from the model, checked against arbitrary conversations: the first version has
// a bug that hand-written tests had not found.

import type { Block, Message, Transformer } from '../src/index.ts';
import { checkTransformer, conversations, TransformerLawError } from '../src/testing/properties/index.ts';

const address = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;

const redact = (text: string): string => text.replace(address, '[address]');

// #region first
/** Redacts every block with a text. */
const firstVersion: Transformer = {
  name: 'redactEmails',
  alters: ['rewritesText'],
  beforeIteration: ({ messages }) => ({
    messages: messages.map((message) => ({ ...message, content: message.content.map(redactAnything) })),
  }),
};

function redactAnything(block: Block): Block {
  return 'text' in block ? { ...block, text: redact(block.text) } : block;
}
// #endregion first

// #region second
/** Redacts what people and tools said. Thinking is signed and must not change by a byte. */
const secondVersion: Transformer = {
  name: 'redactEmails',
  alters: ['rewritesText'],
  beforeIteration: ({ messages }) => ({ messages: messages.map(redactMessage) }),
};

function redactMessage(message: Message): Message {
  return { ...message, content: message.content.map(redactSaid) };
}

function redactSaid<Said extends Block>(block: Said): Said {
  if (block.type === 'text') return { ...block, text: redact(block.text) };
  if (block.type === 'toolResult') return { ...block, content: block.content.map(redactSaid) };
  return block;
}
// #endregion second

// #region keep-last
/** Keeps the last six messages. The first of them may be half of a tool call. */
const keepLastSix: Transformer = {
  name: 'keepLastSix',
  alters: ['dropsGroups'],
  beforeIteration: ({ messages }) => ({ messages: messages.slice(-6) }),
};
// #endregion keep-last

// #region check
/** Conversations with an address in every text, also in thinking. */
const withAddresses = conversations({ maxMessages: 12 }).map(({ system, messages }) => ({
  system,
  messages: messages.map((message) => ({ ...message, content: message.content.map(mention) })),
}));

function mention(block: Block): Block {
  return 'text' in block ? { ...block, text: `${block.text} ann@example.com` } : block;
}

await report(firstVersion);
await report(keepLastSix);
await report(secondVersion);

async function report(transformer: Transformer): Promise<void> {
  try {
    await checkTransformer(transformer, { seed: 1, conversations: withAddresses });
    console.log(`${transformer.name} keeps every law`);
  } catch (error) {
    if (!(error instanceof TransformerLawError)) throw error;
    console.log(`${error.message}\n`);
  }
}
// #endregion check
