import { createActor, sendTo, setup, waitFor, type ActorRefFrom } from 'xstate';
import { describe, expect, test } from 'vitest';
import {
  operativeLogic,
  type OperativeEmitted,
  type OperativeLogicEvent,
  type OperativeLogicInput,
} from '../../src/embedding/index.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import { textOf, userMessage } from '../../src/conversation/message.ts';
import { createEngine } from '../../src/runtime/engine.ts';
import { createOperative } from '../../src/runtime/operative.ts';
import { scriptedModel, simulatedHost, verifyTranscript, type ScriptedStepSource } from '../../src/testing/index.ts';
import { toolOf } from '../runtime/turn-bench.ts';

function startAgent(script: readonly ScriptedStepSource[], input: OperativeLogicInput = {}) {
  const host = simulatedHost();
  const model = scriptedModel(script, { host });
  const conversation = input.conversation ?? createConversation();
  const engine = createEngine({
    transformers: [],
    model,
    host,
    tools: [toolOf('deaf', () => new Promise(() => undefined))],
  });
  const actor = createActor(operativeLogic(engine), { input: { ...input, conversation } });
  const emitted: OperativeEmitted[] = [];
  actor.on('*', (event) => emitted.push(event));
  actor.start();
  return { actor, host, model, conversation, emitted, engine, types: () => emitted.map(({ type }) => type) };
}

const submit = (
  text: string,
  more: Partial<Extract<OperativeLogicEvent, { type: 'message.submit' }>> = {},
): OperativeLogicEvent => ({
  type: 'message.submit',
  message: userMessage(text, { id: text }),
  ...more,
});

describe('what it refuses', () => {
  test('is reported: a message that was rejected, busy or closed', async () => {
    const agent = startAgent([{ text: 'one', delayMs: 10 }]);
    agent.actor.send(submit('A'));
    agent.actor.send(submit('B', { policy: 'reject' }));
    await agent.host.advance(100);
    agent.actor.send({ type: 'operative.close' });
    agent.actor.send(submit('C'));
    await agent.host.settle();
    expect(agent.emitted.filter(({ type }) => type === 'operative.refused')).toMatchObject([
      { event: 'message.submit', error: { code: 'conversation.busy' } },
      { event: 'message.submit', error: { code: 'operative.closed' } },
    ]);
  });

  test('is not an unhandled rejection when a broken operative is stopped', async () => {
    const agent = startAgent([{ text: 'one' }]);
    Object.freeze(agent.conversation.messages);
    agent.actor.send(submit('A'));
    await agent.host.settle();
    agent.actor.stop();
    await agent.host.settle();
    expect(agent.emitted.some(({ type }) => type === 'operative.refused')).toBe(true);
  });
});

describe('what it receives', () => {
  test('message.submit starts a turn, and steers it', async () => {
    const agent = startAgent([{ text: 'one', delayMs: 10 }, { text: 'two' }]);
    agent.actor.send(submit('A'));
    agent.actor.send(submit('B'));
    await agent.host.advance(100);
    expect(agent.types()).toEqual([
      'turn.started',
      'assistant.settled',
      'message.injected',
      'assistant.settled',
      'turn.completed',
    ]);
    verifyTranscript(agent.conversation);
  });

  test('a text is a message too', async () => {
    const agent = startAgent([{ text: 'one' }]);
    agent.actor.send({ type: 'message.submit', message: 'Hello' });
    await agent.host.settle();
    expect(agent.conversation.messages.map(textOf)).toEqual(['Hello', 'one']);
  });

  test('message.submit carries policy and context', async () => {
    const agent = startAgent([{ text: 'one', delayMs: 10 }, { text: 'two' }]);
    agent.actor.send(submit('A'));
    agent.actor.send(submit('Q', { policy: 'queue', turnContext: 'mine' }));
    expect(agent.types()).toContain('message.queued');
    await agent.host.advance(100);
    expect(agent.types().filter((type) => type === 'turn.completed')).toHaveLength(2);
  });

  test('message.withdraw takes a message back', async () => {
    const agent = startAgent([{ text: 'one', delayMs: 10 }]);
    agent.actor.send(submit('A'));
    agent.actor.send(submit('B'));
    agent.actor.send({ type: 'message.withdraw', messageId: 'B' });
    await agent.host.advance(100);
    agent.model.verify();
    expect(agent.conversation.messages.map(({ id }) => id)).not.toContain('B');
  });

  test('turn.resume answers what is there', async () => {
    const agent = startAgent([{ text: 'one' }], {
      conversation: createConversation({ messages: [userMessage('go')] }),
    });
    agent.actor.send({ type: 'turn.resume' });
    await agent.host.settle();
    expect(agent.emitted.at(-1)).toMatchObject({ type: 'turn.completed', reason: 'completed' });
  });

  test('turn.cancel takes a grace time', async () => {
    const agent = startAgent([{ calls: [{ name: 'deaf' }] }]);
    agent.actor.send(submit('A'));
    await agent.host.settle();
    agent.actor.send({ type: 'turn.cancel', graceMs: 10 });
    await agent.host.advance(9);
    expect(agent.types()).not.toContain('turn.completed');
    await agent.host.advance(1);
    expect(agent.emitted.at(-1)).toMatchObject({ type: 'turn.completed', reason: 'aborted' });
  });

  test('operative.close closes', async () => {
    const agent = startAgent([]);
    agent.actor.send({ type: 'operative.close' });
    await agent.host.settle();
    expect(agent.types()).toEqual(['operative.closed']);
  });

  test.each([
    ['an empty message', { type: 'message.submit', message: '' }, 'message.invalid'],
    ['an unknown policy', { type: 'message.submit', message: 'A', policy: 'now' }, 'options.invalid'],
  ] as const)('%s is answered by operative.refused', async (_name, event, code) => {
    const agent = startAgent([]);
    agent.actor.send(event as OperativeLogicEvent);
    await agent.host.settle();
    expect(agent.emitted).toMatchObject([{ type: 'operative.refused', event: 'message.submit', error: { code } }]);
    expect(agent.actor.getSnapshot().status).toBe('active');
  });

  test('a resume after close is answered by operative.refused', async () => {
    const agent = startAgent([]);
    agent.actor.send({ type: 'operative.close' });
    agent.actor.send({ type: 'turn.resume' });
    await agent.host.settle();
    expect(agent.emitted.at(-1)).toMatchObject({
      type: 'operative.refused',
      event: 'turn.resume',
      error: { code: 'operative.closed' },
    });
  });

  test('an event it does not know changes nothing', async () => {
    const agent = startAgent([]);
    agent.actor.send({ type: 'unknown' } as never);
    await agent.host.settle();
    expect(agent.emitted).toEqual([]);
  });
});

describe('what it emits', () => {
  test('milestones and never the pieces of a stream', async () => {
    const agent = startAgent([
      { text: 'Hello', chunks: 1, calls: [{ name: 'ghost' }] },
      { text: 'x', thinking: 'Hm', chunks: 1 },
    ]);
    agent.actor.send(submit('A'));
    await agent.host.settle();
    expect(agent.types()).toEqual(['turn.started', 'assistant.settled', 'assistant.settled', 'turn.completed']);
  });
});

describe('inside a host machine', () => {
  function startHost(script: readonly ScriptedStepSource[], tellParent = true) {
    const host = simulatedHost();
    const model = scriptedModel(script, { host });
    const conversation = createConversation();
    const engine = createEngine({ transformers: [], model, host });
    const review = setup({
      types: { events: {} as { type: 'ask'; text: string } | { type: 'stop' } | OperativeEmitted },
      actors: { agent: operativeLogic(engine, { tellParent }) },
      actions: {
        submit: sendTo('agent', ({ event }): OperativeLogicEvent => ({
          type: 'message.submit',
          message: event.type === 'ask' ? event.text : '',
        })),
      },
      guards: { isCompleted: ({ event }) => event.type === 'turn.completed' && event.reason === 'completed' },
    }).createMachine({
      initial: 'drafting',
      states: {
        drafting: {
          invoke: { src: 'agent', id: 'agent', input: { conversation } },
          on: {
            ask: { actions: 'submit' },
            stop: 'stopped',
            'turn.completed': [{ guard: 'isCompleted', target: 'done' }, { target: 'failed' }],
          },
        },
        stopped: {},
        failed: { type: 'final' },
        done: { type: 'final' },
      },
    });
    const actor = createActor(review);
    actor.start();
    return { actor, host, conversation, engine, model };
  }

  test('it is invoked, steered, and its turn.completed takes the machine to its own final state', async () => {
    const { actor, host, conversation, model } = startHost([{ text: 'A draft.', delayMs: 10 }, { text: 'Shorter.' }]);
    actor.send({ type: 'ask', text: 'Draft.' });
    actor.send({ type: 'ask', text: 'Shorter, please.' });
    void host.advance(100);
    const snapshot = await waitFor(actor, ({ status }) => status === 'done');
    expect(snapshot.value).toBe('done');
    expect(model.requests[1]?.messages.map(textOf).at(-1)).toContain('Shorter, please.');
    verifyTranscript(conversation);
  });

  test('without tellParent the machine hears nothing, and on() does', async () => {
    const { actor, host } = startHost([{ text: 'A draft.' }], false);
    const heard: string[] = [];
    actor.getSnapshot().children['agent']?.on('turn.completed', ({ reason }) => heard.push(reason));
    actor.send({ type: 'ask', text: 'Draft.' });
    await host.settle();
    expect([actor.getSnapshot().value, heard]).toEqual(['drafting', ['completed']]);
  });

  test('a turn that fails is reported as well', async () => {
    const { actor, host } = startHost([{ throw: new Error('down') }]);
    actor.send({ type: 'ask', text: 'Draft.' });
    await host.settle();
    expect(actor.getSnapshot().value).toBe('failed');
  });

  test('leaving the state closes the operative: its turn is aborted and the conversation is free', async () => {
    const { actor, host, conversation, engine } = startHost([{ text: 'A draft.', stallAfter: 2 }]);
    actor.send({ type: 'ask', text: 'Draft.' });
    await host.settle();
    expect(() => createOperative({ engine, conversation })).toThrow(
      expect.objectContaining({ code: 'conversation.busy' }),
    );
    actor.send({ type: 'stop' });
    await host.settle();
    verifyTranscript(conversation);
    expect(conversation.messages.map(({ role }) => role)).toEqual(['user']);
    await createOperative({ engine, conversation }).close();
  });

  test('stopping the host closes the operative', async () => {
    const { actor, host, conversation, engine } = startHost([{ text: 'A draft.', stallAfter: 2 }]);
    actor.send({ type: 'ask', text: 'Draft.' });
    await host.settle();
    actor.stop();
    await host.settle();
    expect(createOperative({ engine, conversation }).state).toBe('idle');
  });

  test('a conversation in use is the invoke’s onError', () => {
    const conversation = createConversation();
    const engine = createEngine({ transformers: [], model: scriptedModel([]) });
    const holder = createOperative({ engine, conversation });
    const machine = setup({ actors: { agent: operativeLogic(engine) } }).createMachine({
      initial: 'trying',
      states: {
        trying: { invoke: { src: 'agent', input: { conversation }, onError: 'refused' } },
        refused: {},
      },
    });
    const actor = createActor(machine).start();
    expect(actor.getSnapshot().value).toBe('refused');
    actor.stop();
    void holder.close();
  });

  test('it is spawned, with what it emits typed for on()', async () => {
    const host = simulatedHost();
    const engine = createEngine({ transformers: [], model: scriptedModel([{ text: 'Hi' }], { host }), host });
    const logic = operativeLogic(() => engine);
    const machine = setup({
      actors: { logic },
      types: { context: {} as { agent: ActorRefFrom<typeof logic> }, events: {} as { type: 'answered'; text: string } },
    }).createMachine({
      context: ({ spawn, self }) => {
        const agent = spawn('logic', { input: {} });
        agent.on('assistant.settled', ({ message }) => self.send({ type: 'answered', text: textOf(message) }));
        return { agent };
      },
      initial: 'waiting',
      states: { waiting: { on: { answered: 'answered' } }, answered: {} },
    });
    const actor = createActor(machine).start();
    actor.getSnapshot().context.agent.send({ type: 'message.submit', message: 'Hello' });
    await host.settle();
    expect(actor.getSnapshot().value).toBe('answered');
    actor.stop();
  });
});
