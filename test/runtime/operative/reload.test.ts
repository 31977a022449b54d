import { describe, expect, test } from 'vitest';
import { createConversation, type Conversation } from '../../../src/conversation/conversation.ts';
import { assistantMessage, userMessage, type Message } from '../../../src/conversation/message.ts';
import { bothWays, deferred, never, readAll, startOperative, toolOf, type OperativeBench } from './operative-bench.ts';
import { operativeIn } from './operative-states.ts';

const said = (role: 'user' | 'assistant', id: string): Message =>
  role === 'user' ? userMessage(id, { id }) : assistantMessage(id, { id });
const stored = (...messages: readonly Message[]): Conversation => createConversation({ messages });

describe.each(bothWays)('reloadBeforeStart (%s)', (interpreter) => {
  test('what is loaded replaces the contents in place, and the turn starts on it', async () => {
    const bench = startOperative({
      interpreter,
      own: {
        reloadBeforeStart: () =>
          createConversation({ system: 'be brief', messages: [said('user', 'u0'), said('assistant', 'a0')] }),
      },
    });
    void bench.submit('A');
    await bench.rest();
    expect(bench.lines()).toEqual(['user u0', 'assistant a0', 'user A', 'assistant read 3']);
    expect(bench.conversation.system).toEqual([{ type: 'text', text: 'be brief' }]);
    expect(bench.operative.conversation).toBe(bench.conversation);
    expect(bench.log().slice(0, 2)).toEqual(['turn.started', 'reloaded 2']);
  });

  test('submit resolves at the claim, resume after the reload', async () => {
    const loaded = deferred<Conversation>();
    const bench = startOperative({ interpreter, own: { reloadBeforeStart: () => loaded.promise } });
    const answers: string[] = [];
    void bench.operative.resume().then(({ outcome }) => answers.push(outcome));
    await bench.host.settle();
    expect([bench.operative.state, answers]).toEqual(['reloading', []]);
    loaded.resolve(stored(said('user', 'u0')));
    await bench.host.settle();
    expect(answers).toEqual(['startedTurn']);
    await bench.rest();
    const slow = await operativeIn('reloading', { interpreter });
    expect(slow.sent[0]?.result?.outcome).toBe('startedTurn');
    await slow.rest();
  });

  test('resume says nothingToDo when what is loaded ends in an answer, and no turn was', async () => {
    const bench = startOperative({
      interpreter,
      own: { reloadBeforeStart: async () => stored(said('user', 'u0'), said('assistant', 'a0')) },
    });
    const { outcome, events } = await bench.operative.resume();
    const read = readAll(events);
    await bench.rest();
    expect([outcome, read.events, read.isDone]).toEqual(['nothingToDo', [], true]);
    expect(bench.log()).toEqual(['transcript.replaced']);
    expect(bench.lines()).toEqual(['user u0', 'assistant a0']);
    expect((await bench.submit('A')).outcome).toBe('startedTurn');
    await bench.rest();
  });

  test('a second resume during the reload hears the same: nothingToDo, or alreadyRunning', async () => {
    for (const [role, outcomes] of [
      ['assistant', ['nothingToDo', 'nothingToDo']],
      ['user', ['startedTurn', 'alreadyRunning']],
    ] as const) {
      const bench = startOperative({ interpreter, own: { reloadBeforeStart: async () => stored(said(role, 'm0')) } });
      const resumes = await Promise.all([bench.operative.resume(), bench.operative.resume()]);
      const read = resumes.map(({ events }) => readAll(events));
      await bench.rest();
      expect(resumes.map(({ outcome }) => outcome)).toEqual(outcomes);
      expect(read.map(({ isDone }) => isDone)).toEqual([true, true]);
    }
  });

  test('a resume joined by a submit starts its turn even where the transcript is answered', async () => {
    const loaded = deferred<Conversation>();
    const bench = startOperative({ interpreter, own: { reloadBeforeStart: () => loaded.promise } });
    const resumed = bench.operative.resume();
    void bench.submit('A');
    loaded.resolve(stored(said('user', 'u0'), said('assistant', 'a0')));
    await bench.rest();
    expect((await resumed).outcome).toBe('startedTurn');
    expect(bench.fates()).toEqual(['injected answered']);
  });

  test('a message held during the reload of a resume starts that turn where nothing else does', async () => {
    const loaded = deferred<Conversation>();
    const bench = startOperative({ interpreter, own: { reloadBeforeStart: () => loaded.promise } });
    void bench.operative.resume();
    void bench.submit('Q', { policy: 'queue' });
    loaded.resolve(stored(said('user', 'u0'), said('assistant', 'a0')));
    await bench.rest();
    expect(bench.fates()).toEqual(['queued answered']);
    expect(bench.results()).toHaveLength(1);
  });

  test('late messages held in memory survive a reload that lacks them', async () => {
    let store = stored();
    const bench = await operativeIn('settling', { interpreter, own: { reloadBeforeStart: () => store } });
    store = stored(said('user', 'A'), said('assistant', 'answer'));
    void bench.submit('L1');
    void bench.submit('L2');
    await bench.rest();
    void bench.submit('B');
    await bench.rest();
    expect(bench.lines()).toEqual(['user A', 'assistant answer', 'user L1', 'user L2', 'user B', 'assistant read 5']);
    const announced = bench.events
      .filter((event) => event.type === 'message.appended')
      .map(({ message }) => message.id);
    expect(announced.filter((id) => /^[ALB]/.test(id))).toEqual(['A', 'L1', 'L2', 'L1', 'L2', 'B']);
  });

  test('an unanswered message survives a reload that lacks it', async () => {
    let fails = true;
    const bench = startOperative({
      interpreter,
      script: () => (fails ? { throw: new Error('down') } : { text: 'Hi' }),
      own: { reloadBeforeStart: () => stored() },
    });
    void bench.submit('A');
    await bench.rest();
    fails = false;
    expect((await bench.operative.resume()).outcome).toBe('startedTurn');
    await bench.rest();
    expect(bench.lines()).toEqual(['user A', 'assistant Hi']);
  });

  test('held messages are answered though the reload of their turn ends in an answer', async () => {
    let store = stored();
    const bench = startOperative({ interpreter, own: { reloadBeforeStart: async () => store } });
    void bench.submit('A');
    void bench.submit('Q', { policy: 'queue' });
    await Promise.resolve();
    store = stored(said('user', 'A'), said('assistant', 'answer'));
    await bench.rest();
    expect(bench.fates()).toEqual(['startedTurn answered', 'queued answered']);
  });

  test('unanswered messages of several turns come back in order', async () => {
    let fails = true;
    const bench = startOperative({
      interpreter,
      script: () => (fails ? { throw: new Error('down') } : { text: 'Hi' }),
      own: { reloadBeforeStart: () => stored() },
    });
    for (const id of ['A', 'B', 'C']) {
      void bench.submit(id);
      await bench.host.settle();
    }
    fails = false;
    await bench.operative.resume();
    await bench.rest();
    expect(bench.lines()).toEqual(['user A', 'user B', 'user C', 'assistant Hi']);
  });

  test('an answered message that the store has lost is not put back', async () => {
    const bench = startOperative({ interpreter, own: { reloadBeforeStart: () => stored() } });
    void bench.operative.submit(said('user', 'A'));
    await bench.host.settle();
    void bench.submit('B');
    await bench.rest();
    expect(bench.lines()).toEqual(['user B', 'assistant read 1']);
  });

  test('the host stored the message before it submitted it: it is not appended again', async () => {
    const bench = startOperative({
      interpreter,
      own: { reloadBeforeStart: () => stored(said('user', 'u0'), said('assistant', 'a0'), said('user', 'A')) },
    });
    void bench.submit('A');
    await bench.rest();
    expect(bench.lines()).toEqual(['user u0', 'assistant a0', 'user A', 'assistant read 3']);
    expect(bench.fates()).toEqual(['startedTurn answered']);
  });

  test('the host stored a steer before the reload brought it: it is drained without a second append', async () => {
    const loaded = deferred<Conversation>();
    const bench = await operativeIn('reloading', { interpreter, own: { reloadBeforeStart: () => loaded.promise } });
    void bench.submit('S');
    void bench.submit('Q', { policy: 'queue' });
    loaded.resolve(stored(said('user', 'A'), said('user', 'S'), said('user', 'Q')));
    await bench.rest();
    expect(bench.fates()).toEqual(['startedTurn answered', 'injected answered', 'queued answered']);
    expect(bench.asked()[0]).toEqual(['A', 'S', 'Q']);
  });

  test('a held message that one reload brought and the next one lacks is appended', async () => {
    let loads = 0;
    const bench = startOperative({
      interpreter,
      script: ({ messages }) => ({ text: `read ${messages.length}`, delayMs: 10 }),
      own: {
        reloadBeforeStart: async () =>
          loads++ === 0 ? stored(said('user', 'A'), said('user', 'Q')) : stored(said('user', 'A')),
      },
    });
    void bench.submit('A');
    void bench.submit('Q', { policy: 'queue' });
    await bench.rest();
    expect(bench.lines()).toEqual(['user A', 'user Q', 'assistant read 2']);
  });

  test('what is loaded is repaired', async () => {
    const dangling: Message = {
      id: 'a0',
      role: 'assistant',
      content: [{ type: 'toolCall', id: 'c1', name: 'look', args: {} }],
    };
    const bench = startOperative({
      interpreter,
      own: { reloadBeforeStart: () => stored(said('user', 'u0'), dangling) },
    });
    void bench.submit('A');
    await bench.rest();
    expect(bench.lines()).toEqual(['user u0', 'call look', 'interrupted', 'user A', 'assistant read 4']);
  });

  test('the very conversation of the operative may be returned', async () => {
    const conversation = stored(said('user', 'u0'), said('assistant', 'a0'));
    const bench = startOperative({ interpreter, conversation, own: { reloadBeforeStart: () => conversation } });
    void bench.submit('A');
    await bench.rest();
    expect(bench.lines()).toEqual(['user u0', 'assistant a0', 'user A', 'assistant read 3']);
  });

  test('a message array of the host never becomes the transcript', async () => {
    const own = stored(said('user', 'u0'));
    const bench = startOperative({ interpreter, own: { reloadBeforeStart: () => own } });
    void bench.submit('A');
    await bench.rest();
    expect(own.messages.map(({ id }) => id)).toEqual(['u0']);
  });

  test('every turn reloads, also one that starts by itself', async () => {
    let loads = 0;
    const conversation = createConversation();
    const bench = await operativeIn('running', {
      interpreter,
      conversation,
      own: { reloadBeforeStart: () => (loads++, conversation) },
    });
    void bench.submit('Q', { policy: 'queue' });
    await bench.rest();
    expect(loads).toBe(2);
  });
});

const failures: Readonly<Record<string, () => unknown>> = {
  'it rejects': () => Promise.reject(new Error('no store')),
  'it throws synchronously': () => {
    throw new Error('no store');
  },
  'it throws no error': () => Promise.reject(undefined),
  'it returns nothing': () => undefined,
  'it returns text': () => 'conversation',
  'its messages are no array': () => ({ system: [], messages: {} }),
  'its messages are garbage': () => ({ system: [], messages: [null, 7, { id: 1 }] }),
  'its messages throw when read': () => ({
    get messages() {
      throw new Error('gone');
    },
  }),
};

test.each(bothWays)(
  'a held message that a listener to the start withdraws was announced as queued before (%s)',
  async (interpreter) => {
    const bench = startOperative({ interpreter, own: { reloadBeforeStart: async () => stored() } });
    bench.operative.subscribe(({ type }) => {
      if (type === 'turn.started') bench.operative.withdraw('A');
    });
    void bench.operative.resume();
    void bench.submit('A', { policy: 'queue' });
    await bench.rest();
    expect(bench.log().slice(0, 3)).toEqual(['turn.started', 'queued A', 'withdrawn A']);
    expect(bench.fates()).toEqual(['queued withdrawn']);
  },
);

describe.each(bothWays)('a reload that fails (%s)', (interpreter) => {
  test.each(Object.entries(failures))('%s', async (_name, reload) => {
    const bench = startOperative({ interpreter, own: { reloadBeforeStart: reload as () => Conversation } });
    void bench.submit('A');
    await bench.rest();
    expect(bench.operative.state).toBe('idle');
    expect(bench.log()).toEqual(['turn.started', 'queued A', 'completed failed']);
    expect(bench.results()).toMatchObject([{ iterations: 0, error: { code: 'reload.failed' } }]);
    expect(bench.lines()).toEqual(['user A']);
    expect(bench.fates()).toEqual(['startedTurn queued']);
  });

  test('lateMessages start does not start after it', async () => {
    const bench = startOperative({
      interpreter,
      own: { lateMessages: 'start', reloadBeforeStart: () => Promise.reject(new Error('no store')) },
    });
    void bench.submit('A');
    void bench.submit('B');
    await bench.rest();
    expect(bench.results()).toHaveLength(1);
  });

  test('the next submit tries again and answers both', async () => {
    let loads = 0;
    const bench = startOperative({
      interpreter,
      own: {
        reloadBeforeStart: () => {
          if (loads++ === 0) throw new Error('no store');
          return stored();
        },
      },
    });
    void bench.submit('A');
    await bench.rest();
    void bench.submit('B');
    await bench.rest();
    expect(bench.lines()).toEqual(['user A', 'user B', 'assistant read 2']);
  });

  test('a resume during it learns of the turn that failed', async () => {
    const bench = startOperative({
      interpreter,
      own: { reloadBeforeStart: () => Promise.reject(new Error('no store')) },
    });
    const { outcome, events } = await bench.operative.resume();
    const read = readAll(events);
    await bench.rest();
    expect(outcome).toBe('startedTurn');
    expect(read.events.at(-1)).toMatchObject({ type: 'turn.completed', reason: 'failed' });
  });
});

describe.each(bothWays)('cancel while reloading (%s)', (interpreter) => {
  test('ends the turn before its first iteration, with the message in the transcript', async () => {
    const bench = startOperative({ interpreter, own: { reloadBeforeStart: () => never<Conversation>() } });
    void bench.submit('A');
    expect(await bench.operative.cancel()).toMatchObject({ reason: 'aborted', iterations: 0, turnId: 'turn_1' });
    await bench.rest();
    expect(bench.log()).toEqual(['turn.started', 'queued A', 'completed aborted']);
    expect(bench.lines()).toEqual(['user A']);
  });

  test.each([
    ['resolves', stored(said('user', 'u0'))],
    ['rejects', new Error('no store')],
  ])('what reload brings later is dropped: it %s', async (_name, later) => {
    const loaded = deferred<Conversation>();
    const bench = startOperative({ interpreter, own: { reloadBeforeStart: () => loaded.promise } });
    void bench.submit('A');
    await bench.operative.cancel();
    if (later instanceof Error) loaded.reject(later);
    else loaded.resolve(later);
    await bench.rest();
    expect(bench.lines()).toEqual(['user A']);
    expect(bench.results()).toHaveLength(1);
  });

  test('what a reload brings after its turn was preempted is dropped', async () => {
    const loads = [deferred<Conversation>(), deferred<Conversation>()];
    let count = 0;
    const bench: OperativeBench = startOperative({
      interpreter,
      tools: [toolOf('look')],
      own: { reloadBeforeStart: () => loads[count++]?.promise ?? stored() },
    });
    void bench.submit('A');
    void bench.submit('P', { policy: 'preempt' });
    loads[0]?.resolve(stored(said('user', 'first')));
    await bench.host.settle();
    loads[1]?.resolve(stored(said('user', 'second')));
    await bench.rest();
    expect(bench.lines()).toEqual(['user second', 'user A', 'user P', 'assistant read 3']);
  });
});
