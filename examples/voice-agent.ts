// A voice agent on its own provider: a scripted one, so that it runs offline. For OpenAI only the model changes:
// `openaiRealtime({ model: 'gpt-realtime-2.1' })`. Run: npx node examples/voice-agent.ts

import { defineTool } from '../src/index.ts';
import {
  connectRealtime,
  createRealtimeOperative,
  type RealtimeEvent,
  type RealtimeModel,
  type RealtimeWire,
  type WireFact,
} from '../src/realtime/index.ts';

// #region provider
// A provider turns what its server sends into facts, and commands into what its server understands.
function scriptedWire(): RealtimeWire {
  return {
    provider: 'scripted',
    capabilities: ['audioInProcess', 'toolCalling', 'textInput', 'interrupt', 'outputTruncation', 'midSessionUpdate'],
    inputFormat: { type: 'pcm16' },
    outputFormat: { type: 'pcm16' },
    playedBy: 'client',
    readRaw: () => ({ refused: 'A script knows no raw events.' }),
    dial(receive) {
      const server = script((fact) => setImmediate(() => receive(fact)));
      server.begin();
      return { ...server, tellsWritten: false, bufferedBytes: 0 };
    },
  };
}
// #endregion provider

const model: RealtimeModel = {
  id: 'scripted',
  connect: (options) => connectRealtime(scriptedWire(), options),
  connectForCall: () => Promise.reject(new Error('A script has no telephone.')),
};

// #region connect
const session = await model.connect({
  systemPrompt: [{ type: 'text', text: 'You tell the weather.' }],
  turnDetection: { mode: 'server', createResponse: true, interruptResponse: true },
  toolChoice: 'auto', // or 'none', 'required', { tool: 'weather' }
});
const operative = createRealtimeOperative(session, {
  tools: [
    defineTool({
      name: 'weather',
      description: 'The weather of a city.',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
      execute: () => 'clear sky, 21 °C',
    }),
  ],
});
// #endregion connect

// #region player
const played: string[] = [];
function show(event: RealtimeEvent): void {
  switch (event.type) {
    case 'audio.delta': // to the loudspeaker; here it plays only four pieces, and reports what was played
      if (event.sequence <= 4) void operative.send({ type: 'playback.report', mark: event.sequence });
      return;
    case 'response.interrupted': // silence the loudspeaker now
      played.push(`heard until ${event.playedMs ?? 0} ms: "${event.heardText ?? ''}"`);
      return;
    case 'transcript.delta':
      if (event.final) played.push(`said: ${event.transcript ?? event.text}`);
      return;
    case 'toolCall.settled':
      played.push(`${event.call.name}: ${event.result.status}`);
      return;
    default:
  }
}
// #endregion player

// #region run
const talk = (async () => {
  for await (const event of operative.run()) show(event);
})();
await operative.send({ type: 'text.send', text: 'How is the weather in Paris?' });
// #endregion run

// #region add-tool
operative.addTool(
  defineTool({
    name: 'forecast',
    description: 'The weather of tomorrow.',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
    execute: () => 'wind',
  }),
);
await operative.send({ type: 'session.update', toolChoice: { tool: 'forecast' } }); // for the answers from now on
// #endregion add-tool

await new Promise((resolve) => setTimeout(resolve, 100));
// #region interrupt
await operative.send({ type: 'response.interrupt' });
await operative.close();
// #endregion interrupt
await talk;
console.log(played.join('\n'));
console.log(session.phase);

// The scripted server: it asks for the weather, then speaks until it is stopped.
function script(tell: (fact: WireFact) => void) {
  let answers = 0;
  const speak = (responseId: string): void => {
    const item = { responseId, itemId: `${responseId}_1`, contentIndex: 0 };
    tell({ type: 'transcript.delta', role: 'assistant', ...item, text: 'In Paris it is fine, and tomorrow' });
    for (let part = 0; part < 10; part++) tell({ type: 'audio.delta', ...item, audio: new Uint8Array(4_800) });
  };
  return {
    begin(): void {
      tell({ type: 'wire.opened' });
      tell({ type: 'session.created', sessionId: 'script', settings: { interruptsResponse: true } });
    },
    send(command: Parameters<ReturnType<RealtimeWire['dial']>['send']>[0]): void {
      if (command.type === 'session.configure' || command.type === 'session.update') {
        tell({ type: 'session.configured', settings: {} });
      }
      if (command.type === 'item.create') tell({ type: 'item.added', itemId: command.itemId });
      if (command.type === 'item.truncate') tell({ type: 'item.truncated', itemId: command.itemId });
      if (command.type === 'response.cancel') {
        tell({ type: 'response.done', responseId: command.responseId ?? '', status: 'cancelled', calls: [] });
      }
      if (command.type !== 'response.create') return;
      const responseId = `answer_${++answers}`;
      tell({ type: 'response.created', responseId, requestId: command.eventId });
      if (answers > 1) return speak(responseId);
      const call = { callId: 'call_1', itemId: 'item_1', name: 'weather', rawArgs: '{"city":"Paris"}' };
      tell({ type: 'response.done', responseId, status: 'completed', calls: [call] });
    },
    close: () => tell({ type: 'wire.closed', code: 1000 }),
    terminate: () => undefined,
  };
}
