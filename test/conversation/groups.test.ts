import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Block } from '../../src/conversation/block.ts';
import { atomicGroups } from '../../src/conversation/groups.ts';
import type { Message, Role } from '../../src/conversation/message.ts';
import { pairingFault } from '../../src/conversation/pairing.ts';
import { conversations } from '../../src/testing/properties/conversations.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

/** The groups of messages given by the first letters of their roles, as such letters again. */
const grouped = (roles: string): readonly string[] => {
  const names: Readonly<Record<string, Role>> = { u: 'user', a: 'assistant', t: 'tool' };
  const messages = Array.from(roles, (letter, index): Message => ({
    id: `m${index}`,
    role: names[letter] ?? 'user',
    content: [],
  }));
  return atomicGroups(messages).map(({ start, end }) => roles.slice(start, end));
};

describe('atomicGroups', () => {
  test.each<[string, string, readonly string[]]>([
    ['finds none in no messages', '', []],
    ['takes each user message alone', 'uu', ['u', 'u']],
    ['keeps calls and results together', 'uatu', ['u', 'at', 'u']],
    ['cuts between the iterations of a tool loop', 'uatata', ['u', 'at', 'at', 'a']],
    ['keeps an answer in several messages together', 'uaaatau', ['u', 'aaat', 'a', 'u']],
    ['leaves open calls at the end in their answer', 'ua', ['u', 'a']],
    ['begins a new group with a user message behind open calls', 'uau', ['u', 'a', 'u']],
    ['puts a stray tool message to what stands before it', 'tuttatt', ['t', 'utt', 'att']],
  ])('%s', (_, roles, groups) => {
    expect(grouped(roles)).toEqual(groups);
  });

  test('covers every message once and in order', () => {
    fc.assert(
      fc.property(conversations({ openTail: true }), ({ messages }) => {
        let position = 0;
        for (const { start, end } of atomicGroups(messages)) {
          expect(start).toBe(position);
          expect(end).toBeGreaterThan(start);
          position = end;
        }
        expect(position).toBe(messages.length);
      }),
      { numRuns: 300 * runs },
    );
  });

  test('leaves a valid transcript after any groups are dropped', () => {
    const chosen = fc.infiniteStream(fc.boolean());
    fc.assert(
      fc.property(conversations(), chosen, ({ messages }, isKept) => {
        const kept = atomicGroups(messages).flatMap(({ start, end }) =>
          isKept.next().value ? messages.slice(start, end) : [],
        );
        expect(pairingFault(kept)).toBeUndefined();
      }),
      { numRuns: 500 * runs },
    );
  });

  test('leaves an open tail valid as one after any groups are dropped', () => {
    const chosen = fc.infiniteStream(fc.boolean());
    fc.assert(
      fc.property(conversations({ openTail: true }), chosen, ({ messages }, isKept) => {
        const groups = atomicGroups(messages);
        const kept = groups.flatMap(({ start, end }, index) =>
          index === groups.length - 1 || isKept.next().value ? messages.slice(start, end) : [],
        );
        expect(pairingFault(kept, { openTail: true })).toBeUndefined();
      }),
      { numRuns: 500 * runs },
    );
  });

  test('never parts a result from the thinking in front of its call', () => {
    const thinking: Block = { type: 'thinking', text: '', signature: 's' };
    const messages: readonly Message[] = [
      { id: 'u', role: 'user', content: [] },
      { id: 'a', role: 'assistant', content: [thinking] },
      { id: 'b', role: 'assistant', content: [{ type: 'toolCall', id: '1', name: 'look', args: {} }] },
      { id: 't', role: 'tool', content: [{ type: 'toolResult', callId: '1', status: 'completed', content: [] }] },
    ];
    expect(atomicGroups(messages)).toEqual([
      { start: 0, end: 1 },
      { start: 1, end: 4 },
    ]);
  });
});
