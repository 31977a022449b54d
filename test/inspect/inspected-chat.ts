// A chat whose every moment can be waited for and looked at: two tools at once, a steer while they run, an agent inside a
// tool, and a message that comes too late. Used by the browser tests and by the script that makes the guide's pictures.

import type { Inspect } from '../../src/contracts/inspect.ts';
import { createEngine, createOperative, defineTool, type Operative, type Transformer } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';

/** What the chat waits for, one after the other. */
export interface ChatGates {
  readonly changes: Gate;
  readonly tests: Gate;
  readonly answer: Gate;
  readonly notes: Gate;
}

/** Closed until it is opened. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

/** A chat that has not begun. */
export function inspectedChat(inspect: Inspect): { readonly operative: Operative; readonly gates: ChatGates } {
  const gates = { changes: gate(), tests: gate(), answer: gate(), notes: gate() };
  const path = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
  const reader = createEngine({
    model: scriptedModel([{ text: 'The notes name every change but the new flag.', usage: tokens(410, 12) }]),
    transformers: [],
  });
  const keepNotes: Transformer = { name: 'keepNotes', afterTurn: () => gates.notes.opened };
  const engine = createEngine({
    model: scriptedModel([
      {
        thinking: 'Changes first, and the tests beside them.',
        text: 'I look at what has changed and run the tests meanwhile.',
        calls: [
          { name: 'changes', args: { path: 'CHANGELOG.md' } },
          { name: 'tests', args: { path: 'test/' } },
        ],
        usage: tokens(1_830, 64),
      },
      { calls: [{ name: 'askReader', args: { path: 'docs/notes.md' } }], usage: tokens(2_410, 31) },
      async () => {
        await gates.answer.opened;
        return {
          text: 'Ready but for one thing: since Monday the flag --inspect came, and the release notes do not name it. All 212 tests pass.',
          usage: tokens(2_690, 58),
        };
      },
    ]),
    tools: [
      defineTool({
        name: 'changes',
        description: 'Lists what has changed.',
        parameters: path,
        isConcurrencySafe: true,
        execute: async () => {
          await gates.changes.opened;
          return '3 commits since Monday: the flag --inspect, two fixes';
        },
      }),
      defineTool({
        name: 'tests',
        description: 'Runs the tests.',
        parameters: path,
        isConcurrencySafe: true,
        execute: async () => {
          await gates.tests.opened;
          return '212 passed';
        },
      }),
      defineTool({
        name: 'askReader',
        description: 'Has another agent read a file.',
        parameters: path,
        execute: async (_args, context) => {
          await using agent = createOperative({ engine: reader, inspectUnder: context });
          const { events } = await agent.submit('What do the notes leave out?');
          for await (const event of events) {
            if (event.type === 'assistant.settled') return event.message.content;
          }
          return 'no answer';
        },
      }),
    ],
    transformers: [keepNotes],
    inspect,
  });
  return { operative: createOperative({ engine }), gates };
}

function gate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: () => resolve() };
}

function tokens(inputTokens: number, outputTokens: number) {
  return { inputTokens, outputTokens, cacheReadTokens: Math.round(inputTokens * 0.7) };
}
