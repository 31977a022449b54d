// Whole sessions in a window that is far too small: whatever the user sends, the tools give and the summaries do, every
// request is valid, fits as far as it can, and the session goes on.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ModelError } from '../../src/contracts/errors.ts';
import type { ModelRequest } from '../../src/contracts/model.ts';
import type { Transformer } from '../../src/contracts/transformer.ts';
import type { Block } from '../../src/conversation/block.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import { userMessage, type Message } from '../../src/conversation/message.ts';
import { pairingFault } from '../../src/conversation/pairing.ts';
import { isSameJson } from '../../src/conversation/same-json.ts';
import { tokensOf } from '../../src/conversation/tally.ts';
import { ToolResult } from '../../src/index.ts';
import { verifyTranscript, type ScriptedStep } from '../../src/testing/index.ts';
import { defaultTransformers } from '../../src/transformers/index.ts';
import { startOperative, toolOf, type OperativeBench } from '../runtime/operative/operative-bench.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

const tooLong = new ModelError('model.contextOverflow', 'too long', { retryable: false });
const isSummaryRequest = ({ system, tools }: ModelRequest) =>
  tools.length === 0 && JSON.stringify(system).includes('Summarise');

const summaries: Readonly<Record<string, ScriptedStep>> = {
  good: { text: 'In short: they talked. ' },
  slow: { text: 'In short.', delayMs: 40 },
  stalls: { text: 'In sh', stallAfter: 1 },
  fails: { throw: new ModelError('model.rejected', 'no', { retryable: false }) },
  'fails once': { throw: new ModelError('model.overloaded', 'busy', { retryable: true }) },
  cut: { text: 'In sh', stopReason: 'maxTokens' },
  refused: { text: 'No.', stopReason: 'refusal' },
  empty: { text: '' },
  'far too long': { text: 'z'.repeat(40_000) },
};

const image: Block = { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'A'.repeat(3000) } };
const pdf: Block = { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } };

const texts = fc
  .tuple(
    fc.constantFrom('word ', '🦊', 'ü\n', '{"a":1}'),
    fc.integer({ min: 1, max: 60 }),
    fc.constantFrom(1, 1, 1, 10, 60),
  )
  .map(([piece, times, more]) => piece.repeat(times * more));
const sent = fc.oneof(
  { weight: 4, arbitrary: texts.map((text): Block[] => [{ type: 'text', text: `Please ${text}` }]) },
  { weight: 1, arbitrary: fc.constantFrom<Block[][]>([image], [image, { type: 'text', text: 'What is it?' }], [pdf]) },
);
const given = fc.oneof(
  { weight: 4, arbitrary: texts },
  { weight: 1, arbitrary: fc.constantFrom<Block[][]>([image], [pdf, image]) },
);
const turns = fc.array(
  fc.record({
    message: sent,
    steer: fc.option(sent, { freq: 3 }),
    results: fc.array(fc.array(given, { minLength: 1, maxLength: 4 }), { maxLength: 8 }),
    summary: fc.constantFrom(...Object.keys(summaries)),
    cancelAfterMs: fc.option(fc.integer({ min: 0, max: 60 }), { freq: 4 }),
    compacts: fc.boolean(),
    undoes: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.boolean()),
  }),
  { minLength: 3, maxLength: 14 },
);
/** Transformers that somebody put before, between and after those of the stack. */
const viewing = (name: string, view: (messages: readonly Message[]) => readonly Message[]): Transformer => ({
  name,
  beforeIteration: ({ messages }) => ({ messages: view(messages) }),
});
const others = {
  none: (stack: Transformer[]) => stack,
  copies: ([first, ...rest]: Transformer[]) => [
    ...(first ? [first] : []),
    viewing('copies', (messages) => structuredClone(messages)),
    ...rest,
  ],
  reminds: (stack: Transformer[]) => [
    viewing('reminds', (messages) => [...messages, userMessage('Be kind.', { id: 'reminder' })]),
    ...stack,
  ],
  greets: (stack: Transformer[]) => [
    ...stack,
    viewing('greets', (messages) => [userMessage('Hello.', { id: 'greeting' }), ...messages]),
  ],
};

const worlds = fc.record({
  turns,
  window: fc.constantFrom(1500, 4000),
  /** What the model says of its window, by what it is. */
  boast: fc.constantFrom(1, 1, 3),
  /** Tokens the provider counts for one that is estimated, where it tells them. */
  counts: fc.constantFrom(undefined, 0.6, 1, 1.8),
  reloads: fc.boolean(),
  other: fc.constantFrom<(keyof typeof others)[]>('none', 'copies', 'reminds', 'greets'),
});

test('a session continues in any window', async () => {
  await fc.assert(
    fc.asyncProperty(worlds, async ({ turns: all, window, boast, counts, reloads, other }) => {
      let turn = all[0];
      let results: (readonly (string | Block[])[])[] = [];
      let count = 0;
      const conversation = createConversation();
      const seen: (readonly Message[])[] = [];
      const inVain: number[] = [];
      const bench = startOperative({
        conversation,
        transformers: others[other](defaultTransformers({ contextTokens: window * boast })),
        idleTimeoutMs: 500,
        retry: { attempts: 1, baseDelayMs: 5 },
        tools: [toolOf('look', (args) => resultOf(results.flat()[(args as { n: number }).n]))],
        script: (request) => {
          if (isSummaryRequest(request)) return summaries[turn?.summary ?? 'good'] ?? {};
          seen.push(request.messages);
          const inputTokens = Math.ceil(tokensOf(request.messages) * (counts ?? 1));
          const last = request.messages.findLast(({ id }) => id !== 'reminder');
          const isTold = boast === 1 && (counts ?? 1) <= 1; // the transformers know what fits
          if (inputTokens > window && isTold && last) inVain.push(tokensOf(last) * (counts ?? 1));
          if (inputTokens > window) return { throw: tooLong };
          const usage = counts === undefined ? {} : { usage: { inputTokens, outputTokens: 1 } };
          const next = results.length > count ? results[count++] : undefined;
          const done = results.slice(0, count - 1).flat().length;
          const thinking = { text: `thought ${seen.length}`, signature: `sig${seen.length}` } as never;
          if (next === undefined) return { text: 'Done.', delayMs: 5, ...usage };
          return {
            thinking,
            calls: next.map((_, index) => ({ name: 'look', args: { n: done + index } })),
            delayMs: 5,
            ...usage,
          };
        },
        ...(reloads ? { own: { reloadBeforeStart: () => structuredClone(conversation) } } : {}),
      });
      for (turn of all) {
        results = turn.results;
        count = 0;
        await bench.submit(userMessage(turn.message));
        if (turn.steer) await bench.submit(userMessage(turn.steer));
        if (turn.cancelAfterMs !== null) {
          await bench.host.advance(turn.cancelAfterMs);
          await bench.operative.cancel();
        }
        await rest(bench);
        if (turn.compacts) {
          const compacted = bench.operative.compact();
          await bench.host.advance(60_000);
          await compacted;
        }
        if (turn.undoes) {
          const last = conversation.messages.findLastIndex(({ content }) => content[0]?.type === 'boundary');
          if (last >= 0) conversation.messages.splice(last, 1);
        }
      }
      results = [];
      const before = bench.results().length;
      for (const text of ['Still there?', 'And now?']) {
        await bench.submit(userMessage(text));
        await rest(bench);
      }
      // The first may find what was too long behind it; after that nothing is in the way.
      expect(bench.results().slice(before).at(-1)?.reason).toBe('completed');
      // What does not fit is sent only where what is to be answered does not fit by itself.
      expect(Math.min(...inVain, Infinity)).toBeGreaterThan(window / 2);
      for (const messages of seen) expect(pairingFault(messages)).toBeUndefined();
      // Who takes a boundary away, or puts something that moves into the view, changes what stands before thinking.
      if (other !== 'reminds' && !all.some(({ undoes }) => undoes)) expectBound(seen);
      expect(JSON.stringify(conversation).isWellFormed()).toBe(true);
      await bench.operative.close();
    }),
    { numRuns: 80 * runs, endOnFailure: true },
  );
}, 300_000);

// The host takes boundaries away, which no event tells.
async function rest({ host, operative, conversation }: OperativeBench): Promise<void> {
  await host.advance(60_000);
  expect(operative.state).toBe('idle');
  expect(host.pendingTimers()).toBe(0);
  verifyTranscript(conversation);
}

function resultOf(value: string | Block[] | undefined): unknown {
  return typeof value === 'string' || value === undefined ? value : ToolResult.blocks(value as never);
}

// Thinking of an answer that is over comes after exactly what it was thought after, or is gone.
function expectBound(seen: readonly (readonly Message[])[]): void {
  for (const messages of seen) {
    const over = messages.findLastIndex(
      ({ role }, index) => role === 'user' && messages[index - 1]?.role === 'assistant',
    );
    for (const [index, { content }] of messages.entries()) {
      const thought = content.find((block) => block.type === 'thinking');
      if (thought === undefined || index >= over) continue;
      const before = seen[Number(thought.signature?.slice(3)) - 1] ?? [];
      expect(isSameJson(messages.slice(0, index), before), `thinking ${thought.signature}`).toBe(true);
    }
  }
}
