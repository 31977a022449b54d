// What the page makes of the messages, without a browser.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { actorRows, labelOf } from '../../../inspector-page/record/actor-rows.ts';
import { MessageLog } from '../../../inspector-page/record/message-log.ts';
import { Sequence } from '../../../inspector-page/record/sequence.ts';
import { TranscriptReader, transcriptOf } from '../../../inspector-page/record/transcript.ts';
import { inspectorMessage, withTranscript } from '../../../src/inspect/index.ts';
import { inspectedChat } from '../inspected-chat.ts';

// The messages of a whole chat: two tools, a steer, an agent in a tool, a late message.
async function recordedChat(): Promise<object[]> {
  const messages: object[] = [];
  let now = 0;
  const inspect = withTranscript((event) => {
    const message = inspectorMessage(event, now++);
    if (message !== undefined) messages.push(JSON.parse(JSON.stringify(message)) as object);
  });
  const { operative, gates } = inspectedChat(inspect);
  const first = await operative.submit('Is the release ready?');
  await operative.submit('Only what changed since Monday, please.');
  for (const gate of [gates.changes, gates.tests, gates.answer]) gate.open();
  for await (const event of first.events) {
    if (event.type !== 'assistant.settled' || event.stopReason !== 'endTurn') continue;
    await operative.submit('And who wrote the notes?');
    gates.notes.open();
  }
  return messages;
}

const messages = await recordedChat();

function logOf(told: readonly object[] = messages): MessageLog {
  const log = new MessageLog();
  for (const message of told) log.add(message);
  return log;
}

describe('the transcript', () => {
  const log = logOf();
  const actor = transcriptOf(log.roots[0]);
  if (actor === undefined) throw new Error('The chat has no transcript.');

  test('read forward is at every place what it is when read again', () => {
    const reader = new TranscriptReader(actor);
    for (let place = -1; place <= log.last; place++) {
      expect(reader.at(place, place)).toEqual(new TranscriptReader(actor).at(place, place));
    }
  });

  test('is the same at a place wherever one comes from', () => {
    const reader = new TranscriptReader(actor);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1, max: log.last }), { maxLength: 12 }), (places) => {
        for (const place of places) {
          expect(reader.at(place, 0)).toEqual(new TranscriptReader(actor).at(place, 0));
        }
      }),
      { numRuns: 30 },
    );
  });

  test('ends with the marks of what was steered and what came late', () => {
    const { lines } = new TranscriptReader(actor).at(log.last, 0);
    const marks = lines.flatMap((line) => (line.type === 'message' ? line.marks : []));
    expect(marks).toEqual(['steered', 'late']);
  });

  test('of a call says what became of it', () => {
    const { lines } = new TranscriptReader(actor).at(log.last, 0);
    const calls = lines
      .flatMap((line) => (line.type === 'message' ? line.blocks : []))
      .filter(({ type }) => type === 'call');
    expect(calls).toMatchObject([
      { name: 'changes', status: 'completed', result: expect.stringContaining('3 commits') },
      { name: 'tests', status: 'completed', result: '212 passed' },
      { name: 'askReader', status: 'completed' },
    ]);
  });
});

// Some events of a conversation.
function told(...events: readonly object[]): MessageLog {
  const actors = [
    { type: '@xstate.actor', sessionId: 'o', name: 'operative' },
    { type: '@xstate.actor', sessionId: 't', name: 'transcript', parentId: 'o' },
  ];
  return logOf([...actors, ...events.map((event) => ({ type: '@xstate.event', sessionId: 't', event }))]);
}

describe('the lines of a transcript', () => {
  test.each(['turn.reloaded', 'transcript.replaced'])('have each a key of its own after %s', (type) => {
    const last = [{ id: 'a', role: 'user', content: [{ type: 'text', text: 'again' }] }];
    const event = { type, messages: 500, last: [...last, ...last] };
    const log = told(event, event);
    const { lines } = new TranscriptReader(log.actor('t') ?? expect.fail()).at(log.last, 0);
    expect(lines.length).toBeGreaterThan(3);
    expect(new Set(lines.map(({ key }) => key)).size).toBe(lines.length);
  });
});

describe('the tree', () => {
  test('of a moment has who lived or had lived then, and no one else', () => {
    const log = logOf();
    for (let place = 0; place <= log.last; place++) {
      const open = new Map(log.entries.map(({ actor }) => [actor.id, true]));
      const shown = actorRows(log, place, open, undefined).map(({ actor }) => actor.id);
      const born = new Set(log.entries.slice(0, place + 1).map(({ actor }) => actor.id));
      expect(new Set(shown)).toEqual(born);
    }
  });

  test('calls a tool call by its tool', () => {
    const log = logOf();
    const calls = log.entries.flatMap(({ kind, actor }) =>
      kind === 'actor' && actor.name === 'toolCall:0' ? [actor] : [],
    );
    expect(calls.map((actor) => labelOf(actor, log.last).name)).toEqual(['changes', 'askReader']);
  });

  test('takes a registration that comes twice once', () => {
    const log = logOf([...messages, ...messages.filter((message) => Reflect.get(message, 'type') === '@xstate.actor')]);
    expect(log.entries).toHaveLength(messages.length);
  });
});

describe('the sequence', () => {
  test('of thousands of actors with names of their own has no more lanes than can be seen', () => {
    const log = logOf([
      { type: '@xstate.actor', sessionId: 'root', name: 'pool' },
      ...Array.from({ length: 3_000 }, (_, n) => [
        { type: '@xstate.actor', sessionId: `c${n}`, name: `user-${n}`, parentId: 'root' },
        { type: '@xstate.event', sessionId: `c${n}`, event: { type: 'go' } },
      ]).flat(),
    ]);
    const sequence = new Sequence(log.roots[0] ?? expect.fail());
    sequence.follow(log);
    expect(sequence.rows).toHaveLength(3_000);
    expect(sequence.lanes.length).toBeLessThan(50);
  });

  test('grown message by message is the one of the whole log', () => {
    const log = new MessageLog();
    let grown: Sequence | undefined;
    for (const message of messages) {
      log.add(message);
      const [root] = log.roots;
      if (root === undefined) continue;
      grown ??= new Sequence(root);
      grown.follow(log);
    }
    const [root] = log.roots;
    if (root === undefined) throw new Error('no root');
    const whole = new Sequence(root);
    whole.follow(log);
    const shape = ({ rows, lanes }: Sequence) => ({
      lanes: lanes.map(({ key }) => key),
      rows: rows.map(({ entry, from, to }) => [entry.index, from.position, to.position]),
    });
    expect(grown && shape(grown)).toEqual(shape(whole));
  });
});
