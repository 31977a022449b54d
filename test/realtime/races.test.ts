// The races of a live session, by the numbers of the specification: what may cross on the wire, and what must come of it.

import { describe, expect, test } from 'vitest';
import type { RealtimeEvent } from '../../src/contracts/realtime.ts';
import { audioOf, dialSession, openSession, responseEnd, speech, type FakeSession } from './fake-wire.ts';

/** The answer to the last request begins. */
function begin({ wire }: FakeSession, responseId: string): void {
  const requestId = wire.sent('response.create').at(-1)?.eventId;
  wire.give({ type: 'response.created', responseId, ...(requestId === undefined ? {} : { requestId }) });
}

/** The model says so much of one item. */
async function speaks(fake: FakeSession, responseId: string, itemId: string, ms: number): Promise<void> {
  fake.wire.give({ type: 'response.created', responseId });
  fake.wire.give(speech(responseId, itemId, ms));
  await fake.settle();
}

const call = (callId: string, responseId = 'r1') =>
  ({ type: 'toolCall.requested', responseId, callId, itemId: `item_${callId}`, name: 'look', rawArgs: '{}' }) as const;

const types = (events: readonly RealtimeEvent[]) => events.map(({ type }) => type);

describe('R1: a request while an answer is active', () => {
  test('waits for the end of the answer, and is sent once', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'response.created', responseId: 'r1' });
    void fake.send({ type: 'response.request' });
    expect(fake.wire.sent('response.create')).toEqual([]);
    fake.wire.give(responseEnd('r1'));
    expect(fake.wire.sent('response.create')).toHaveLength(1);
  });

  test('automatic ones become one answer, explicit ones an answer each', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'response.created', responseId: 'r1' });
    for (const text of ['a', 'b', 'c']) void fake.send({ type: 'text.send', text });
    void fake.send({ type: 'response.request', instructions: 'first' });
    void fake.send({ type: 'response.request', instructions: 'second' });
    fake.wire.give(responseEnd('r1'));
    for (const responseId of ['r2', 'r3', 'r4', 'r5']) {
      if (fake.wire.sent('response.create').length === Number(responseId[1]) - 1) begin(fake, responseId);
      fake.wire.give(responseEnd(responseId));
    }
    expect(fake.wire.sent('response.create').map(({ request }) => request)).toEqual([
      {},
      { instructions: 'first' },
      { instructions: 'second' },
    ]);
  });

  test('an error restores the debt: it is sent again when the answer it names is over', async () => {
    const fake = await openSession();
    const asked = fake.send({ type: 'response.request' });
    const [create] = fake.wire.sent('response.create');
    fake.wire.give({
      type: 'error',
      kind: 'request',
      code: 'conversation_already_has_active_response',
      message: 'r9 is active',
      causedBy: create?.eventId ?? '',
      activeResponseId: 'r9',
    });
    await fake.settle();
    expect(fake.told('error')).toEqual([]);
    expect(fake.wire.sent('response.create')).toHaveLength(1);
    fake.wire.give(responseEnd('r9'));
    expect(fake.wire.sent('response.create')).toHaveLength(2);
    begin(fake, 'r10');
    await asked;
  });

  test('an answer outside the conversation neither waits nor is waited for', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'response.created', responseId: 'r1' });
    const asked = fake.send({ type: 'response.request', outOfBand: true, instructions: 'classify' });
    const [create] = fake.wire.sent('response.create');
    fake.wire.give({ type: 'response.created', responseId: 'o1', requestId: create?.eventId ?? '', outOfBand: true });
    await asked;
    void fake.send({ type: 'response.request' });
    fake.wire.give(responseEnd('r1'));
    expect(fake.wire.sent('response.create')).toHaveLength(2);
    fake.wire.give(responseEnd('o1', { outOfBand: true }));
    await fake.settle();
    expect(fake.told('response.completed').map(({ responseId, origin }) => [responseId, origin])).toEqual([
      ['r1', 'vad'],
      ['o1', 'outOfBand'],
    ]);
  });

  test('the server never answers: the request is given up after ten seconds, and its late answer is cancelled', async () => {
    const fake = await openSession();
    const asked = fake.send({ type: 'response.request' });
    const [create] = fake.wire.sent('response.create');
    await fake.host.advance(10_000);
    await expect(asked).rejects.toMatchObject({ code: 'model.rejected' });
    expect(fake.told('error')).toMatchObject([{ recoverable: true, code: 'response.timeout' }]);
    expect(fake.session.phase).toBe('ready');
    fake.wire.give({ type: 'response.created', responseId: 'late', requestId: create?.eventId ?? '' });
    expect(fake.wire.sent('response.cancel')).toMatchObject([{ responseId: 'late' }]);
  });
});

test('a request the server refused without naming it is given up with the server’s words', async () => {
  const fake = await openSession();
  fake.wire.give({ type: 'error', kind: 'session', code: 'server_error', message: 'of another matter' });
  const asked = fake.send({ type: 'response.request', voice: 'nobody' });
  fake.wire.give({ type: 'error', kind: 'request', code: 'invalid_value', message: 'no such voice' });
  await fake.host.advance(10_000);
  await expect(asked).rejects.toMatchObject({
    code: 'model.rejected',
    message: 'The server did not answer in time. The last error it reported: no such voice',
  });
  const again = fake.send({ type: 'response.request' });
  await fake.host.advance(10_000);
  await expect(again).rejects.toMatchObject({ message: 'The server did not answer in time.' });
});

describe('R2: where an interrupted answer is cut', () => {
  test('partly heard: truncated at what was played, rounded down', async () => {
    const fake = await openSession();
    await speaks(fake, 'r1', 'i1', 400);
    await fake.send({ type: 'playback.report', itemId: 'i1', playedMs: 123.9 });
    void fake.send({ type: 'response.interrupt' });
    expect(fake.wire.sent('item.truncate')).toMatchObject([{ itemId: 'i1', contentIndex: 0, audioEndMs: 123 }]);
    await fake.settle();
    expect(fake.told('response.interrupted')).toMatchObject([
      { itemId: 'i1', playedMs: 123, receivedMs: 400, estimated: false, cause: 'request' },
    ]);
  });

  test('nothing heard: the item is deleted, because a truncation at 0 is refused', async () => {
    const fake = await openSession();
    await speaks(fake, 'r1', 'i1', 400);
    void fake.send({ type: 'response.interrupt' });
    expect(fake.wire.sent('item.truncate')).toEqual([]);
    expect(fake.wire.sent('item.delete')).toMatchObject([{ itemId: 'i1' }]);
  });

  test('all heard: nothing', async () => {
    const fake = await openSession();
    await speaks(fake, 'r1', 'i1', 400);
    fake.wire.give({ type: 'audio.done', responseId: 'r1', itemId: 'i1', contentIndex: 0 }, responseEnd('r1'));
    await fake.send({ type: 'playback.report', itemId: 'i1', playedMs: 400 });
    await fake.send({ type: 'response.interrupt' });
    expect(fake.wire.sent('item.truncate')).toEqual([]);
    expect(fake.wire.sent('item.delete')).toEqual([]);
  });

  test('later items of the queue are deleted', async () => {
    const fake = await openSession();
    await speaks(fake, 'r1', 'i1', 400);
    fake.wire.give(speech('r1', 'i2', 300), speech('r1', 'i3', 300));
    await fake.host.advance(150);
    void fake.send({ type: 'response.interrupt' });
    expect(fake.wire.sent('item.truncate')).toMatchObject([{ itemId: 'i1', audioEndMs: 150 }]);
    expect(fake.wire.sent('item.delete').map(({ itemId }) => itemId)).toEqual(['i2', 'i3']);
  });

  test('case 30: the wall clock never says more than was received', async () => {
    const fake = await openSession();
    await speaks(fake, 'r1', 'i1', 400);
    await fake.host.advance(900);
    void fake.send({ type: 'response.interrupt' });
    expect(fake.wire.sent('item.truncate')).toMatchObject([{ itemId: 'i1', audioEndMs: 400 }]);
    await fake.settle();
    expect(fake.told('response.interrupted')).toMatchObject([{ playedMs: 400, estimated: true }]);
  });

  test('case 30: with a known position no more than was played', async () => {
    const fake = await openSession();
    await speaks(fake, 'r1', 'i1', 400);
    await fake.send({ type: 'playback.report', itemId: 'i1', playedMs: 100 });
    await fake.host.advance(900);
    void fake.send({ type: 'response.interrupt' });
    expect(fake.wire.sent('item.truncate')).toMatchObject([{ audioEndMs: 100 }]);
  });
});

describe('R3: generated, and still being played', () => {
  test('an interruption truncates anyway', async () => {
    const fake = await openSession();
    await speaks(fake, 'r1', 'i1', 5_000);
    fake.wire.give({ type: 'audio.done', responseId: 'r1', itemId: 'i1', contentIndex: 0 }, responseEnd('r1'));
    expect(fake.session.phase).toBe('responding');
    await fake.host.advance(1_200);
    fake.wire.give({ type: 'speech.started', itemId: 'u1' });
    expect(fake.wire.sent('item.truncate')).toMatchObject([{ itemId: 'i1', audioEndMs: 1_200 }]);
    expect(fake.wire.sent('response.cancel')).toEqual([]);
  });

  test('what was played to its end is over', async () => {
    const fake = await openSession();
    await speaks(fake, 'r1', 'i1', 5_000);
    fake.wire.give(responseEnd('r1'));
    await fake.host.advance(5_000);
    expect(fake.session.phase).toBe('ready');
    fake.wire.give({ type: 'speech.started', itemId: 'u1' });
    expect(fake.wire.sent('item.truncate')).toEqual([]);
  });
});

test('R4: speech while nothing is played truncates and cancels nothing', async () => {
  const fake = await openSession();
  fake.wire.give({ type: 'speech.started', itemId: 'u1' });
  await fake.settle();
  expect(fake.session.phase).toBe('userSpeaking');
  expect(types(fake.events)).toEqual(['session.ready', 'speech.started']);
  expect(fake.wire.commands.map(({ type }) => type)).toEqual(['session.configure']);
});

describe('R5: a tool is done while the user speaks', () => {
  async function toolDoneWhileSpeaking(): Promise<FakeSession> {
    const fake = await openSession();
    fake.wire.give({ type: 'response.created', responseId: 'r1' }, call('c1'), responseEnd('r1'));
    expect(fake.session.phase).toBe('toolRunning');
    fake.wire.give({ type: 'speech.started', itemId: 'u1' });
    void fake.send({ type: 'toolResult.send', callId: 'c1', result: 'sunny' });
    expect(fake.wire.sent('item.create')).toMatchObject([{ item: { kind: 'result', callId: 'c1', output: 'sunny' } }]);
    expect(fake.wire.sent('response.create')).toEqual([]);
    fake.wire.give({ type: 'speech.stopped', itemId: 'u1' });
    return fake;
  }

  test('the result is sent at once, and the server’s own answer pays the debt', async () => {
    const fake = await toolDoneWhileSpeaking();
    await fake.host.advance(500);
    fake.wire.give({ type: 'response.created', responseId: 'r2' }, responseEnd('r2'));
    await fake.host.advance(20_000);
    expect(fake.wire.sent('response.create')).toEqual([]);
  });

  test('without an answer of the server’s the reply is asked for after the grace time', async () => {
    const fake = await toolDoneWhileSpeaking();
    await fake.host.advance(999);
    expect(fake.wire.sent('response.create')).toEqual([]);
    await fake.host.advance(1);
    expect(fake.wire.sent('response.create')).toHaveLength(1);
  });

  test('a reply the user’s voice came before is owed still, unless the server answers', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'response.created', responseId: 'r1' }, call('c1'), responseEnd('r1'));
    void fake.send({ type: 'toolResult.send', callId: 'c1', result: 'sunny' });
    begin(fake, 'r2');
    fake.wire.give({ type: 'speech.started', itemId: 'u1' }, responseEnd('r2', { status: 'cancelled' }));
    fake.wire.give({ type: 'speech.stopped', itemId: 'u1' });
    await fake.host.advance(1_000);
    expect(fake.wire.sent('response.create')).toHaveLength(2);
    begin(fake, 'r3');
    fake.wire.give(speech('r3', 'i3', 100), { type: 'speech.started', itemId: 'u2' });
    fake.wire.give(responseEnd('r3', { status: 'cancelled' }), { type: 'speech.stopped', itemId: 'u2' });
    await fake.host.advance(5_000);
    expect(fake.wire.sent('response.create')).toHaveLength(2); // something of it was heard
  });

  test('an answer the server began before it had the result does not pay', async () => {
    const fake = await openSession({ acknowledges: false });
    fake.wire.give({ type: 'response.created', responseId: 'r1' }, call('c1'), responseEnd('r1'));
    fake.wire.give({ type: 'speech.started', itemId: 'u1' });
    void fake.send({ type: 'toolResult.send', callId: 'c1', result: 'sunny' });
    fake.wire.give({ type: 'speech.stopped', itemId: 'u1' });
    fake.wire.give({ type: 'response.created', responseId: 'r2' });
    fake.wire.give({ type: 'item.added', itemId: fake.wire.sent('item.create')[0]?.itemId ?? '' });
    fake.wire.give(responseEnd('r2'));
    expect(fake.wire.sent('response.create')).toHaveLength(1);
  });
});

test('R5: a tool is done while the user speaks in a manual turn: its reply is owed, and another answer pays it', async () => {
  const fake = await openSession({ settings: { createsResponse: false, interruptsResponse: false } });
  fake.wire.give({ type: 'response.created', responseId: 'r1' }, call('c1'), call('c2'), responseEnd('r1'));
  void fake.send({ type: 'toolResult.send', callId: 'c1', result: 'sunny' });
  await fake.send({ type: 'activity.start' });
  void fake.send({ type: 'toolResult.send', callId: 'c2', result: 'warm' });
  await fake.host.advance(5_000);
  expect(fake.wire.sent('response.create')).toEqual([]);
  void fake.send({ type: 'activity.end' });
  begin(fake, 'r2');
  fake.wire.give(responseEnd('r2'));
  await fake.host.advance(5_000);
  expect(fake.wire.sent('response.create')).toHaveLength(1);
});

test('R5: a tool that outlasts a manual turn is spoken of', async () => {
  const fake = await openSession({ settings: { createsResponse: false, interruptsResponse: false } });
  fake.wire.give({ type: 'response.created', responseId: 'r1' }, call('c1'), responseEnd('r1'));
  await fake.send({ type: 'activity.start' });
  void fake.send({ type: 'activity.end' });
  begin(fake, 'r2');
  fake.wire.give(responseEnd('r2'));
  void fake.send({ type: 'toolResult.send', callId: 'c1', result: 'sunny' });
  expect(fake.wire.sent('response.create')).toHaveLength(2);
});

describe('R6: several tools in one answer', () => {
  test('one reply, once every result is in and the answer is over', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'response.created', responseId: 'r1' }, call('c1'), call('c2'), call('c3'));
    void fake.send({ type: 'toolResult.send', callId: 'c2', result: 'two' });
    void fake.send({ type: 'toolResult.send', callId: 'c1', result: 'one' });
    void fake.send({ type: 'toolResult.send', callId: 'c3', result: 'three' });
    expect(fake.wire.sent('item.create')).toHaveLength(3);
    expect(fake.wire.sent('response.create')).toEqual([]);
    fake.wire.give(responseEnd('r1'));
    expect(fake.wire.sent('response.create')).toHaveLength(1);
    begin(fake, 'r2');
    fake.wire.give(responseEnd('r2'));
    expect(fake.wire.sent('response.create')).toHaveLength(1);
    await fake.settle();
    expect(fake.told('response.started').at(-1)).toMatchObject({ responseId: 'r2', origin: 'tool' });
  });

  test('a call that comes when the others have their results is waited for', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'response.created', responseId: 'r1' }, call('c1'));
    void fake.send({ type: 'toolResult.send', callId: 'c1', result: 'one' });
    fake.wire.give(call('c2'), responseEnd('r1'));
    expect(fake.wire.sent('response.create')).toEqual([]);
    void fake.send({ type: 'toolResult.send', callId: 'c2', result: 'two' });
    expect(fake.wire.sent('response.create')).toHaveLength(1);
  });

  test('the last result decides the moment', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'response.created', responseId: 'r1' }, call('c1'), call('c2'), responseEnd('r1'));
    void fake.send({ type: 'toolResult.send', callId: 'c2', result: 'two' });
    expect(fake.wire.sent('response.create')).toEqual([]);
    void fake.send({ type: 'toolResult.send', callId: 'c1', result: 'one' });
    expect(fake.wire.sent('response.create')).toHaveLength(1);
  });
});

describe('R7: a result after its answer was cancelled', () => {
  test('is given to the model, which says nothing about it', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'response.created', responseId: 'r1' }, call('c1'));
    const quiet = fake.send({ type: 'response.interrupt' });
    fake.wire.give(responseEnd('r1', { status: 'cancelled' }));
    await quiet;
    await fake.send({ type: 'toolResult.send', callId: 'c1', result: 'late' });
    expect(fake.wire.sent('item.create')).toMatchObject([{ item: { output: 'late' } }]);
    await fake.host.advance(20_000);
    expect(fake.wire.sent('response.create')).toEqual([]);
    expect(fake.told('toolCall.resultSent')).toEqual([
      { type: 'toolCall.resultSent', callId: 'c1', delivered: 'sent' },
    ]);
  });

  test('is given to the model, which says nothing about it, also where the user’s voice cancelled it', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'response.created', responseId: 'r1' }, call('c1'), { type: 'speech.started' });
    fake.wire.give(responseEnd('r1', { status: 'cancelled' }), { type: 'speech.stopped' });
    await fake.send({ type: 'toolResult.send', callId: 'c1', result: 'late' });
    await fake.host.advance(20_000);
    expect(fake.wire.sent('item.create')).toHaveLength(1);
    expect(fake.wire.sent('response.create')).toEqual([]);
  });

  test('nothing is sent for a call the server took back', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'response.created', responseId: 'r1' }, call('c1'), responseEnd('r1'));
    fake.wire.give({ type: 'toolCall.cancelled', callIds: ['c1', 'unknown'] });
    await expect(fake.send({ type: 'toolResult.send', callId: 'c1', result: 'late' })).rejects.toMatchObject({
      code: 'message.invalid',
    });
    await fake.settle();
    expect(fake.wire.sent('item.create')).toEqual([]);
    expect(fake.told('toolCall.resultSent')).toMatchObject([{ callId: 'c1', delivered: 'dropped' }]);
    expect(fake.session.phase).toBe('ready');
  });
});

describe('R8: interrupted before the answer began', () => {
  test('it is cancelled by its id when it begins, and nothing of it is reported', async () => {
    const fake = await openSession();
    void fake.send({ type: 'response.request' });
    const quiet = fake.send({ type: 'response.interrupt' });
    expect(fake.wire.sent('response.cancel')).toEqual([]);
    expect(fake.session.phase).toBe('interrupting');
    begin(fake, 'r1');
    expect(fake.wire.sent('response.cancel')).toMatchObject([{ responseId: 'r1' }]);
    fake.wire.give(speech('r1', 'i1', 100));
    fake.wire.give({
      type: 'transcript.delta',
      role: 'assistant',
      responseId: 'r1',
      itemId: 'i1',
      contentIndex: 0,
      text: 'no',
    });
    fake.wire.give(responseEnd('r1', { status: 'cancelled' }));
    await quiet;
    await fake.settle();
    expect(types(fake.events)).toEqual(['session.ready']);
    expect(fake.session.phase).toBe('ready');
  });

  test('the user speaks: the reply is asked for again when the user has spoken', async () => {
    const fake = await openSession();
    const asked = fake.send({ type: 'response.request' });
    fake.wire.give({ type: 'speech.started', itemId: 'u1' });
    begin(fake, 'r1');
    fake.wire.give(responseEnd('r1', { status: 'cancelled' }));
    fake.wire.give({ type: 'speech.stopped', itemId: 'u1' });
    await fake.host.advance(1_000);
    expect(fake.wire.sent('response.create')).toHaveLength(2);
    begin(fake, 'r2');
    await asked;
  });
});

describe('a server that goes silent', () => {
  test('a cancel it never confirms is given up, and what is owed is asked for', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'response.created', responseId: 'r1' });
    const quiet = fake.send({ type: 'response.interrupt' });
    void fake.send({ type: 'text.send', text: 'and now?' });
    await fake.host.advance(10_000);
    await quiet;
    expect(fake.told('response.completed')).toMatchObject([{ responseId: 'r1', status: 'cancelled' }]);
    expect(fake.wire.sent('response.create')).toHaveLength(1);
  });

  test('a truncation it never confirms is given up', async () => {
    const fake = await openSession({ acknowledges: false });
    await speaks(fake, 'r1', 'i1', 400);
    await fake.host.advance(100);
    const quiet = fake.send({ type: 'response.interrupt' });
    fake.wire.give(responseEnd('r1', { status: 'cancelled' }));
    expect(fake.session.phase).toBe('interrupting');
    await fake.host.advance(10_000);
    await quiet;
    expect(fake.session.phase).toBe('ready');
  });

  test('a reply the user’s voice came before is owed still when its cancel is never confirmed', async () => {
    const fake = await openSession({ settings: { createsResponse: false, interruptsResponse: true } });
    void fake.send({ type: 'text.send', text: 'hello' });
    begin(fake, 'r1');
    fake.wire.give({ type: 'speech.started', itemId: 'u1' }, { type: 'speech.stopped', itemId: 'u1' });
    await fake.host.advance(10_000);
    expect(fake.wire.sent('response.create')).toHaveLength(2);
  });

  test('an answer outside the conversation that never begins is given up', async () => {
    const fake = await openSession();
    const asked = fake.send({ type: 'response.request', outOfBand: true });
    await fake.host.advance(10_000);
    await expect(asked).rejects.toMatchObject({ code: 'model.rejected', providerCode: 'response.timeout' });
    expect(fake.host.pendingTimers()).toBe(0);
  });
});

describe('R9: who cancels', () => {
  test('the server, where its echo says so: no cancel is sent', async () => {
    const fake = await openSession({ settings: { interruptsResponse: true } });
    await speaks(fake, 'r1', 'i1', 400);
    fake.wire.give({ type: 'speech.started', itemId: 'u1' });
    expect(fake.wire.sent('response.cancel')).toEqual([]);
    await fake.settle();
    expect(fake.told('response.interrupted')).toMatchObject([{ cause: 'speech' }]);
  });

  test('nobody, where its echo says that it does not: the answer continues', async () => {
    const fake = await openSession({ settings: { interruptsResponse: false } });
    await speaks(fake, 'r1', 'i1', 400);
    fake.wire.give({ type: 'speech.started', itemId: 'u1' });
    fake.wire.give(speech('r1', 'i1', 400));
    await fake.settle();
    expect(fake.told('audio.delta')).toHaveLength(2);
    expect(fake.told('response.interrupted')).toEqual([]);
    expect(fake.wire.sent('item.truncate')).toEqual([]);
  });

  test('a cancel that finds nothing active is not an error', async () => {
    const fake = await openSession();
    await speaks(fake, 'r1', 'i1', 400);
    const quiet = fake.send({ type: 'response.interrupt' });
    const [cancel] = fake.wire.sent('response.cancel');
    fake.wire.give({
      type: 'error',
      kind: 'benign',
      code: 'response_cancel_not_active',
      message: 'nothing to cancel',
      causedBy: cancel?.eventId ?? '',
    });
    fake.wire.give(responseEnd('r1'));
    await quiet;
    await fake.settle();
    expect(fake.told('error')).toEqual([]);
  });
});

describe('R10: late deltas', () => {
  test('of a cancelled answer never come through', async () => {
    const fake = await openSession();
    await speaks(fake, 'r1', 'i1', 400);
    await fake.host.advance(100);
    void fake.send({ type: 'response.interrupt' });
    fake.wire.give(speech('r1', 'i1', 400), {
      type: 'text.delta',
      responseId: 'r1',
      itemId: 'i1',
      contentIndex: 1,
      text: 'late',
    });
    fake.wire.give(call('c1'));
    fake.wire.give(responseEnd('r1', { status: 'cancelled' }), speech('r1', 'i1', 400));
    await fake.settle();
    expect(types(fake.events)).toEqual([
      'session.ready',
      'response.started',
      'audio.delta',
      'response.interrupted',
      'response.completed',
    ]);
  });

  test('of an item that was never heard delete it: the model must not believe that it was', async () => {
    const fake = await openSession();
    await speaks(fake, 'r1', 'i1', 400);
    await fake.host.advance(100);
    void fake.send({ type: 'response.interrupt' });
    fake.wire.give(speech('r1', 'i2', 400), speech('r1', 'i2', 400));
    expect(fake.wire.sent('item.delete').map(({ itemId }) => itemId)).toEqual(['i2']);
  });
});

describe('R10: an answer outside the conversation that is heard', () => {
  async function heardBeside(): Promise<FakeSession> {
    const fake = await openSession();
    fake.wire.give({ type: 'response.created', responseId: 'o1', outOfBand: true });
    fake.wire.give(speech('o1', 'i1', 400), speech('o1', 'i2', 400));
    await fake.host.advance(100);
    return fake;
  }

  test('is stopped by an interruption: cancelled by its id, and nothing more of it comes', async () => {
    const fake = await heardBeside();
    const quiet = fake.send({ type: 'response.interrupt' });
    let isQuiet = false;
    void quiet.then(() => (isQuiet = true));
    expect(fake.wire.sent('response.cancel')).toMatchObject([{ responseId: 'o1' }]);
    fake.wire.give(speech('o1', 'i1', 400), speech('o1', 'i3', 400));
    await fake.settle();
    expect(isQuiet).toBe(false);
    fake.wire.give(responseEnd('o1', { outOfBand: true, status: 'cancelled' }));
    await quiet;
    await fake.settle();
    expect(types(fake.events)).toEqual([
      'session.ready',
      'response.started',
      'audio.delta',
      'audio.delta',
      'response.interrupted',
      'response.completed',
    ]);
  });

  test.each(['live', 'over'])('is cut nowhere, because it is in no conversation (%s)', async (state) => {
    const fake = await heardBeside();
    if (state === 'over') fake.wire.give(responseEnd('o1', { outOfBand: true }));
    fake.wire.give({ type: 'speech.started', itemId: 'u1' });
    expect(fake.wire.sent('response.cancel')).toHaveLength(state === 'live' ? 1 : 0);
    expect(fake.wire.sent('item.truncate')).toEqual([]);
    expect(fake.wire.sent('item.delete')).toEqual([]);
    fake.wire.give(speech('o1', 'i3', 400));
    expect(fake.wire.sent('item.delete')).toEqual([]);
  });
});

test('R11: transcripts are reported with what they belong to, whenever they come', async () => {
  const fake = await openSession();
  fake.wire.give(
    { type: 'input.committed', itemId: 'u1' },
    { type: 'response.created', responseId: 'r1' },
    { type: 'input.committed', itemId: 'u2', previousItemId: 'u1' },
    { type: 'transcript.delta', role: 'user', itemId: 'u2', contentIndex: 0, text: 'sec' },
    { type: 'transcript.done', role: 'user', itemId: 'u1', contentIndex: 0, transcript: 'first' },
    { type: 'transcript.done', role: 'user', itemId: 'u2', contentIndex: 0, transcript: 'second' },
  );
  await fake.settle();
  const told = fake
    .told('transcript.delta')
    .map(({ itemId, previousItemId, text, final, transcript }) => [itemId, previousItemId, text, final, transcript]);
  expect(told).toEqual([
    ['u2', 'u1', 'sec', false, undefined],
    ['u1', undefined, 'first', true, 'first'],
    ['u2', 'u1', 'ond', true, 'second'],
  ]);
});

test('R11: a transcript that was corrected at its end says the whole', async () => {
  const fake = await openSession();
  fake.wire.give(
    { type: 'transcript.delta', role: 'user', itemId: 'u1', contentIndex: 0, text: 'to be' },
    { type: 'transcript.done', role: 'user', itemId: 'u1', contentIndex: 0, transcript: 'Two bees' },
  );
  await fake.settle();
  expect(fake.told('transcript.delta').at(-1)).toMatchObject({ text: '', final: true, transcript: 'Two bees' });
});

describe('R16: the microphone while the session connects', () => {
  test('waits, and is sent first; a commit stays after it', async () => {
    const fake = dialSession();
    for (const ms of [10, 20, 30]) await fake.send({ type: 'audio.append', audio: audioOf(ms) });
    const committed = fake.send({ type: 'audio.commit' });
    expect(fake.wire.commands).toEqual([]);
    fake.wire.give({ type: 'wire.opened' }, { type: 'session.created', sessionId: 's', settings: {} });
    await fake.settle();
    expect(fake.wire.commands.map(({ type }) => type)).toEqual([
      'session.configure',
      'audio.append',
      'audio.append',
      'audio.append',
      'audio.commit',
    ]);
    expect(fake.wire.sent('audio.append').map(({ audio }) => audio.byteLength / 48)).toEqual([10, 20, 30]);
    fake.wire.give({ type: 'input.committed', itemId: 'u1' });
    await committed;
    expect(fake.session.phase).toBe('listening');
  });

  test('keeps the last ten seconds and says what it gave up', async () => {
    const fake = dialSession();
    for (let second = 0; second < 15; second++) await fake.send({ type: 'audio.append', audio: audioOf(1_000) });
    await fake.host.advance(2_000);
    fake.wire.give({ type: 'wire.opened' }, { type: 'session.created', sessionId: 's', settings: {} });
    await fake.settle();
    expect(fake.wire.sent('audio.append')).toHaveLength(10);
    const dropped = fake.told('congestion').reduce((sum, { droppedMs }) => sum + droppedMs, 0);
    expect(dropped).toBe(5_000);
  });

  test('who waits for room loses nothing, however much it is', async () => {
    const fake = dialSession();
    const sent = (async () => {
      for (let second = 0; second < 30; second++) {
        await fake.send({ type: 'audio.append', audio: audioOf(1_000), whenFull: 'wait' });
      }
    })();
    await fake.settle();
    fake.wire.give({ type: 'wire.opened' }, { type: 'session.created', sessionId: 's', settings: {} });
    await sent;
    expect(fake.wire.sent('audio.append')).toHaveLength(30);
    expect(fake.told('congestion')).toEqual([]);
  });

  test('can be given as a source', async () => {
    const fake = dialSession(
      {},
      {
        microphone: (async function* () {
          yield audioOf(10);
          yield audioOf(20);
        })(),
      },
    );
    await fake.settle();
    fake.wire.give({ type: 'wire.opened' }, { type: 'session.created', sessionId: 's', settings: {} });
    expect(fake.wire.sent('audio.append')).toHaveLength(2);
  });
});

describe('R16: a microphone', () => {
  test.each(['session', 'link'])('that has nothing to give is let go when the %s ends', async (what) => {
    let isLetGo = false;
    const microphone = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise<never>(() => undefined),
        return: async () => {
          isLetGo = true;
          return { done: true as const, value: undefined };
        },
      }),
    };
    const fake = await openSession({}, { microphone });
    if (what === 'session') await fake.session.close();
    else fake.wire.drop({ code: 1006 });
    await fake.settle();
    expect(isLetGo).toBe(true);
  });
});

test('R22: a recording that waits for room when the session ends is refused', async () => {
  const fake = await openSession({ writes: 'later' }, { backpressure: { highWaterBytes: 100, microphoneMs: 1_000 } });
  const sent = [1, 2, 3, 4, 5].map(() => fake.send({ type: 'audio.append', audio: audioOf(200), whenFull: 'wait' }));
  await fake.session.close();
  await expect(sent.at(-1)).rejects.toMatchObject({ code: 'operative.closed' });
});

describe('R17: a socket that takes no more', () => {
  test('microphone audio waits, the oldest is dropped, commands pass', async () => {
    const fake = await openSession(
      { writes: 'later' },
      { backpressure: { highWaterBytes: 4_800, microphoneMs: 1_000 } },
    );
    for (let index = 0; index < 30; index++) await fake.send({ type: 'audio.append', audio: audioOf(100) });
    expect(fake.wire.sent('audio.append')).toHaveLength(1);
    await fake.send({ type: 'text.send', text: 'still here', respond: 'never' });
    expect(fake.wire.sent('item.create')).toHaveLength(1);
    await fake.host.advance(1_000);
    const reports = fake.told('congestion');
    expect(reports.map(({ direction }) => direction)).toContain('input');
    expect(reports.reduce((sum, { droppedMs }) => sum + droppedMs, 0)).toBe(1_900);
  });

  test('a commit stays after the audio that waits', async () => {
    const fake = await openSession({ writes: 'later' }, { backpressure: { highWaterBytes: 4_800 } });
    for (const ms of [100, 200]) await fake.send({ type: 'audio.append', audio: audioOf(ms) });
    void fake.send({ type: 'audio.commit' });
    expect(fake.wire.sent('audio.commit')).toEqual([]);
    fake.wire.writeAll();
    expect(fake.wire.commands.slice(-2).map(({ type }) => type)).toEqual(['audio.append', 'audio.commit']);
  });

  test('is reported when it takes again, and order is kept', async () => {
    const fake = await openSession({ writes: 'later' }, { backpressure: { highWaterBytes: 4_800 } });
    for (let index = 1; index <= 5; index++) await fake.send({ type: 'audio.append', audio: audioOf(100 + index) });
    for (let round = 0; round < 6; round++) fake.wire.writeAll();
    await fake.settle();
    expect(fake.wire.sent('audio.append').map(({ audio }) => audio.byteLength / 48)).toEqual([101, 102, 103, 104, 105]);
    expect(fake.told('congestion').at(-1)).toMatchObject({ queuedMs: 0, droppedMs: 0 });
  });

  test('a link that cannot report is asked from time to time', async () => {
    const fake = await openSession({ writes: 'untold' }, { backpressure: { highWaterBytes: 4_800 } });
    fake.wire.bufferedBytes = 10_000;
    await fake.send({ type: 'audio.append', audio: audioOf(100) });
    expect(fake.wire.sent('audio.append')).toEqual([]);
    fake.wire.bufferedBytes = 0;
    await fake.host.advance(20);
    expect(fake.wire.sent('audio.append')).toHaveLength(1);
    expect(fake.host.pendingTimers()).toBe(0);
  });
});

describe('R18: an error', () => {
  test('of no concern is reported to nobody', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'error', kind: 'benign', code: 'response_cancel_not_active', message: 'no' });
    await fake.settle();
    expect(types(fake.events)).toEqual(['session.ready']);
  });

  test('of one event is reported to whoever sent it, and the session continues', async () => {
    const fake = await openSession({ acknowledges: false });
    const sent = fake.send({ type: 'text.send', text: 'x' });
    const [create] = fake.wire.sent('item.create');
    fake.wire.give({ type: 'error', kind: 'request', code: 'bad', message: 'no', causedBy: create?.eventId ?? '' });
    await expect(sent).rejects.toMatchObject({ code: 'model.rejected', providerCode: 'bad' });
    await fake.settle();
    expect(fake.told('error')).toMatchObject([{ recoverable: true, code: 'bad' }]);
    expect(fake.session.phase).not.toBe('closed');
  });

  test('on the server’s side is reported, and the session continues', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'error', kind: 'session', code: 'server_error', message: 'oops' });
    await fake.settle();
    expect(fake.told('error')).toMatchObject([{ recoverable: true, code: 'server_error' }]);
    expect(fake.session.phase).toBe('ready');
  });

  test('after which nothing will succeed ends the session', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'error', kind: 'fatal', code: 'insufficient_quota', message: 'no money' });
    await fake.settle();
    expect(fake.told('error')).toMatchObject([{ recoverable: false }]);
    expect(fake.told('session.closed')).toMatchObject([{ reason: 'fatal', message: 'no money' }]);
  });

  test('that the time is over ends the session as expired', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'error', kind: 'expiry', code: 'session_expired', message: 'over' });
    await fake.settle();
    expect(fake.told('session.closed')).toMatchObject([{ reason: 'expired' }]);
  });
});

test('R19: an answer of nothing but a call completes without audio', async () => {
  const fake = await openSession();
  fake.wire.give({ type: 'response.created', responseId: 'r1' });
  fake.wire.give(responseEnd('r1', { calls: [{ callId: 'c1', itemId: 'i1', name: 'look', rawArgs: '{"at":1}' }] }));
  await fake.settle();
  expect(types(fake.events)).toEqual(['session.ready', 'response.started', 'toolCall.requested', 'response.completed']);
  expect(fake.told('toolCall.requested')).toMatchObject([{ call: { id: 'c1', name: 'look', args: { at: 1 } } }]);
  expect(fake.session.phase).toBe('toolRunning');
});

describe('R20: a call whose audio the provider plays', () => {
  async function onCall(): Promise<FakeSession> {
    const fake = await openSession({
      playedBy: 'server',
      callId: 'call_1',
      capabilities: ['toolCalling', 'transcripts', 'interrupt', 'textInput', 'callControl'],
      call: () => Promise.resolve(),
    });
    fake.wire.give({ type: 'response.created', responseId: 'r1' }, { type: 'output.started', responseId: 'r1' });
    return fake;
  }

  test('is answered, and listened to from the beginning', async () => {
    const fake = await onCall();
    await fake.settle();
    expect(types(fake.events).slice(0, 2)).toEqual(['session.ready', 'call.answered']);
    fake.wire.give(responseEnd('r1'), { type: 'output.stopped', responseId: 'r1' });
    expect(fake.session.phase).toBe('listening');
  });

  test('is interrupted by clearing what was not played: nothing is truncated', async () => {
    const fake = await onCall();
    const quiet = fake.send({ type: 'response.interrupt' });
    expect(fake.wire.sent('output.clear')).toHaveLength(1);
    fake.wire.give(responseEnd('r1', { status: 'cancelled' }));
    await quiet;
    expect(fake.wire.sent('item.truncate')).toEqual([]);
    expect(fake.wire.sent('item.delete')).toEqual([]);
  });

  test('is interrupted at once again after an interruption the server never confirmed', async () => {
    const fake = await openSession({ playedBy: 'server', callId: 'call_1', acknowledges: false });
    const sent: Promise<void>[] = [];
    for (const responseId of ['r1', 'r2']) {
      fake.wire.give({ type: 'response.created', responseId }, { type: 'output.started', responseId });
      sent.push(fake.send({ type: 'response.interrupt' }));
      fake.wire.give(responseEnd(responseId, { status: 'cancelled' }));
      if (responseId === 'r1') await fake.host.advance(10_000);
    }
    fake.wire.give({ type: 'output.cleared' });
    await Promise.all(sent);
    expect(fake.session.phase).toBe('ready');
  });

  test('interrupted by the caller’s voice clears itself', async () => {
    const fake = await onCall();
    fake.wire.give({ type: 'speech.started' });
    expect(fake.wire.sent('output.clear')).toEqual([]);
    fake.wire.give({ type: 'output.cleared' }, responseEnd('r1', { status: 'cancelled' }));
    expect(fake.session.phase).toBe('userSpeaking');
  });

  test('that has ended ends the session', async () => {
    const fake = await onCall();
    fake.wire.give({ type: 'call.dtmf', digit: '5' }, { type: 'call.ended', why: 'hung up' });
    await fake.settle();
    expect(types(fake.events).filter((type) => type.startsWith('call.'))).toEqual([
      'call.answered',
      'call.dtmf',
      'call.ended',
    ]);
    expect(fake.told('session.closed')).toMatchObject([{ reason: 'callEnded' }]);
  });
});

describe('R22: close', () => {
  test('settles every promise that is open, and reports it once', async () => {
    const fake = await openSession({ acknowledges: false });
    fake.wire.give({ type: 'response.created', responseId: 'r1' }, call('c1'));
    const open = [
      fake.send({ type: 'text.send', text: 'x' }),
      fake.send({ type: 'response.request', instructions: 'y' }),
      fake.send({ type: 'response.request', outOfBand: true }),
      fake.send({ type: 'session.update', voice: 'z' }),
      fake.send({ type: 'audio.commit' }),
      fake.send({ type: 'toolResult.send', callId: 'c1', result: 'done' }),
    ];
    const quiet = fake.send({ type: 'response.interrupt' });
    await fake.session.close();
    await quiet;
    for (const { status, reason } of (await Promise.allSettled(open)) as PromiseRejectedResult[]) {
      expect({ status, code: (reason as { readonly code?: string }).code }).toEqual({
        status: 'rejected',
        code: 'operative.closed',
      });
    }
    await fake.settle();
    expect(fake.told('session.closed')).toHaveLength(1);
    expect(fake.events.at(-1)?.type).toBe('session.closed');
    expect(fake.told('toolCall.resultSent')).toHaveLength(1);
    expect(fake.told('response.completed')).toMatchObject([{ responseId: 'r1', status: 'cancelled' }]);
    expect(fake.host.pendingTimers()).toBe(0);
  });

  test('says of a call without a result that none was delivered, once', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'response.created', responseId: 'r1' }, call('c1'), responseEnd('r1'));
    await fake.session.close();
    await fake.settle();
    expect(fake.told('toolCall.resultSent')).toMatchObject([{ callId: 'c1', delivered: 'dropped' }]);
  });

  test('a server that does not close is left after two seconds', async () => {
    const fake = await openSession();
    fake.wire.closesByItself = false;
    const closed = fake.session.close();
    expect(fake.session.phase).toBe('draining');
    await fake.host.advance(2_000);
    await closed;
    expect(fake.wire.terminations).toBe(1);
    expect(fake.host.pendingTimers()).toBe(0);
  });

  test('with a drain time lets an answer and a tool come to their end', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'response.created', responseId: 'r1' }, call('c1'));
    const closed = fake.session.close({ drainMs: 5_000 });
    expect(fake.session.phase).toBe('draining');
    fake.wire.give(speech('r1', 'i1', 100), responseEnd('r1'));
    await fake.send({ type: 'toolResult.send', callId: 'c1', result: 'done' });
    await expect(fake.send({ type: 'text.send', text: 'more' })).rejects.toMatchObject({ code: 'operative.closed' });
    await fake.host.advance(100);
    await closed;
    expect(fake.wire.sent('response.create')).toEqual([]);
    expect(fake.told('session.closed')).toMatchObject([{ reason: 'requested' }]);
  });

  test('does not wait longer than the drain time', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'response.created', responseId: 'r1' });
    const closed = fake.session.close({ drainMs: 300 });
    await fake.host.advance(300);
    await closed;
    expect(fake.told('response.completed')).toMatchObject([{ status: 'cancelled' }]);
  });
});

test('case 31: after a cancel a new request waits for the end of the cancelled answer, and is sent once', async () => {
  const fake = await openSession();
  fake.wire.give({ type: 'response.created', responseId: 'r1' });
  const quiet = fake.send({ type: 'response.interrupt' });
  const asked = fake.send({ type: 'response.request' });
  void fake.send({ type: 'text.send', text: 'and this' });
  void fake.send({ type: 'text.send', text: 'and that' });
  expect(fake.wire.sent('response.create')).toEqual([]);
  fake.wire.give(responseEnd('r1', { status: 'cancelled' }));
  await quiet;
  expect(fake.wire.sent('response.create')).toHaveLength(1);
  begin(fake, 'r2');
  await asked;
  fake.wire.give(responseEnd('r2'));
  expect(fake.wire.sent('response.create')).toHaveLength(1);
});
