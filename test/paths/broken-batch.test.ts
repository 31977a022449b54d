// A batch of calls that breaks while it begins, as a host's clock or a replaced guard can make it.

import { expect, test } from 'vitest';
import type { EngineEvent } from '../../src/contracts/events.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import { userMessage } from '../../src/conversation/message.ts';
import { createEngine } from '../../src/runtime/engine.ts';
import { scriptedModel, simulatedHost, verifyEvents, verifyTranscript } from '../../src/testing/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';

test('a batch that breaks keeps finished results and says honestly what ran and what did not', async () => {
  const host = simulatedHost();
  let isClockBroken = false;
  const signals: AbortSignal[] = [];
  const tool = (name: string, execute: (signal: AbortSignal) => unknown) =>
    defineTool({
      name,
      description: name,
      parameters: { type: 'object' },
      isConcurrencySafe: true,
      execute: (_args, { signal }) => execute(signal),
    });
  const engine = createEngine({
    model: scriptedModel([{ calls: ['quick', 'slow', 'last'].map((name) => ({ name })) }]),
    transformers: [],
    tools: [
      tool('quick', () => 'done'),
      tool('slow', (signal) => {
        signals.push(signal);
        isClockBroken = true;
        return new Promise(() => undefined);
      }),
      tool('last', () => 'never'),
    ],
    host: {
      ...host,
      now: () => {
        if (isClockBroken) throw new Error('no clock');
        return host.now();
      },
    },
  });
  const conversation = createConversation();
  conversation.messages.push(userMessage('go'));
  const events: EngineEvent[] = [];
  const run = engine.run(conversation);
  for await (const event of run) events.push(event);

  const { reason, error } = await run.result;
  expect({ reason, code: error?.code }).toEqual({ reason: 'failed', code: 'turn.broken' });
  const results = conversation.messages.at(-1)?.content.map((block) => ('status' in block ? block.status : block.type));
  expect(results).toEqual(['completed', 'interrupted', 'notStarted']);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  verifyEvents(events);
  verifyTranscript(conversation);
});
