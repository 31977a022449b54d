// The calls of a voice session, where something breaks that is not a tool.

import { expect, test } from 'vitest';
import type { RealtimeEvent } from '../../src/contracts/realtime.ts';
import { createRealtimeOperative } from '../../src/realtime/operative.ts';
import { simulatedHost } from '../../src/testing/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { openSession, responseEnd } from './fake-wire.ts';

test('arguments nested without end stay text', async () => {
  const fake = await openSession();
  const rawArgs = `{"a":${'['.repeat(6_000)}${']'.repeat(6_000)}}`;
  fake.wire.give({ type: 'response.created', responseId: 'r1' });
  fake.wire.give({ type: 'toolCall.requested', responseId: 'r1', callId: 'c', itemId: 'i', name: 't', rawArgs });
  await fake.settle();
  expect(fake.told('toolCall.requested').map(({ call }) => call)).toEqual([
    { type: 'toolCall', id: 'c', name: 't', rawArgs, data: { itemId: 'i' } },
  ]);
});

test('a clock that throws when a call ends fails that call, and the next one runs', async () => {
  let isBroken = false;
  const now = () => {
    if (!isBroken) return 0;
    isBroken = false;
    throw new Error('no clock');
  };
  const toolOf = (name: string, execute: () => unknown) =>
    defineTool({ name, description: name, parameters: { type: 'object' }, execute });
  const odd = toolOf('odd', async () => {
    isBroken = true;
    return 'x';
  });
  const fake = await openSession({}, { host: { ...simulatedHost(), now } });
  const operative = createRealtimeOperative(fake.session, { tools: [odd, toolOf('fine', () => 'y')] });
  const events: RealtimeEvent[] = [];
  void (async () => {
    for await (const event of operative.run()) events.push(event);
  })();
  await fake.settle();
  fake.wire.give({ type: 'response.created', responseId: 'r1' });
  for (const name of ['odd', 'fine']) {
    fake.wire.give({ type: 'toolCall.requested', responseId: 'r1', callId: name, itemId: name, name, rawArgs: '{}' });
  }
  fake.wire.give(responseEnd('r1'));
  await fake.settle();
  const told = events.flatMap((event) => (event.type === 'toolCall.settled' ? [event.result] : []));
  expect(told).toMatchObject([
    { callId: 'odd', status: 'failed', content: [{ text: 'no clock' }] },
    { callId: 'fine', status: 'completed' },
  ]);
});
