// One link by itself: the rules every provider keeps, whatever its socket does.

import { OpenAI } from 'openai';
import { describe, expect, test } from 'vitest';
import { openaiWire } from '../../../src/realtime/openai/wire.ts';
import type { OpenSocket } from '../../../src/realtime/openai/socket.ts';
import type { WireFact, WireLink } from '../../../src/realtime/wire.ts';
import { simulatedHost } from '../../../src/testing/simulated-host.ts';
import { handSocket } from './hand-socket.ts';

const settled = () => simulatedHost().settle();

async function dial(
  socket: OpenSocket,
  target: { readonly model: string } | { readonly callId: string } = { model: 'm' },
): Promise<{ link: WireLink; facts: WireFact[] }> {
  const wire = await openaiWire(target, { apiKey: 'sk-1', socket });
  const facts: WireFact[] = [];
  const link = wire.dial((fact) => facts.push(fact));
  expect(facts).toEqual([]); // nothing from within
  return { link, facts };
}

/** A socket that opens, and then never says anything again, not even that it is closed. */
const deafSocket: OpenSocket = (_, listener) => {
  queueMicrotask(() => listener.opened());
  return {
    send: (__, written) => written?.(),
    bufferedBytes: 7,
    tellsWritten: true,
    close: () => undefined,
    terminate: () => undefined,
  };
};

describe('an end', () => {
  test('asked for in order comes from the socket, and is not an error', async () => {
    const { link, facts } = await dial(handSocket().open);
    await settled();
    link.close();
    link.close();
    await settled();
    expect(facts).toEqual([{ type: 'wire.opened' }, { type: 'wire.closed', code: 1000 }]);
  });

  test('by force comes at once, whatever the socket does', async () => {
    const { link, facts } = await dial(deafSocket);
    await settled();
    link.terminate();
    link.terminate();
    expect(facts.at(-1)?.type).toBe('wire.opened'); // not from within
    await settled();
    expect(facts).toEqual([{ type: 'wire.opened' }, { type: 'wire.closed', code: 1006 }]);
  });

  test.each(['close', 'terminate'] as const)('by %s before the socket is open is one', async (how) => {
    const { link, facts } = await dial(() => ({ ...deafSocket({ url: '', headers: {}, protocols: [] }, quiet) }));
    link[how]();
    await settled();
    expect(facts).toEqual([{ type: 'wire.closed', code: 1006 }]);
  });

  test('is the last word, once', async () => {
    const hand = handSocket();
    const { facts } = await dial(hand.open);
    await settled();
    hand.listener.failed({ message: 'broken' });
    hand.listener.closed(1006, '');
    hand.listener.closed(1006, '');
    hand.frame({ type: 'session.created', session: { id: 's' } });
    expect(facts.map(({ type }) => type)).toEqual(['wire.opened', 'wire.closed']);
    expect(facts[1]).toMatchObject({ error: { name: 'ModelError', code: 'model.connection' } });
  });

  test('of a socket that cannot be made is reported as one', async () => {
    const { facts } = await dial(() => {
      throw new TypeError('no sockets here');
    });
    await settled();
    expect(facts).toMatchObject([{ type: 'wire.closed', error: { name: 'ModelError' } }]);
  });
});

describe('a command', () => {
  test('after the end is left undone, and counts as written', async () => {
    const hand = handSocket();
    const { link } = await dial(hand.open);
    await settled();
    hand.listener.closed(1000, '');
    let written = 0;
    link.send({ type: 'audio.append', audio: new Uint8Array(2) }, () => written++);
    expect([written, hand.sent]).toEqual([1, []]);
  });

  test('that is not JSON is reported as refused, later', async () => {
    const hand = handSocket();
    const { link, facts } = await dial(hand.open);
    await settled();
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    let written = 0;
    link.send({ type: 'raw', event: circle as never }, () => written++);
    link.send({ type: 'session.update', eventId: 'q1', changes: { providerOptions: { n: 1n } as never } });
    expect([written, facts.length]).toEqual([1, 1]);
    await settled();
    expect(facts.slice(1)).toMatchObject([
      { type: 'error', kind: 'request', code: 'unencodable' },
      { type: 'error', kind: 'request', code: 'unencodable', causedBy: 'q1' },
    ]);
    expect(hand.sent).toEqual([]);
  });
});

test('what waits is the socket’s word', async () => {
  const wire = await openaiWire({ model: 'm' }, { apiKey: 'sk-1', socket: deafSocket });
  const link = wire.dial(() => undefined);
  expect([link.bufferedBytes, link.tellsWritten]).toEqual([0, true]);
  await settled();
  expect(link.bufferedBytes).toBe(7);
});

test('a side socket announces its session itself', async () => {
  const hand = handSocket();
  const { facts } = await dial(hand.open, { callId: 'rtc_1' });
  await settled();
  expect(facts).toEqual([{ type: 'wire.opened' }, { type: 'session.created', sessionId: 'rtc_1', settings: {} }]);
});

test('each link asks for the key again', async () => {
  let asked = 0;
  const client = new OpenAI({ apiKey: () => Promise.resolve(`sk-${++asked}`) });
  const keys: unknown[] = [];
  const socket: OpenSocket = (request, listener) => {
    keys.push(request.headers['Authorization']);
    return deafSocket(request, listener);
  };
  const wire = await openaiWire({ model: 'm' }, { client, socket });
  for (let n = 0; n < 3; n++) {
    wire.dial(() => undefined);
    await settled();
  }
  expect(keys).toEqual(['Bearer sk-1', 'Bearer sk-2', 'Bearer sk-3']);
});

const quiet = {
  opened: () => undefined,
  text: () => undefined,
  binary: () => undefined,
  failed: () => undefined,
  closed: () => undefined,
};
