import { createActor, fromTransition, toPromise } from 'xstate';
import { describe, expect, test } from 'vitest';
import { createConversation } from '../../src/conversation/conversation.ts';
import { userMessage } from '../../src/conversation/message.ts';
import { actorOf } from '../../src/embedding/index.ts';
import { createEngine } from '../../src/runtime/engine.ts';
import { createOperative } from '../../src/runtime/operative.ts';
import { scriptedModel, simulatedHost } from '../../src/testing/index.ts';
import { interpreters } from '../runtime/turn-bench.ts';

describe.each(interpreters)('actorOf (%s)', (interpreter) => {
  const inspect = interpreter === 'inspected' ? { inspect: () => undefined } : {};
  const newEngine = (host = simulatedHost()) =>
    createEngine({ transformers: [], model: scriptedModel(() => ({ text: 'Hi' }), { host }), host, ...inspect });
  const asked = () => createConversation({ messages: [userMessage('go')] });

  test('of a turn is done when the turn is, with its result as output', async () => {
    const run = newEngine().run(asked());
    const output = await toPromise(actorOf(run));
    const result = await run.result;
    expect(output).toMatchObject(result);
    expect(output.waiting).toEqual({ late: 0, queued: 0 });
    expect(actorOf(run).getSnapshot()).toMatchObject({ status: 'done', value: 'completed' });
  });

  test('of a turn shows its states', async () => {
    const run = newEngine().run(asked());
    const values: unknown[] = [actorOf(run).getSnapshot().value];
    actorOf(run).subscribe(({ value }) => values.push(value));
    await run.result;
    expect(values).toEqual(['streaming', 'completed']);
  });

  test('of an operative shows its states and stays active for its life', async () => {
    const host = simulatedHost();
    const operative = createOperative({ engine: newEngine(host) });
    const values: unknown[] = [];
    actorOf(operative).subscribe(({ value }) => values.push(value));
    await operative.submit('A');
    await host.settle();
    expect(values[0]).toEqual({ active: 'running' });
    expect(values.at(-1)).toBe('idle');
    await operative.close();
    expect(actorOf(operative).getSnapshot()).toMatchObject({ status: 'active', value: 'closed' });
  });

  test('of an operative shows the running turn as its child', async () => {
    const host = simulatedHost();
    const operative = createOperative({ engine: newEngine(host), ...inspect });
    await operative.submit('A');
    expect(Object.keys(actorOf(operative).getSnapshot().children)).toEqual(['turn']);
    await host.settle();
    expect(Object.keys(actorOf(operative).getSnapshot().children)).toEqual([]);
    await operative.close();
  });

  test('a snapshot can be written as JSON and holds no message', async () => {
    const host = simulatedHost();
    const operative = createOperative({ engine: newEngine(host), ...inspect });
    await operative.submit('a secret');
    expect(JSON.stringify(actorOf(operative).getSnapshot().context)).not.toContain('secret');
    await host.settle();
    await operative.close();
  });

  test('is the same actor each time', async () => {
    const operative = createOperative({ engine: newEngine() });
    expect(actorOf(operative)).toBe(actorOf(operative));
    await operative.close();
  });
});

test.each([{}, { turnId: 'turn_1' }, createActor(fromTransition((state: number) => state, 0))])(
  'actorOf throws engine.foreign on what is neither',
  (other) => {
    expect(() => actorOf(other as never)).toThrow(expect.objectContaining({ code: 'engine.foreign' }));
  },
);
