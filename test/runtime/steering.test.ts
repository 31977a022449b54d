import { describe, expect, test } from 'vitest';
import { createConversation } from '../../src/conversation/conversation.ts';
import { assistantMessage, userMessage } from '../../src/conversation/message.ts';
import { deferred, interpreters, never, playTurn, startTurn, toolOf } from './turn-bench.ts';

describe.each(interpreters)('steering a bare turn (%s)', (interpreter) => {
  test('a steer while tools run is before the next model call, announced with its iteration', async () => {
    const turn = startTurn({
      interpreter,
      tools: [toolOf('look', () => turn.run.steer('and hurry') satisfies string)],
      script: [{ calls: [{ name: 'look' }] }, { text: 'ok' }],
    });
    await turn.end();
    expect(turn.lines()).toEqual(['user: go', 'call look', 'completed: accepted', 'user: and hurry', 'assistant: ok']);
    expect(turn.all('message.injected')).toMatchObject([
      { iteration: 2, message: { content: [{ text: 'and hurry' }] } },
    ]);
    expect(turn.requests[1]?.messages).toHaveLength(4);
  });

  test('a steer while the last answer is streamed makes the turn continue', async () => {
    const turn = startTurn({
      interpreter,
      script: [{ text: 'done' }, { text: 'that too' }],
      onEvent: (event) => {
        if (event.type === 'text.delta' && event.text === 'done') turn.run.steer('one more');
      },
    });
    const result = await turn.end();
    expect(result).toMatchObject({ reason: 'completed', iterations: 2 });
    expect(result.undrained).toBeUndefined();
    expect(turn.lines()).toEqual(['user: go', 'assistant: done', 'user: one more', 'assistant: that too']);
  });

  test('several steers keep their order', async () => {
    const turn = startTurn({ interpreter, script: [{ text: 'one' }, { text: 'two' }] });
    for (const text of ['a', 'b', 'c']) turn.run.steer(text);
    await turn.end();
    expect(turn.lines()).toEqual(['user: go', 'assistant: one', 'user: a', 'user: b', 'user: c', 'assistant: two']);
  });

  test('a steer after the seal is refused and in no transcript', async () => {
    const turn = startTurn({ interpreter, script: [{ text: 'one' }] });
    await turn.end();
    expect(turn.run.steer('late')).toBe('sealed');
    expect(turn.lines()).toEqual(['user: go', 'assistant: one']);
  });

  test('a steer while the afterTurn transformers run is too late', async () => {
    const gate = deferred<undefined>();
    const turn = startTurn({
      interpreter,
      transformers: [{ name: 'slow', afterTurn: () => gate.promise }],
      script: [{ text: 'one' }],
    });
    await turn.host.settle();
    expect(turn.run.steer('late')).toBe('sealed');
    gate.resolve(undefined);
    expect((await turn.end()).undrained).toBeUndefined();
  });

  test('a steer while the turn is cancelled is too late', async () => {
    const turn = startTurn({
      interpreter,
      tools: [toolOf('hang', () => never())],
      script: [{ calls: [{ name: 'hang' }] }],
    });
    await turn.host.settle();
    void turn.run.cancel();
    expect(turn.run.steer('late')).toBe('sealed');
    await turn.end(250);
  });

  test.each(['aborted', 'failed'] as const)(
    'a steer that waits when the turn ends as %s is handed back',
    async (reason) => {
      const turn = startTurn({
        interpreter,
        retry: { attempts: 0 },
        script: [reason === 'failed' ? { text: 'x', delayMs: 10, cutAfter: 0 } : { stallAfter: 0 }],
      });
      await turn.host.settle();
      const message = userMessage('waiting');
      expect(turn.run.steer(message)).toBe('accepted');
      if (reason === 'aborted') void turn.run.cancel();
      expect(await turn.end(10)).toMatchObject({ reason, undrained: [message] });
      expect(turn.lines()).toEqual(['user: go']);
    },
  );

  test('the same id twice is taken once and accepted both times', async () => {
    const turn = startTurn({ interpreter, script: [{ text: 'one' }, { text: 'two' }] });
    const message = userMessage('again', { id: 'same' });
    expect([turn.run.steer(message), turn.run.steer(message)]).toEqual(['accepted', 'accepted']);
    await turn.end();
    expect(turn.lines()).toEqual(['user: go', 'assistant: one', 'user: again', 'assistant: two']);
  });

  test('an id that was accepted before the seal is accepted after it as well, and appends nothing', async () => {
    const turn = startTurn({ interpreter, script: [{ text: 'one' }, { text: 'two' }] });
    const message = userMessage('again', { id: 'same' });
    turn.run.steer(message);
    await turn.end();
    expect(turn.run.steer(message)).toBe('accepted');
    expect(turn.conversation.messages).toHaveLength(4);
  });

  test('a message that is in the transcript already is accepted and not appended again', async () => {
    const turn = startTurn({ interpreter, script: [{ text: 'one' }] });
    expect(turn.run.steer(userMessage('go', { id: 'u1' }))).toBe('accepted');
    const result = await turn.end();
    expect(result.undrained).toBeUndefined();
    expect(turn.lines()).toEqual(['user: go', 'assistant: one']);
  });

  test('the id of an answer in the transcript throws message.invalid', async () => {
    const conversation = createConversation({
      messages: [userMessage('go'), assistantMessage('yes', { id: 'a1' }), userMessage('on')],
    });
    const turn = startTurn({ interpreter, conversation, script: [{ text: 'one' }] });
    expect(() => turn.run.steer(userMessage('edited', { id: 'a1' }))).toThrow(
      expect.objectContaining({ code: 'message.invalid' }) as Error,
    );
    await turn.end();
    expect(turn.lines()).toEqual(['user: go', 'assistant: yes', 'user: on', 'assistant: one']);
  });

  test('what cannot be a user message throws message.invalid and is not taken', async () => {
    const turn = startTurn({ interpreter, script: [{ text: 'one' }] });
    for (const bad of ['', '  ', assistantMessage('no'), userMessage([])]) {
      expect(() => turn.run.steer(bad)).toThrow(expect.objectContaining({ code: 'message.invalid' }) as Error);
    }
    await turn.end();
    expect(turn.lines()).toEqual(['user: go', 'assistant: one']);
  });

  test('a steer before the first model call is part of it', async () => {
    const gate = deferred<undefined>();
    const turn = startTurn({
      interpreter,
      transformers: [{ name: 'slow', beforeTurn: () => gate.promise }],
      script: [{ text: 'both' }],
    });
    turn.run.steer('early');
    gate.resolve(undefined);
    await turn.end();
    expect(turn.lines()).toEqual(['user: go', 'user: early', 'assistant: both']);
  });

  test('a steer that comes after a refusal is handed back', async () => {
    const turn = startTurn({ interpreter, script: [{ text: 'no', stopReason: 'refusal' }] });
    turn.run.steer('please');
    expect(await turn.end()).toMatchObject({ reason: 'refused', undrained: [{ content: [{ text: 'please' }] }] });
  });

  test('a turn without steers hands nothing back', async () => {
    expect((await playTurn({ interpreter, script: [{ text: 'x' }] })).result).not.toHaveProperty('undrained');
  });
});
