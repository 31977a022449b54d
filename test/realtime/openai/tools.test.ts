// Tools over the wire: what the server is sent for calls, and when the model speaks again.

import { describe, expect, test } from 'vitest';
import { createRealtimeOperative, type RealtimeOperativeOptions } from '../../../src/realtime/index.ts';
import { openaiRealtime } from '../../../src/realtime/openai/index.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { ToolResult } from '../../../src/tools/tool-result.ts';
import { begin, callTool, finish, greet, say, serverVad, takeItem, userSpeaks, userStops } from './dialogue.ts';
import { listen } from './listen.ts';
import { startWireServer, type Peer, type WireEvent, type WireServer } from './wire-server.ts';

async function connect(server: WireServer, options: RealtimeOperativeOptions) {
  const session = await openaiRealtime({ model: 'm', apiKey: 'none', baseURL: server.url }).connect();
  const operative = createRealtimeOperative(session, options);
  const ear = listen({ ...session, events: operative.run() });
  return {
    session,
    operative,
    ear,
    async [Symbol.asyncDispose]() {
      await operative.close();
      await ear.end;
    },
  };
}

/** Takes the configuration and the tools that follow it. */
async function start(peer: Peer): Promise<WireEvent> {
  await greet(peer);
  const tools = await peer.next('session.update');
  peer.send({ type: 'session.updated', session: { audio: { input: { turn_detection: serverVad } } } });
  return tools;
}

const outputs = (peer: Peer | undefined): readonly unknown[] =>
  (peer?.received ?? []).flatMap(({ type, item }) => {
    const {
      type: kind,
      call_id: callId,
      output,
    } = (item ?? {}) as { type?: string; call_id?: string; output?: string };
    return type === 'conversation.item.create' && kind === 'function_call_output' ? [[callId, output]] : [];
  });

const look = (execute: () => unknown) =>
  defineTool({
    name: 'look',
    description: 'Looks.',
    parameters: { type: 'object', properties: {} },
    isConcurrencySafe: true,
    execute,
  });

describe('tools', () => {
  test('are shown to the model', async () => {
    await using server = await startWireServer({ script: async (peer) => void (await start(peer)) });
    await using the = await connect(server, { tools: [look(() => 'seen')] });
    await the.ear.next('session.updated');
    expect(server.peers[0]?.received[1]).toMatchObject({
      type: 'session.update',
      session: { tools: [{ type: 'function', name: 'look', description: 'Looks.' }] },
    });
  });

  test('called several times in one answer are followed by one create, after every result', async () => {
    await using server = await startWireServer({
      async script(peer) {
        await start(peer);
        callTool(peer, 'r1', [
          { id: 'c1', name: 'look', args: '{}' },
          { id: 'c2', name: 'look', args: '{}' },
        ]);
        await takeItem(peer);
        await takeItem(peer);
        begin(peer, 'r2', await peer.next('response.create'));
        finish(peer, 'r2');
      },
    });
    let looks = 0;
    await using the = await connect(server, { tools: [look(() => `seen ${++looks}`)] });
    await the.ear.next('response.completed', ({ responseId }) => responseId === 'r2');
    expect(outputs(server.peers[0])).toEqual([
      ['c1', 'seen 1'],
      ['c2', 'seen 2'],
    ]);
    expect(server.peers[0]?.received.filter(({ type }) => type === 'response.create')).toHaveLength(1);
    expect(the.ear.all('response.started').at(-1)).toMatchObject({ origin: 'tool' });
  });

  test('give results of every kind as one string, with nothing dropped', async () => {
    await using server = await startWireServer({
      async script(peer) {
        await start(peer);
        callTool(peer, 'r1', [{ id: 'c1', name: 'look', args: '{}' }]);
        await takeItem(peer);
      },
    });
    const image = { type: 'image', source: { type: 'url', url: 'https://h/x.png' } } as const;
    const tool = look(() =>
      ToolResult.blocks([{ type: 'text', text: 'first' }, image, { type: 'text', text: 'last' }]),
    );
    await using the = await connect(server, { tools: [tool] });
    await the.ear.next('toolCall.resultSent');
    const [[, output]] = outputs(server.peers[0]) as [[string, string]];
    expect(output).toContain('first');
    expect(output).toContain('last');
    expect(output).toContain('https://h/x.png');
  });

  test('that take their time hold nothing up', async () => {
    const released = Promise.withResolvers<string>();
    await using server = await startWireServer({
      async script(peer) {
        await start(peer);
        callTool(peer, 'r1', [{ id: 'c1', name: 'look', args: '{}' }]);
        userSpeaks(peer, 'u1');
        userStops(peer, 'u1', 500);
        begin(peer, 'r2');
        say(peer, 'r2', 'i2', 100);
        finish(peer, 'r2');
        await takeItem(peer);
      },
    });
    await using the = await connect(server, { tools: [look(() => released.promise)] });
    await the.ear.next('audio.delta');
    await the.ear.next('response.completed', ({ responseId }) => responseId === 'r2');
    expect(outputs(server.peers[0])).toEqual([]);
    released.resolve('seen');
    await the.ear.next('toolCall.resultSent');
    expect(outputs(server.peers[0])).toEqual([['c1', 'seen']]);
  });

  test('that end while the user speaks tell the model at once, and it answers when the user is done', async () => {
    const released = Promise.withResolvers<string>();
    const resumed = Promise.withResolvers<void>();
    await using server = await startWireServer({
      async script(peer) {
        await start(peer);
        callTool(peer, 'r1', [{ id: 'c1', name: 'look', args: '{}' }]);
        userSpeaks(peer, 'u1');
        await takeItem(peer);
        await resumed.promise;
        userStops(peer, 'u1', 500);
        begin(peer, 'r2'); // the server’s own: it pays the debt
        finish(peer, 'r2');
      },
    });
    await using the = await connect(server, { tools: [look(() => released.promise)] });
    await the.ear.next('speech.started');
    released.resolve('seen');
    await the.ear.next('toolCall.resultSent');
    expect(server.peers[0]?.received.filter(({ type }) => type === 'response.create')).toEqual([]);
    resumed.resolve();
    await the.ear.next('response.completed', ({ responseId }) => responseId === 'r2');
    expect(server.peers[0]?.received.filter(({ type }) => type === 'response.create')).toEqual([]);
  });

  test('that throw tell the model so', async () => {
    await using server = await startWireServer({
      async script(peer) {
        await start(peer);
        callTool(peer, 'r1', [{ id: 'c1', name: 'look', args: '{"broken' }]);
        await takeItem(peer);
        callTool(peer, 'r2', [{ id: 'c2', name: 'unknown', args: '{}' }]);
        await takeItem(peer);
        callTool(peer, 'r3', [{ id: 'c3', name: 'look', args: '{}' }]);
        await takeItem(peer);
      },
    });
    const tool = look(() => {
      throw new Error('too dark');
    });
    await using the = await connect(server, { tools: [tool] });
    await the.ear.next('toolCall.resultSent', ({ callId }) => callId === 'c3');
    expect(the.ear.all('toolCall.settled').map(({ result }) => result.status)).toEqual([
      'invalidArguments',
      'unknownTool',
      'failed',
    ]);
    expect(outputs(server.peers[0]).at(-1)).toMatchObject(['c3', expect.stringContaining('too dark') as string]);
  });
});
