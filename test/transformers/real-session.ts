// A real coding session of about 1,000 entries, its texts replaced by filler of the same size. Used by the tests of
// transformers.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Block } from '../../src/conversation/block.ts';
import type { Message } from '../../src/conversation/message.ts';

interface Entry {
  readonly role?: 'user' | 'assistant' | 'toolResult';
  readonly blocks?: readonly {
    readonly type: 'text' | 'thinking' | 'toolCall';
    readonly chars?: number;
    readonly callId?: string;
    readonly name?: string;
    readonly argChars?: number;
  }[];
  readonly callId?: string;
  readonly isError?: boolean;
}

const file = resolve(import.meta.dirname, '../recordings/session-shape/badlogic__pi-mono.large-session.jsonl');

/** The messages as they were stored: some calls have no result, and each result stands in a message of its own. */
export function realSession(): Message[] {
  const entries = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line): Entry => JSON.parse(line));
  return entries.flatMap((entry, index): Message[] => {
    const { role, blocks = [] } = entry;
    if (role === undefined) return [];
    const content = blocks.map((block): Block => {
      if (block.type === 'text') return { type: 'text', text: filler(block.chars) };
      if (block.type === 'thinking') return { type: 'thinking', text: filler(block.chars), signature: `s${index}` };
      return {
        type: 'toolCall',
        id: block.callId ?? '',
        name: block.name ?? '',
        args: { text: filler(block.argChars) },
      };
    });
    if (role !== 'toolResult') return [{ id: `e${index}`, role, content }];
    const texts = content.filter((block) => block.type === 'text');
    const status = entry.isError === true ? 'failed' : 'completed';
    return [
      {
        id: `e${index}`,
        role: 'tool',
        content: [{ type: 'toolResult', callId: entry.callId ?? '', status, content: texts }],
      },
    ];
  });
}

/** Messages that count how often something of them is read, and how many of them are read. */
export function countingReads(): {
  readonly wrap: (message: Message) => Message;
  readonly count: () => number;
  /** Ids of the messages read since it was asked last. */
  readonly messages: () => ReadonlySet<string>;
} {
  let reads = 0;
  let read = new Set<string>();
  const note = ({ id }: Message) => {
    reads++;
    read.add(id);
  };
  return {
    wrap: (message) =>
      new Proxy(message, {
        get: (target, key, receiver) => {
          note(target);
          return Reflect.get(target, key, receiver);
        },
        ownKeys: (target) => {
          note(target);
          return Reflect.ownKeys(target);
        },
      }),
    count: () => reads,
    messages: () => {
      const since = read;
      read = new Set();
      return since;
    },
  };
}

function filler(length = 0): string {
  return 'lorem ipsum '.repeat(Math.ceil(length / 12)).slice(0, length);
}
