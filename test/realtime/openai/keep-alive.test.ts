// A real server on loopback that stops answering pings: its link is up, and nobody is there.

import { describe, expect, test } from 'vitest';
import type { RealtimeSession, RealtimeSessionOptions } from '../../../src/contracts/realtime.ts';
import { openaiRealtime } from '../../../src/realtime/openai/model.ts';
import { openNativeSocket } from '../../../src/realtime/openai/native-socket.ts';
import type { OpenSocket } from '../../../src/realtime/openai/socket.ts';
import { openWsSocket } from '../../../src/realtime/openai/ws-socket.ts';
import { simulatedHost, type SimulatedHost } from '../../../src/testing/simulated-host.ts';
import { greet } from './dialogue.ts';
import { listen, type Listener } from './listen.ts';
import { startWireServer, type Peer } from './wire-server.ts';

interface Scene extends AsyncDisposable {
  readonly session: RealtimeSession;
  readonly ear: Listener;
  readonly host: SimulatedHost;
  readonly peer: Peer;
  /** Resolves when this many pongs have come. */
  ponged(count: number): Promise<void>;
}

async function scene(
  answersPings: boolean,
  options: RealtimeSessionOptions = {},
  open: OpenSocket = openWsSocket,
): Promise<Scene> {
  const host = simulatedHost();
  const server = await startWireServer({
    answersPings,
    async script(peer) {
      await greet(peer);
    },
  });
  let pongs = 0;
  const waiting = new Set<() => void>();
  const socket: OpenSocket = (request, listener) => {
    const opened = open(request, listener);
    const { ping } = opened;
    if (ping === undefined) return opened;
    return {
      ...opened,
      get bufferedBytes() {
        return opened.bufferedBytes;
      },
      ping: (answered) =>
        ping(() => {
          answered();
          pongs++;
          for (const look of waiting) look();
        }),
    };
  };
  const model = openaiRealtime({ model: 'm', apiKey: 'none', baseURL: server.url, socket });
  const session = await model.connect({ host, ...options });
  const ear = listen(session);
  const [peer] = server.peers;
  if (peer === undefined) throw new Error('nobody connected');
  return {
    session,
    ear,
    host,
    peer,
    ponged: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (pongs >= count) resolve();
        };
        waiting.add(look);
        look();
      }),
    async [Symbol.asyncDispose]() {
      session.close().catch(() => undefined);
      peer.drop();
      await ear.end;
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('a server over ws', () => {
  test('that answers no ping is lost, and its socket is let go', async () => {
    await using the = await scene(false);
    await the.host.advance(20_000);
    await the.peer.pinged(1);
    await the.host.advance(10_000);
    const events = await the.ear.end;
    expect(events.at(-1)).toEqual({
      type: 'session.closed',
      reason: 'connectionLost',
      message:
        'Nobody is at the other end of the link any more: a ping was not answered in time. Connect again for a new session.',
    });
    expect((await the.peer.closed).code).toBe(1006);
    expect(the.host.pendingTimers()).toBe(0);
  });

  test('that reads nothing any more is lost', async () => {
    await using the = await scene(true);
    the.peer.stall();
    await the.host.advance(30_000);
    expect((await the.ear.end).at(-1)).toMatchObject({ type: 'session.closed', reason: 'connectionLost' });
  });

  test('that answers is pinged again and again', async () => {
    await using the = await scene(true);
    for (let round = 1; round <= 3; round++) {
      await the.host.advance(20_000);
      await the.ponged(round);
    }
    expect({ phase: the.session.phase, pings: the.peer.pings }).toEqual({ phase: 'ready', pings: 3 });
  });

  test('is not pinged when that is switched off', async () => {
    await using the = await scene(false, { keepAlive: 'off' });
    await the.host.advance(1_000_000);
    void the.session.send({ type: 'audio.clear' });
    await the.peer.next('input_audio_buffer.clear');
    expect({ phase: the.session.phase, pings: the.peer.pings }).toEqual({ phase: 'ready', pings: 0 });
  });
});

test('a server over the platform’s WebSocket cannot be pinged', async () => {
  await using the = await scene(false, {}, openNativeSocket);
  await the.host.advance(1_000_000);
  expect({ phase: the.session.phase, timers: the.host.pendingTimers() }).toEqual({ phase: 'ready', timers: 0 });
});
