// The operative over a session: tools beside the receive loop, one reply for several, and what becomes of a call when
// somebody speaks.

import { describe, expect, test } from 'vitest';
import type { RealtimeEvent, RealtimeSessionOptions } from '../../src/contracts/realtime.ts';
import type { Tool } from '../../src/contracts/tool.ts';
import { createRealtimeOperative, type RealtimeOperativeOptions } from '../../src/realtime/operative.ts';
import { createBackgroundTasks } from '../../src/runtime/background-tasks.ts';
import { defineBackgroundTool } from '../../src/tools/define-background-tool.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { ToolResult } from '../../src/tools/tool-result.ts';
import { LiveSession } from '../../src/realtime/session.ts';
import { simulatedHost } from '../../src/testing/index.ts';
import { FakeWire, openSession, responseEnd, speech, type FakeSession } from './fake-wire.ts';

const parameters = { type: 'object', properties: { at: { type: 'string' } }, additionalProperties: false };

function toolOf(name: string, execute: Tool['execute'], more: Partial<Tool> = {}): Tool {
  return { ...defineTool({ name, description: name, parameters, execute }), ...more };
}

const weather = toolOf('weather', () => 'sunny');

async function operate(options: RealtimeOperativeOptions = {}, sessionOptions: RealtimeSessionOptions = {}) {
  const fake = await openSession({}, sessionOptions);
  const operative = createRealtimeOperative(fake.session, options);
  const events: RealtimeEvent[] = [];
  void (async () => {
    for await (const event of operative.run()) events.push(event);
  })();
  await fake.settle();
  const told = <Type extends RealtimeEvent['type']>(type: Type) =>
    events.filter((event): event is Extract<RealtimeEvent, { readonly type: Type }> => event.type === type);
  return { fake, operative, events, told };
}

function asks(fake: FakeSession, ...calls: readonly (readonly [id: string, name: string, args?: string])[]): void {
  fake.wire.give({ type: 'response.created', responseId: 'r1' });
  for (const [callId, name, rawArgs = '{}'] of calls) {
    fake.wire.give({ type: 'toolCall.requested', responseId: 'r1', callId, itemId: `i_${callId}`, name, rawArgs });
  }
}

const results = ({ wire }: FakeSession) =>
  wire.sent('item.create').flatMap(({ item }) => (item.kind === 'result' ? [[item.callId, item.output]] : []));

describe('tools', () => {
  test('are run, answered, and spoken of once', async () => {
    const { fake, told } = await operate({ tools: [weather] });
    asks(fake, ['c1', 'weather', '{"at":"Rome"}']);
    fake.wire.give(responseEnd('r1'));
    await fake.settle();
    expect(results(fake)).toEqual([['c1', 'sunny']]);
    expect(fake.wire.sent('response.create')).toHaveLength(1);
    expect(told('toolCall.settled')).toMatchObject([{ call: { id: 'c1' }, result: { status: 'completed' } }]);
    expect(told('toolCall.resultSent')).toMatchObject([{ delivered: 'sent' }]);
  });

  test('of the operative are added to the session; those the session was made with are run as well', async () => {
    const other = toolOf('other', () => 'x');
    const { fake } = await operate({ tools: [other] }, { tools: [weather] });
    expect(fake.wire.sent('session.update')).toMatchObject([
      { changes: { tools: [{ name: 'weather' }, { name: 'other' }] } },
    ]);
    asks(fake, ['c1', 'weather']);
    await fake.settle();
    expect(results(fake)).toEqual([['c1', 'sunny']]);
  });

  test('added while it runs are shown and run', async () => {
    const { fake, operative } = await operate();
    expect(fake.wire.sent('session.update')).toEqual([]);
    operative.addTool(weather);
    await fake.settle();
    expect(fake.wire.sent('session.update')).toMatchObject([{ changes: { tools: [{ name: 'weather' }] } }]);
    expect(() => operative.addTool(weather)).toThrow(expect.objectContaining({ code: 'tool.duplicateName' }));
  });

  test('never block what comes: events flow while one runs', async () => {
    const { fake, events } = await operate({ tools: [toolOf('slow', () => new Promise(() => undefined))] });
    asks(fake, ['c1', 'slow']);
    fake.wire.give(responseEnd('r1'), { type: 'response.created', responseId: 'r2' }, speech('r2', 'i2', 100));
    await fake.settle();
    expect(events.map(({ type }) => type)).toContain('audio.delta');
    expect(events.map(({ type }) => type)).not.toContain('toolCall.settled');
  });

  test('that fail, throw, or are unknown are results too', async () => {
    const { fake } = await operate({
      tools: [
        toolOf('throws', () => {
          throw new Error('broken');
        }),
        toolOf('rejects', () => Promise.reject(new Error('later'))),
      ],
    });
    asks(
      fake,
      ['c1', 'throws'],
      ['c2', 'rejects'],
      ['c3', 'nowhere'],
      ['c4', 'throws', '{"wrong":1}'],
      ['c5', 'throws', '{'],
    );
    fake.wire.give(responseEnd('r1'));
    await fake.settle();
    expect(new Set(results(fake).map(([callId]) => callId))).toEqual(new Set(['c1', 'c2', 'c3', 'c4', 'c5']));
    expect(results(fake).find(([callId]) => callId === 'c3')?.[1]).toContain('no tool named "nowhere"');
    expect(fake.wire.sent('response.create')).toHaveLength(1);
  });

  test('give all their blocks, in one text', async () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } } as const;
    const { fake } = await operate({
      tools: [toolOf('draw', () => ToolResult.blocks([{ type: 'text', text: 'here' }, image]))],
    });
    asks(fake, ['c1', 'draw']);
    await fake.settle();
    expect(results(fake)).toEqual([['c1', `here\n${JSON.stringify(image)}`]]);
  });

  test('that are not safe in parallel run alone, in call order', async () => {
    const log: string[] = [];
    const open: (() => void)[] = [];
    const step = (name: string, isConcurrencySafe: boolean) =>
      toolOf(
        name,
        async () => {
          log.push(`+${name}`);
          await new Promise<void>((resolve) => open.push(resolve));
          log.push(`-${name}`);
        },
        { isConcurrencySafe },
      );
    const { fake } = await operate({ tools: [step('safe', true), step('alone', false)] });
    asks(fake, ['c1', 'safe'], ['c2', 'safe'], ['c3', 'alone'], ['c4', 'safe']);
    for (let round = 0; round < 4; round++) {
      await fake.settle();
      for (const end of open.splice(0)) end();
    }
    await fake.settle();
    expect(log).toEqual(['+safe', '+safe', '-safe', '-safe', '+alone', '-alone', '+safe', '-safe']);
  });

  test('that take too long are given up', async () => {
    const { fake } = await operate({ tools: [toolOf('slow', () => new Promise(() => undefined))], toolTimeoutMs: 500 });
    asks(fake, ['c1', 'slow']);
    fake.wire.give(responseEnd('r1'));
    await fake.host.advance(500);
    expect(results(fake)[0]?.[1]).toContain('took longer than its limit of 500 ms');
    await fake.session.close();
    expect(fake.host.pendingTimers()).toBe(0);
  });

  test('a thousand of them get a result each, and one reply', async () => {
    const { fake } = await operate({
      tools: [toolOf('quick', () => Promise.resolve('ok'), { isConcurrencySafe: true })],
    });
    asks(fake, ...Array.from({ length: 1_000 }, (_, index) => [`c${index}`, 'quick'] as const));
    fake.wire.give(responseEnd('r1'));
    for (let round = 0; round < 200 && results(fake).length < 1_000; round++) await fake.settle();
    expect(new Set(results(fake).map(([callId]) => callId)).size).toBe(1_000);
    expect(fake.wire.sent('response.create')).toHaveLength(1);
  });
});

describe('calls that came before it ran', () => {
  test('are run when another reader got them', async () => {
    const fake = await openSession({}, { tools: [weather] });
    asks(fake, ['c1', 'weather']);
    createRealtimeOperative(fake.session).run();
    asks(fake, ['c2', 'weather']);
    await fake.settle();
    expect(results(fake).map(([callId]) => callId)).toEqual(['c1', 'c2']);
  });

  test('are run once when it is the first to get them', async () => {
    const host = simulatedHost();
    const wire = new FakeWire();
    const session = new LiveSession(wire, { host, tools: [weather] });
    wire.give({ type: 'wire.opened' }, { type: 'session.created', sessionId: 's', settings: {} });
    const call = { type: 'toolCall.requested', responseId: 'r1', itemId: 'i', name: 'weather', rawArgs: '{}' } as const;
    wire.give({ type: 'response.created', responseId: 'r1' }, { ...call, callId: 'c1' });
    createRealtimeOperative(session).run();
    wire.give({ ...call, callId: 'c2' });
    await host.settle();
    const sent = wire.sent('item.create').map(({ item }) => (item.kind === 'result' ? item.callId : ''));
    expect(sent).toEqual(['c1', 'c2']);
  });
});

describe('approval', () => {
  test('is asked, told, and may say no', async () => {
    let answer: (allow: boolean) => void = () => undefined;
    const { fake, told } = await operate({
      tools: [weather],
      approve: () =>
        new Promise((resolve) => (answer = (allow) => resolve(allow ? { allow } : { allow, message: 'no' }))),
    });
    asks(fake, ['c1', 'weather'], ['c2', 'weather']);
    await fake.settle();
    expect(told('toolCall.awaitingApproval')).toHaveLength(1);
    answer(true);
    await fake.settle();
    answer(false);
    await fake.settle();
    expect(told('toolCall.settled').map(({ result }) => result.status)).toEqual(['completed', 'denied']);
  });
});

test('a session has one operative that runs: each call would run twice', async () => {
  const fake = await openSession();
  const first = createRealtimeOperative(fake.session);
  const second = createRealtimeOperative(fake.session);
  first.run();
  expect(() => second.run()).toThrow('Another operative runs the tools of this realtime session');
  expect(() => first.run()).not.toThrow();
});

describe('when the user speaks', () => {
  const slow = () => {
    const aborted: string[] = [];
    const tool = toolOf(
      'slow',
      (_args, { signal, callId }) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => {
            aborted.push(callId);
            resolve('as far as I got');
          }),
        ),
    );
    return { tool, aborted };
  };

  test('a call continues, by default', async () => {
    const { tool, aborted } = slow();
    const { fake } = await operate({ tools: [tool] });
    asks(fake, ['c1', 'slow']);
    fake.wire.give(responseEnd('r1'), { type: 'speech.started', itemId: 'u1' });
    await fake.settle();
    expect(aborted).toEqual([]);
  });

  test('a call that is to be cancelled gives back what it has, and the model says nothing to it', async () => {
    const { tool, aborted } = slow();
    const { fake } = await operate({ tools: [tool], onBargeIn: 'cancel' });
    asks(fake, ['c1', 'slow']);
    fake.wire.give(responseEnd('r1'), { type: 'speech.started', itemId: 'u1' });
    await fake.settle();
    expect(aborted).toEqual(['c1']);
    expect(results(fake)).toEqual([['c1', 'as far as I got']]);
    fake.wire.give({ type: 'speech.stopped', itemId: 'u1' });
    await fake.host.advance(5_000);
    expect(fake.wire.sent('response.create')).toEqual([]);
  });

  test('a call that does not stop is reported as interrupted after the grace time', async () => {
    const { fake } = await operate({
      tools: [toolOf('deaf', () => new Promise(() => undefined))],
      onBargeIn: () => 'cancel',
    });
    asks(fake, ['c1', 'deaf']);
    fake.wire.give(responseEnd('r1'), { type: 'speech.started', itemId: 'u1' });
    fake.wire.give({ type: 'speech.stopped', itemId: 'u1' }, { type: 'response.created', responseId: 'r2' });
    fake.wire.give(responseEnd('r2'));
    await fake.host.advance(250);
    expect(results(fake)[0]?.[1]).toContain('interrupted');
    expect(fake.host.pendingTimers()).toBe(0);
  });

  test('a policy that throws keeps the call', async () => {
    const thrown: unknown[] = [];
    const { tool, aborted } = slow();
    const { fake } = await operate({
      tools: [tool],
      onBargeIn: () => {
        throw new Error('no policy');
      },
      onListenerError: (error) => thrown.push(error),
    });
    asks(fake, ['c1', 'slow']);
    fake.wire.give({ type: 'speech.started', itemId: 'u1' });
    await fake.settle();
    expect({ aborted, thrown: thrown.length }).toEqual({ aborted: [], thrown: 1 });
  });
});

test('a call the provider took back is aborted, and nothing is sent for it', async () => {
  let wasAborted = false;
  const { fake } = await operate({
    tools: [
      toolOf('slow', (_args, { signal }) => {
        signal.addEventListener('abort', () => (wasAborted = true));
        return new Promise(() => undefined);
      }),
    ],
  });
  asks(fake, ['c1', 'slow']);
  await fake.settle();
  fake.wire.give({ type: 'toolCall.cancelled', callIds: ['c1'] });
  await fake.settle();
  expect({ wasAborted, results: results(fake) }).toEqual({ wasAborted: true, results: [] });
});

test('the end of the session aborts what runs, and ends the events', async () => {
  let wasAborted = false;
  const { fake, operative, events } = await operate({
    tools: [
      toolOf('slow', (_args, { signal }) => {
        signal.addEventListener('abort', () => (wasAborted = true));
        return new Promise(() => undefined);
      }),
    ],
  });
  asks(fake, ['c1', 'slow']);
  await fake.settle();
  await operative.close();
  await fake.settle();
  expect(wasAborted).toBe(true);
  expect(events.at(-1)).toMatchObject({ type: 'session.closed', reason: 'requested' });
});

test('work in the background: the model has its handle at once, and speaks of the end', async () => {
  let finish: (value: string) => void = () => undefined;
  const research = defineBackgroundTool({
    name: 'research',
    description: 'research',
    parameters,
    execute: () => new Promise((resolve) => (finish = resolve)),
  });
  const { fake, told } = await operate({ tools: [research], backgroundTasks: createBackgroundTasks() });
  expect(fake.wire.sent('session.update')).toMatchObject([
    { changes: { tools: [{ name: 'research' }, { name: 'TaskOutput' }, { name: 'TaskStop' }] } },
  ]);
  asks(fake, ['c1', 'research', '{"run_in_background":true}']);
  fake.wire.give(responseEnd('r1'));
  await fake.settle();
  expect(results(fake)[0]?.[1]).toContain('in the background');
  expect(told('toolCall.backgrounded')).toHaveLength(1);
  finish('forty-two');
  await fake.settle();
  const notes = fake.wire.sent('item.create').filter(({ item }) => item.kind === 'message');
  expect(notes).toMatchObject([{ item: { kind: 'message', role: 'system' } }]);
});

test('R7: a manual turn that begins cancels the calls whose policy it is, also where nothing is said', async () => {
  const { fake, operative } = await operate({
    tools: [toolOf('slow', () => new Promise<never>(() => undefined))],
    onBargeIn: 'cancel',
  });
  asks(fake, ['c1', 'slow']);
  fake.wire.give(responseEnd('r1'));
  await fake.settle();
  await operative.send({ type: 'activity.start' });
  await fake.host.advance(250);
  expect(results(fake).map(([callId]) => callId)).toEqual(['c1']);
});

test('R7: of calls that wait for their turn none begins after the user spoke, where the policy is to cancel', async () => {
  const ran: string[] = [];
  const slow = toolOf('slow', (_, { callId }) => {
    ran.push(callId);
    return new Promise<never>(() => undefined);
  });
  const { fake } = await operate({ tools: [slow], onBargeIn: 'cancel' });
  asks(fake, ['c1', 'slow'], ['c2', 'slow'], ['c3', 'slow']);
  fake.wire.give(responseEnd('r1'));
  await fake.settle();
  fake.wire.give({ type: 'speech.started' });
  await fake.host.advance(1_000);
  expect(ran).toEqual(['c1']);
  expect(new Set(results(fake).map(([callId]) => callId))).toEqual(new Set(['c1', 'c2', 'c3']));
});

describe('the conversation', () => {
  test('holds what was said, the user’s words in their place however late they come', async () => {
    const { fake, operative } = await operate();
    fake.wire.give(
      { type: 'input.committed', itemId: 'u1' },
      { type: 'response.created', responseId: 'r1' },
      {
        type: 'transcript.done',
        role: 'assistant',
        responseId: 'r1',
        itemId: 'a1',
        contentIndex: 0,
        transcript: 'Fine.',
      },
      { type: 'transcript.done', role: 'user', itemId: 'u1', contentIndex: 0, transcript: 'How are you?' },
      responseEnd('r1'),
    );
    await fake.settle();
    expect(operative.conversation.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', [{ type: 'text', text: 'How are you?' }]],
      ['assistant', [{ type: 'text', text: 'Fine.' }]],
    ]);
  });

  test('holds of an interrupted answer what was heard', async () => {
    const { fake, operative } = await operate();
    fake.wire.give(
      { type: 'response.created', responseId: 'r1' },
      {
        type: 'transcript.delta',
        role: 'assistant',
        responseId: 'r1',
        itemId: 'a1',
        contentIndex: 0,
        text: 'one two three four',
      },
      speech('r1', 'a1', 1_000),
    );
    await fake.host.advance(500);
    fake.wire.give({ type: 'speech.started', itemId: 'u1' });
    await fake.settle();
    expect(operative.conversation.messages).toMatchObject([
      { role: 'assistant', content: [{ type: 'text', text: 'one two t' }], meta: { cut: 'interrupted' } },
    ]);
  });

  test('has no message for what was not written down, and none for what was not heard', async () => {
    const { fake, operative } = await operate({}, { playback: { playedMs: () => 0 } });
    const said = { type: 'transcript.done', contentIndex: 0 } as const;
    fake.wire.give({ type: 'input.committed', itemId: 'u1' }, { type: 'response.created', responseId: 'r1' });
    for (const itemId of ['a1', 'a2']) {
      fake.wire.give(speech('r1', itemId, 400), {
        ...said,
        role: 'assistant',
        responseId: 'r1',
        itemId,
        transcript: itemId,
      });
    }
    void operative.send({ type: 'response.interrupt' });
    await fake.settle();
    expect(operative.conversation.messages).toEqual([]);
    fake.wire.give({ type: 'input.committed', itemId: 'u2', previousItemId: 'u1' });
    for (const itemId of ['u2', 'u1']) fake.wire.give({ ...said, role: 'user', itemId, transcript: itemId });
    await fake.settle();
    expect(operative.conversation.messages.map(({ meta }) => meta?.['itemId'])).toEqual(['u1', 'u2']);
  });

  test('does not hold what is written next to it', async () => {
    const { fake, operative } = await operate();
    fake.wire.give({ type: 'response.created', responseId: 'o1', outOfBand: true });
    fake.wire.give({ type: 'text.done', responseId: 'o1', itemId: 'i1', contentIndex: 0, text: 'class: greeting' });
    fake.wire.give(responseEnd('o1', { outOfBand: true }));
    await fake.settle();
    expect(operative.conversation.messages).toEqual([]);
  });
});
