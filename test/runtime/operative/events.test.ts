import { describe, expect, test } from 'vitest';
import type { OperativeEvent } from '../../../src/contracts/events.ts';
import type { OperativeState } from '../../../src/contracts/operative.ts';
import { textOf } from '../../../src/conversation/message.ts';
import { bothWays, logOf, readAll, startOperative, toolOf } from './operative-bench.ts';
import { operativeIn } from './operative-states.ts';

describe.each(bothWays)('the events of a call (%s)', (interpreter) => {
  test('begin at the submit that started the turn and end with turn.completed', async () => {
    const bench = startOperative({ interpreter });
    const read = readAll((await bench.submit('A')).events);
    await bench.rest();
    expect(read.events).toEqual(bench.events);
    expect(read.events.at(0)?.type).toBe('turn.started');
    expect(read.events.at(-1)?.type).toBe('turn.completed');
    expect(read.isDone).toBe(true);
  });

  test.each(['steer', 'queue'] as const)('of a %s in mid-turn are exactly the rest', async (policy) => {
    const bench = startOperative({ interpreter, script: [{ chunks: ['Hel', 'lo'], paceMs: 100 }, { text: 'Hi' }] });
    void bench.submit('A');
    await bench.host.advance(250);
    const before = bench.events.length;
    const { events } = await bench.submit('B', { policy });
    await bench.host.advance(200); // nobody reads yet
    const read = readAll(events);
    await bench.rest();
    const end = bench.events.findIndex(({ type }) => type === 'turn.completed') + 1;
    expect(before).toBeGreaterThan(3);
    expect(read.events).toEqual(bench.events.slice(before, end));
  });

  test('of a late submit are the rest of the current turn', async () => {
    const bench = await operativeIn('settling', { interpreter, own: { lateMessages: 'start' } });
    const read = readAll((await bench.submit('L')).events);
    await bench.rest();
    expect(logOf(read.events)).toEqual(['queued L', 'completed completed']);
    expect(read.isDone).toBe(true);
  });

  test.each(['running', 'closed'] as const)('of a submit rejected while %s are empty', async (state) => {
    const bench = await operativeIn(state, { interpreter });
    const read = readAll((await bench.submit('M', { policy: 'reject' })).events);
    await bench.rest();
    expect(read).toEqual({ events: [], isDone: true });
  });

  test('of a resume begin with the turn, those of a joined resume are the rest', async () => {
    const bench = startOperative({ interpreter, script: [{ throw: 'x' }, { chunks: 1, text: 'Hello', paceMs: 10 }] });
    void bench.submit('A');
    await bench.host.settle();
    const first = await bench.operative.resume();
    await bench.host.advance(25);
    const mark = bench.events.length;
    const second = await bench.operative.resume();
    expect([first.outcome, second.outcome]).toEqual(['startedTurn', 'alreadyRunning']);
    const [whole, rest] = [readAll(first.events), readAll(second.events)];
    await bench.rest();
    expect(whole.events[0]).toEqual({ type: 'turn.started', turnId: 'turn_2' });
    expect(rest.events).toEqual(bench.events.slice(mark));
  });

  test('can be iterated once', async () => {
    const bench = startOperative({ interpreter });
    const { events } = await bench.submit('A');
    events[Symbol.asyncIterator]();
    expect(() => events[Symbol.asyncIterator]()).toThrow(expect.objectContaining({ code: 'events.consumed' }));
    await bench.rest();
  });

  test('leaving the loop never cancels the turn', async () => {
    const bench = await operativeIn('running', { interpreter });
    const { events } = await bench.submit('B');
    void bench.host.advance(5_000);
    for await (const event of events) if (event.type === 'message.start') break;
    await bench.rest();
    expect(bench.results()).toMatchObject([{ reason: 'completed' }]);
  });

  test('of two callers are read apart', async () => {
    const bench = await operativeIn('running', { interpreter });
    const readers = [readAll((await bench.submit('B')).events), readAll((await bench.submit('C')).events)];
    await bench.rest();
    expect(readers[0]?.events).toEqual(readers[1]?.events);
    expect(readers[0]?.events.length).toBeGreaterThan(0);
  });
});

describe.each(bothWays)('subscribe (%s)', (interpreter) => {
  test('hears every event of every turn, in order', async () => {
    const bench = startOperative({ interpreter });
    const readers = [];
    for (const text of ['A', 'B']) {
      readers.push(readAll((await bench.submit(text)).events));
      await bench.host.settle();
    }
    await bench.rest();
    expect(bench.events).toEqual(readers.flatMap(({ events }) => events));
  });

  test('hears nothing once it is left', async () => {
    const bench = startOperative({ interpreter });
    let heard = 0;
    bench.operative.subscribe(() => heard++)();
    void bench.submit('A');
    await bench.rest();
    expect(heard).toBe(0);
  });

  test('every append is announced with its place', async () => {
    const bench = await operativeIn('running', { interpreter, tools: [toolOf('look')] });
    void bench.submit('S');
    void bench.submit('Q', { policy: 'queue' });
    await bench.rest();
    const appended = bench.events.flatMap((event) => (event.type === 'message.appended' ? [event] : []));
    expect(appended.map(({ message }) => message)).toEqual(bench.conversation.messages);
    expect(appended.map(({ index }) => index)).toEqual(bench.conversation.messages.map((_, index) => index));
  });

  test('the state has changed when an event is heard', async () => {
    const bench = startOperative({ interpreter });
    const seen: (readonly [OperativeEvent['type'], OperativeState])[] = [];
    bench.operative.subscribe(({ type }) => {
      if (type.startsWith('turn.') || type === 'operative.closed') seen.push([type, bench.operative.state]);
    });
    void bench.submit('A');
    await bench.host.settle();
    await bench.operative.close();
    await bench.rest();
    expect(seen).toEqual([
      ['turn.started', 'running'],
      ['turn.completed', 'idle'],
      ['operative.closed', 'closed'],
    ]);
  });

  test('turn.completed of a turn that another follows is heard with the next turn claimed', async () => {
    const bench = await operativeIn('running', { interpreter });
    const states: OperativeState[] = [];
    bench.operative.subscribe(({ type }) => {
      if (type === 'turn.completed') states.push(bench.operative.state);
    });
    void bench.submit('Q', { policy: 'queue' });
    await bench.rest();
    expect(states).toEqual(['running', 'idle']);
  });

  test('turn.completed of a turn cancelled while reloading is heard when idle', async () => {
    const bench = await operativeIn('reloading', { interpreter });
    const states: OperativeState[] = [];
    bench.operative.subscribe(({ type }) => {
      if (type === 'turn.completed' || type === 'message.queued') states.push(bench.operative.state);
    });
    void bench.operative.cancel();
    await bench.rest();
    expect(states).toEqual(['idle', 'idle']);
  });

  test('turn.reloaded is heard in the state that follows the reload', async () => {
    const bench = await operativeIn('reloading', { interpreter });
    const states: OperativeState[] = [];
    bench.operative.subscribe(({ type }) => {
      if (type === 'turn.reloaded') states.push(bench.operative.state);
    });
    await bench.rest();
    expect(states).toEqual(['running']);
  });

  test('the delivery of a message is known by the time turn.completed is read', async () => {
    const bench = startOperative({ interpreter });
    const { events, delivery } = await bench.submit('A');
    const order: string[] = [];
    void delivery.then(() => order.push('delivery'));
    void (async () => {
      for await (const { type } of events) if (type === 'turn.completed') order.push(type);
    })();
    await bench.rest();
    expect(order).toEqual(['delivery', 'turn.completed']);
  });

  test('what a listener throws goes to onListenerError, and everybody else hears everything', async () => {
    const errors: unknown[] = [];
    const bench = startOperative({ interpreter, onListenerError: (error) => errors.push(error) });
    const heard: OperativeEvent[] = [];
    bench.operative.subscribe(({ type }) => {
      throw new Error(type);
    });
    bench.operative.subscribe((event) => heard.push(event));
    void bench.submit('A');
    await bench.rest();
    expect(heard).toEqual(bench.events);
    expect(errors).toEqual(heard.map(({ type }) => new Error(type)));
  });

  test('what a listener throws before any turn is reported too', async () => {
    const errors: unknown[] = [];
    const bench = startOperative({ interpreter, onListenerError: (error) => errors.push(error) });
    bench.operative.subscribe(() => {
      throw new Error('bad');
    });
    await bench.operative.close();
    await bench.rest();
    expect(errors).toEqual([new Error('bad')]);
  });

  test('an onListenerError that throws harms nobody', async () => {
    const bench = startOperative({
      interpreter,
      onListenerError: () => {
        throw new Error('worse');
      },
    });
    bench.operative.subscribe(() => {
      throw new Error('bad');
    });
    void bench.submit('A');
    await bench.rest();
    expect(bench.fates()).toEqual(['startedTurn answered']);
  });
});

describe.each(bothWays)('partial (%s)', (interpreter) => {
  test('is the message as far as it was said, with the id it will have', async () => {
    const bench = startOperative({ interpreter, script: [{ chunks: ['Hel', 'lo'], paceMs: 100 }] });
    expect(bench.operative.partial()).toBeUndefined();
    void bench.submit('A');
    await bench.host.advance(250);
    const partial = bench.operative.partial();
    expect(partial === undefined ? undefined : textOf(partial)).toBe('Hel');
    await bench.rest();
    expect(bench.conversation.messages.at(-1)?.id).toBe(partial?.id);
    expect(bench.operative.partial()).toBeUndefined();
  });

  test('is a picture: what is said later does not change it', async () => {
    const bench = startOperative({ interpreter, script: [{ chunks: ['Hel', 'lo'], paceMs: 100 }] });
    void bench.submit('A');
    await bench.host.advance(250);
    const partial = bench.operative.partial();
    const before = JSON.stringify(partial);
    await bench.rest();
    expect(JSON.stringify(partial)).toBe(before);
  });

  test.each(['idle', 'reloading', 'settling', 'closed'] as const)('is undefined while %s', async (state) => {
    const bench = await operativeIn(state, { interpreter });
    expect(bench.operative.partial()).toBeUndefined();
    await bench.rest();
  });
});
