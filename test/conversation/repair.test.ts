import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Block, ThinkingBlock, ToolResultBlock } from '../../src/conversation/block.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import type { Message, Role } from '../../src/conversation/message.ts';
import { pairingFault } from '../../src/conversation/pairing.ts';
import { interruptedResult, repair } from '../../src/conversation/repair.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

const call = (id: string, name = 'look'): Block => ({ type: 'toolCall', id, name, args: {} });
const result = (callId: string, text = callId): ToolResultBlock => ({
  type: 'toolResult',
  callId,
  status: 'completed',
  content: [{ type: 'text', text }],
});
const message = (id: string, role: Role, ...content: readonly Block[]): Message => ({ id, role, content });
const text = (value: string): Block => ({ type: 'text', text: value });

const repairMessages = (...messages: readonly Message[]) => {
  const { conversation, repaired } = repair(createConversation({ messages }));
  return { messages: conversation.messages, repaired };
};

describe('repair leaves alone', () => {
  test('a valid conversation, which comes back as the same object', () => {
    const conversation = createConversation({
      messages: [
        message('a', 'assistant', call('2'), call('1')),
        message('t', 'tool', result('1'), result('2')),
        message('e', 'assistant'),
        message('u', 'user'),
      ],
    });
    const outcome = repair(conversation);
    expect(outcome.conversation).toBe(conversation);
    expect(outcome.repaired).toEqual([]);
  });

  test('an assistant message at the end that carries data without text', () => {
    const carrying = message('a', 'assistant', { type: 'text', text: '', provider: 'p', data: { id: 'x' } });
    expect(repairMessages(carrying)).toEqual({ messages: [carrying], repaired: [] });
  });

  test('malformed messages, and it says what is wrong', () => {
    const conversation = createConversation({ messages: [null as never, message('a', 'assistant', call('1'))] });
    const fault = 'messages[0]: expected a message, got null';
    expect(repair(conversation)).toEqual({ conversation, repaired: [], fault });
    expect(repair(conversation).conversation).toBe(conversation);
  });

  test('messages that are not a list', () => {
    const conversation = { system: [], messages: null as never };
    expect(repair(conversation).conversation).toBe(conversation);
  });

  test('its argument', () => {
    const messages = [message('a', 'assistant', call('1')), message('u', 'user', result('1'), text('x'))];
    const conversation = createConversation({ system: 'be brief', messages });
    const before = structuredClone(conversation);
    const outcome = repair(conversation);
    expect(outcome.conversation).not.toBe(conversation);
    expect(conversation).toEqual(before);
    expect(outcome.conversation.system).toBe(conversation.system);
  });

  test('every message that needs no change, which stays the same object', () => {
    const sound = [
      message('u', 'user', text('hi')),
      message('a', 'assistant', call('1')),
      message('t', 'tool', result('1')),
      message('b', 'assistant', call('2')),
    ];
    const { messages } = repairMessages(...sound);
    expect(messages.slice(0, 4).every((each, index) => each === sound[index])).toBe(true);
  });
});

describe('repair pairs', () => {
  test('a dangling call at the end with an interrupted result', () => {
    const outcome = repairMessages(message('u', 'user', text('go')), message('a', 'assistant', call('1')));
    expect(outcome.messages.at(-1)).toEqual({ id: 'a_results', role: 'tool', content: [interruptedResult('1')] });
    expect(outcome.repaired).toEqual(['Added an interrupted result for call "1" of message "a".']);
  });

  test('a dangling call next to a finished one, whose result is kept (case 5)', () => {
    const finished = result('1');
    const { messages } = repairMessages(
      message('a', 'assistant', call('1'), call('2')),
      message('t', 'tool', finished),
      message('u', 'user', text('go on')),
    );
    expect(messages.map(({ id }) => id)).toEqual(['a', 't', 'u']);
    expect(messages[1]?.content).toEqual([finished, interruptedResult('2')]);
    expect(messages[1]?.content[0]).toBe(finished);
  });

  test('a call that a user message follows (case 7)', () => {
    const { messages } = repairMessages(message('a', 'assistant', call('1')), message('u', 'user', text('go on')));
    expect(messages.map(({ id }) => id)).toEqual(['a', 'a_results', 'u']);
  });

  test('a call with a result that stands after a summary (case 8)', () => {
    const late = message('t', 'tool', result('1'));
    const summary = message('s', 'user', { type: 'boundary', summary: 'so far', keepFrom: 'a' });
    const outcome = repairMessages(message('a', 'assistant', call('1')), summary, late);
    expect(outcome.messages.map(({ id }) => id)).toEqual(['a', 't', 's']);
    expect(outcome.messages[1]).toBe(late);
    expect(outcome.repaired).toEqual(['Moved the result for call "1" in message "t" right after its call.']);
  });

  test('a call with a result that stands in a user message', () => {
    const { messages } = repairMessages(
      message('a', 'assistant', call('1')),
      message('u', 'user', result('1'), text('and now?')),
    );
    expect(messages).toEqual([
      message('a', 'assistant', call('1')),
      message('a_results', 'tool', result('1')),
      message('u', 'user', text('and now?')),
    ]);
  });

  test('a call with a result that stands in its own message', () => {
    const { messages } = repairMessages(message('a', 'assistant', call('1'), result('1'), text('done')));
    expect(messages).toEqual([
      message('a', 'assistant', call('1'), text('done')),
      message('a_results', 'tool', result('1')),
    ]);
  });

  test('calls with results that are split over two tool messages', () => {
    const outcome = repairMessages(
      message('a', 'assistant', call('1'), call('2')),
      message('t', 'tool', result('2')),
      message('s', 'tool', result('1'), text('note')),
    );
    expect(outcome.messages).toEqual([
      message('a', 'assistant', call('1'), call('2')),
      message('t', 'tool', result('1'), result('2'), text('note')),
    ]);
    expect(outcome.repaired).toEqual(['Merged message "s" into "t".']);
  });

  test('calls that share an id in one message, in order', () => {
    const outcome = repairMessages(
      message('a', 'assistant', call('1', 'first'), call('1', 'second'), call('1', 'third')),
      message('t', 'tool', result('1', 'one'), result('1', 'two')),
    );
    expect(outcome.messages).toEqual([
      message('a', 'assistant', call('1', 'first'), call('1_2', 'second'), call('1_3', 'third')),
      message('t', 'tool', result('1', 'one'), { ...result('1', 'two'), callId: '1_2' }, interruptedResult('1_3')),
    ]);
  });

  test('a call with the result right after it rather than one in between', () => {
    const { messages } = repairMessages(
      message('a', 'assistant', call('1'), result('1', 'inside')),
      message('t', 'tool', result('1', 'behind')),
    );
    expect(messages[1]?.content).toEqual([result('1', 'behind')]);
  });

  test('no call with a result that an earlier open call could claim as well', () => {
    const { messages } = repairMessages(
      message('a', 'assistant', call('1')),
      message('u', 'user', text('again')),
      message('b', 'assistant', call('1')),
      message('v', 'user', text('well?')),
      message('t', 'tool', result('1')),
    );
    expect(messages.map(({ id }) => id)).toEqual(['a', 'a_results', 'u', 'b', 'b_results', 'v']);
    expect(messages.flatMap(({ content }) => content)).not.toContainEqual(result('1'));
  });

  test('no call with a result as long as any earlier call of that id is open', () => {
    const { messages } = repairMessages(
      message('a', 'assistant', call('1')),
      message('u', 'user', text('again')),
      message('b', 'assistant', call('1')),
      message('s', 'tool', result('1', 'of b')),
      message('c', 'assistant', call('1')),
      message('v', 'user', result('1', 'of a or c')),
    );
    expect(messages.flatMap(({ content }) => content)).toEqual([
      call('1'),
      interruptedResult('1'),
      text('again'),
      call('1'),
      result('1', 'of b'),
      call('1'),
      interruptedResult('1'),
    ]);
  });

  test('the calls of two messages with results that stand in one message after both', () => {
    const { messages } = repairMessages(
      message('a', 'assistant', call('1')),
      message('u', 'user', text('and')),
      message('b', 'assistant', call('2')),
      message('v', 'user', text('so?')),
      message('t', 'tool', result('1'), result('2'), text('note')),
    );
    expect(messages).toEqual([
      message('a', 'assistant', call('1')),
      message('t', 'tool', result('1'), text('note')),
      message('u', 'user', text('and')),
      message('b', 'assistant', call('2')),
      message('b_results', 'tool', result('2')),
      message('v', 'user', text('so?')),
    ]);
  });

  test('a call with a result out of a tool message that is merged elsewhere', () => {
    const { messages } = repairMessages(
      message('a', 'assistant', call('1')),
      message('u', 'user', text('and')),
      message('b', 'assistant', call('2'), call('3')),
      message('t', 'tool', result('2')),
      message('s', 'tool', result('3'), result('1'), text('note')),
    );
    expect(messages).toEqual([
      message('a', 'assistant', call('1')),
      message('a_results', 'tool', result('1')),
      message('u', 'user', text('and')),
      message('b', 'assistant', call('2'), call('3')),
      message('t', 'tool', result('2'), result('3'), text('note')),
    ]);
  });

  test('two calls with equal results under one message id', () => {
    const { messages } = repairMessages(
      message('a', 'assistant', call('1')),
      message('t', 'tool', result('1')),
      message('b', 'assistant', call('1')),
      message('t', 'tool', result('1')),
    );
    expect(messages.map(({ id }) => id)).toEqual(['a', 't', 'b', 't_2']);
    expect(messages[3]?.content).toEqual([result('1')]);
  });

  test('two calls of one id with a result object that stands there twice', () => {
    const shared = result('1');
    const { messages } = repairMessages(
      message('a', 'assistant', call('1'), call('1')),
      message('t', 'tool', shared, shared),
    );
    expect(pairingFault(messages)).toBeUndefined();
  });

  test('a call next to an orphan and a text object that is there twice', () => {
    const shared = text('note');
    const { messages } = repairMessages(
      message('a', 'assistant', call('1')),
      message('t', 'tool', result('1'), shared, result('2')),
      message('s', 'tool', shared),
    );
    expect(messages[1]?.content).toEqual([result('1'), shared, shared]);
  });

  test('no call with a result that stands before it', () => {
    const { messages } = repairMessages(message('t', 'tool', result('1')), message('a', 'assistant', call('1')));
    expect(messages).toEqual([
      message('a', 'assistant', call('1')),
      message('a_results', 'tool', interruptedResult('1')),
    ]);
  });
});

describe('repair drops', () => {
  test('a result without its call and keeps its neighbours', () => {
    const outcome = repairMessages(
      message('a', 'assistant', call('1')),
      message('t', 'tool', result('1'), result('2')),
    );
    expect(outcome.messages[1]).toEqual(message('t', 'tool', result('1')));
    expect(outcome.repaired).toEqual([
      'Dropped the result for call "2" in message "t": no message before it makes that call.',
    ]);
  });

  test('the second result of a call', () => {
    const { messages } = repairMessages(
      message('a', 'assistant', call('1')),
      message('t', 'tool', result('1', 'first'), result('1', 'second')),
    );
    expect(messages[1]).toEqual(message('t', 'tool', result('1', 'first')));
  });

  test('a result that stands elsewhere when the call has one', () => {
    const outcome = repairMessages(
      message('a', 'assistant', call('1')),
      message('t', 'tool', result('1')),
      message('u', 'user', result('1', 'late'), text('x')),
    );
    expect(outcome.messages[2]).toEqual(message('u', 'user', text('x')));
    expect(outcome.repaired).toEqual([
      'Dropped the result for call "1" in message "u": the call has a result already.',
    ]);
  });

  test('an empty second tool message', () => {
    const outcome = repairMessages(
      message('a', 'assistant', call('1')),
      message('t', 'tool', result('1')),
      message('s', 'tool'),
    );
    expect(outcome.messages.map(({ id }) => id)).toEqual(['a', 't']);
    expect(outcome.repaired).toEqual(['Dropped message "s": no result in it belongs there.']);
  });

  test('tool messages that answer nothing', () => {
    const { messages } = repairMessages(
      message('s', 'tool'),
      message('u', 'user', text('hi')),
      message('t', 'tool', result('1')),
    );
    expect(messages).toEqual([message('u', 'user', text('hi'))]);
  });

  test('calls outside assistant messages', () => {
    const { messages } = repairMessages(
      message('u', 'user', call('1'), text('hi')),
      message('t', 'tool', result('1'), call('2')),
    );
    expect(messages).toEqual([message('u', 'user', text('hi'))]);
  });

  test('assistant messages at the end that say nothing', () => {
    const outcome = repairMessages(
      message('u', 'user', text('hi')),
      message('a', 'assistant'),
      message('b', 'assistant', text('')),
    );
    expect(outcome.messages).toEqual([message('u', 'user', text('hi'))]);
    expect(outcome.repaired).toEqual([
      'Dropped message "b" at the end: it says nothing.',
      'Dropped message "a" at the end: it says nothing.',
    ]);
  });

  test('copies of a message under the same id', () => {
    const outcome = repairMessages(
      message('u', 'user', text('hi')),
      message('a', 'assistant', text('hello')),
      message('u', 'user', text('hi')),
    );
    expect(outcome.messages).toEqual([message('u', 'user', text('hi')), message('a', 'assistant', text('hello'))]);
    expect(outcome.repaired).toEqual(['Dropped a copy of message "u".']);
  });
});

describe('repair renames', () => {
  test('the later of two messages that share an id', () => {
    const outcome = repairMessages(
      message('m', 'user', text('one')),
      message('m', 'user', text('two')),
      message('m', 'user', text('three')),
    );
    expect(outcome.messages.map(({ id }) => id)).toEqual(['m', 'm_2', 'm_3']);
    expect(outcome.repaired[0]).toBe('Renamed a second message "m" to "m_2".');
  });

  test('another message rather than the one from the user', () => {
    const { messages } = repairMessages(message('m', 'assistant', text('one')), message('m', 'user', text('two')));
    expect(messages.map(({ id }) => id)).toEqual(['m_2', 'm']);
  });

  test('an invented message rather than one that was there', () => {
    const { messages } = repairMessages(
      message('a', 'assistant', call('1')),
      message('a_results', 'assistant', text('two')),
    );
    expect(messages.map(({ id }) => id)).toEqual(['a', 'a_results_2', 'a_results']);
  });
});

test('repair keeps an emptied user message for its id', () => {
  const { messages } = repairMessages(message('a', 'assistant', call('1')), message('u', 'user', result('1')));
  expect(messages.at(-1)).toEqual(message('u', 'user'));
});

test('repair reports more faults than a call can have arguments', () => {
  const orphans = Array.from({ length: 200_000 }, (_, index) => result(String(index)));
  expect(repairMessages({ ...message('s', 'tool'), content: orphans }).repaired).toHaveLength(200_001);
});

test('repair of many faults reads each message a bounded number of times', () => {
  const size = 4000;
  let reads = 0;
  const counted = (original: Message): Message =>
    new Proxy(original, {
      get(target, key, receiver) {
        reads++;
        return Reflect.get(target, key, receiver);
      },
    });
  const messages: Message[] = [];
  for (let index = 0; index < size; index++) {
    messages.push(counted(message('a', 'assistant', call('1'), call('1'), text(String(index)))));
    messages.push(counted(message('u', 'user', result('1'), text(String(index)))));
  }
  expect(pairingFault(repair(createConversation({ messages })).conversation.messages)).toBeUndefined();
  expect(reads).toBeLessThan(messages.length * 60);
});

const thought: ThinkingBlock = { type: 'thinking', text: 'hm', provider: 'p', signature: 'sig' };

/** Messages in any order with few ids, so that doubles, orphans and misplaced blocks are common. */
function brokenMessages(): fc.Arbitrary<Message[]> {
  const id = fc.constantFrom('1', '2', '3', '1_2');
  const block = fc.oneof(
    id.map((each) => call(each)),
    fc.tuple(id, fc.nat(3)).map(([each, value]) => result(each, String(value))),
    fc.constantFrom('', 'x').map(text),
    fc.nat(3).map((value): Block => ({ ...thought, text: String(value) })),
  );
  return fc.array(
    fc.record<Message>({
      id: fc.constantFrom('a', 'b', 'c', 'a_2', 'a_results'),
      role: fc.constantFrom('user', 'assistant', 'tool'),
      content: fc.array(block, { maxLength: 4 }),
    }),
    { maxLength: 10 },
  );
}

const law = (holds: (messages: readonly Message[]) => void) => {
  fc.assert(fc.property(brokenMessages(), holds), { numRuns: 2000 * runs });
};

describe('for messages in any order', () => {
  test('what repair returns is valid', () => {
    law((messages) => {
      expect(pairingFault(repairMessages(...messages).messages)).toBeUndefined();
    });
  });

  test('repair of what repair returned changes nothing', () => {
    law((messages) => {
      const { conversation } = repair(createConversation({ messages }));
      const again = repair(conversation);
      expect(again.conversation).toBe(conversation);
      expect(again.repaired).toEqual([]);
    });
  });

  test('repair says something exactly when it returns another object', () => {
    law((messages) => {
      const conversation = createConversation({ messages });
      const outcome = repair(conversation);
      expect(outcome.repaired.length > 0).toBe(outcome.conversation !== conversation);
    });
  });

  test('repair gives the same answer twice', () => {
    law((messages) => {
      expect(repairMessages(...messages)).toEqual(repairMessages(...messages));
    });
  });

  test('repair keeps the id of every user message', () => {
    law((messages) => {
      const ids = (list: readonly Message[]) => new Set(list.filter(({ role }) => role === 'user').map(({ id }) => id));
      const kept = ids(repairMessages(...messages).messages);
      for (const id of ids(messages)) expect(kept).toContain(id);
    });
  });

  test('repair keeps the texts and thinking of user and assistant messages, as the same objects in the same order', () => {
    law((messages) => {
      const spoken = (list: readonly Message[]) =>
        list
          .filter(({ role }) => role !== 'tool')
          .map(({ content }) => content.filter(({ type }) => type === 'text' || type === 'thinking'));
      const before = spoken(messages);
      let position = 0;
      for (const blocks of spoken(repairMessages(...messages).messages)) {
        const found = before.findIndex(
          (each, index) =>
            index >= position && each.length === blocks.length && each.every((block, at) => block === blocks[at]),
        );
        expect(found).toBeGreaterThanOrEqual(position);
        position = found + 1;
      }
    });
  });

  test('repair keeps every result that stands right after its only call', () => {
    law((messages) => {
      const answered = messages.flatMap((each, index) => {
        const ids =
          each.role === 'assistant'
            ? each.content.flatMap((block) => (block.type === 'toolCall' ? [block.id] : []))
            : [];
        const isOnly = messages.filter(({ id }) => id === each.id).length === 1;
        const behind = messages[index + 1];
        if (!isOnly || behind?.role !== 'tool') return [];
        return ids
          .filter((id) => ids.filter((other) => other === id).length === 1)
          .flatMap((id) => behind.content.find((block) => block.type === 'toolResult' && block.callId === id) ?? []);
      });
      const kept = new Set(repairMessages(...messages).messages.flatMap(({ content }) => content));
      for (const block of answered) expect(kept.has(block)).toBe(true);
    });
  });
});
