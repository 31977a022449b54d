// What the chat says of messages whose fate depends on the moment, with an operative that is held at that moment.

import { describe, expect, onTestFinished, test } from 'vitest';
import { startChat } from '../../../src/cli/chat/chat.ts';
import type { ConsoleListener } from '../../../src/cli/chat/console.ts';
import {
  createEngine,
  createOperative,
  defineTool,
  textOf,
  type EngineOptions,
  type Operative,
} from '../../../src/index.ts';
import { scriptedModel } from '../../../src/testing/index.ts';

function chatWith(options: EngineOptions) {
  let listener: ConsoleListener | undefined;
  let operative: Operative | undefined;
  let printed = '';
  const chat = startChat({
    open: (given) => {
      listener = given;
      const write = (text: string) => void (printed += text);
      return {
        print: write,
        insert: (lines) => write(`${lines}\n`),
        showStatus: () => {},
        ask: () => Promise.resolve(false),
        close: () => {},
      };
    },
    operative: () => (operative = createOperative({ engine: createEngine(options), lateMessages: 'start' })),
    session: undefined,
    color: false,
    greeting: '',
    resume: false,
  });
  onTestFinished(() => chat.leave());
  const turns = (count: number) =>
    new Promise<void>((resolve) => {
      operative?.subscribe((event) => {
        if (event.type === 'turn.completed' && --count === 0) resolve();
      });
    });
  return {
    type: (line: string) => listener?.onLine(line),
    escape: () => listener?.onEscape(),
    turns,
    leave: async () => {
      await new Promise((resolve) => setImmediate(resolve)); // the end of the turn has been shown
      chat.leave();
      await chat.left;
    },
    printed: () => printed.split('\n'),
    messages: () => operative?.conversation.messages.map((message) => `${message.role} ${textOf(message)}`),
  };
}

describe('the chat', () => {
  test('shows a message that comes while the turn is being closed as queued, and starts the next turn with it', async () => {
    const chat = chatWith({
      model: scriptedModel([{ text: 'First.' }, { text: 'Second.' }]),
      transformers: [
        {
          name: 'slow end',
          async afterTurn(conversation) {
            if (conversation.messages.length === 2) chat.type('late');
            await Promise.resolve();
          },
        },
      ],
    });
    const ended = chat.turns(2);
    chat.type('early');
    await ended;
    await chat.leave();
    expect(chat.printed()).toContain('› early');
    expect(chat.printed()).toContain('› late  ⏎ queued for the next turn');
    expect(chat.printed().filter((line) => line.startsWith('⏎'))).toEqual([]);
    expect(chat.messages()).toEqual(['user early', 'assistant First.', 'user late', 'assistant Second.']);
  });

  test('says so when a message that was to be injected is queued instead, because the turn was cancelled', async () => {
    const started = Promise.withResolvers<void>();
    const slow = defineTool({
      name: 'slow',
      description: 'Takes its time.',
      parameters: { type: 'object', properties: {} },
      execute: (_, { signal }) => {
        started.resolve();
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('stopped')));
        });
      },
    });
    const chat = chatWith({
      model: scriptedModel([{ calls: [{ name: 'slow', args: {} }] }]),
      tools: [slow],
      transformers: [],
    });
    const ended = chat.turns(1);
    chat.type('go');
    await started.promise;
    chat.type('also this');
    chat.escape();
    await ended;
    await chat.leave();
    const lines = chat.printed();
    expect(lines).toContain('› also this  ↪ injected');
    expect(lines).toContain('⏎ queued for the next turn: also this');
    expect(lines).toContain('Not everything was answered: /resume continues, and so does your next message.');
  });

  test('prints the reason of a turn that failed and offers to resume', async () => {
    const chat = chatWith({
      model: scriptedModel([{ throw: new Error('no luck') }]),
      transformers: [],
      retry: { attempts: 0 },
    });
    const ended = chat.turns(1);
    chat.type('go');
    await ended;
    await chat.leave();
    expect(chat.printed().join('\n')).toMatch(/! .*no luck\n✗ failed .*\nNot everything was answered/s);
  });
});
