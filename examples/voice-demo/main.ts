// A spoken conversation, offline and in real time: a question is spoken into a microphone, a tool is called, the answer is
// played, interrupted in the middle, and asked for something else. Every phase of the session is shown as it comes; both
// sides are written to a WAV file. Run: npm run voice-demo [-- file.wav]

import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineTool } from '../../src/index.ts';
import { createRealtimeOperative, type RealtimeEvent } from '../../src/realtime/index.ts';
import { openaiRealtime } from '../../src/realtime/openai/index.ts';
import { startAudioDevices } from './audio-devices.ts';
import { startVoiceServer } from './server.ts';
import { bytesOf, readTelephoneWav, samplesOf, stereoWav } from './wav.ts';

const file = process.argv[2] ?? join(tmpdir(), 'turnchart-voice-demo.wav');
const wav = (name: string) => readTelephoneWav(new URL(`${name}.wav`, import.meta.url));
const question = wav('question');
const bargeIn = wav('barge-in');

const begun = performance.now();
const say = (text: string): void => {
  console.log(`${((performance.now() - begun) / 1000).toFixed(1).padStart(5)} s  ${text}`);
};

const server = await startVoiceServer([
  {
    heard: 'What is the weather in Paris today?',
    tool: { name: 'get_weather', args: '{"city":"Paris"}' },
    said: 'In Paris it is twenty one degrees, with a clear sky. In the afternoon some clouds come in from the west, and tonight there may be a little rain. Tomorrow it gets windy.',
    audio: wav('answer'),
  },
  {
    heard: 'Wait, stop. And how is it in Rome?',
    tool: { name: 'get_weather', args: '{"city":"Rome"}' },
    said: 'Rome has twenty six degrees and sun all day. Enjoy it!',
    audio: wav('second-answer'),
  },
]);

const weather = defineTool({
  name: 'get_weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: async (args) => {
    await new Promise((resolve) => setTimeout(resolve, 600));
    return `weather of ${(args as { city: string }).city}: fine`;
  },
});

setTimeout(() => {
  console.error('The conversation did not come to its end within a minute.');
  process.exit(1);
}, 60_000).unref();

console.log('A spoken conversation with a server on this machine. It takes 14 seconds.\n');
say('── connecting');
// What was really heard is the speaker's word: an interrupted answer is cut exactly there.
const model = openaiRealtime({ model: 'voice-demo', apiKey: 'none', baseURL: server.url });
const session = await model.connect({
  systemPrompt: [{ type: 'text', text: 'You tell the weather.' }],
  inputFormat: { type: 'pcm16' },
  turnDetection: { mode: 'server', createResponse: true, interruptResponse: true },
  playback: { playedMs: (itemId) => devices.playedMs(itemId) },
});
const operative = createRealtimeOperative(session, { tools: [weather] });

const phases: string[] = [];
let tools = 0;
let interruption: Extract<RealtimeEvent, { type: 'response.interrupted' }> | undefined;
const second = Promise.withResolvers<void>();

const showPhase = (): void => {
  if (phases.at(-1) === session.phase) return;
  phases.push(session.phase);
  say(`── ${session.phase}`);
};
// #region microphone
const devices = startAudioDevices((samples) => {
  showPhase();
  void operative.send({ type: 'audio.append', audio: bytesOf(samples) }).catch(() => undefined); // the session is over
});
// #endregion microphone

function show(event: RealtimeEvent): void {
  switch (event.type) {
    case 'audio.delta':
      devices.play(event.itemId, samplesOf(event.audio));
      return;
    case 'response.interrupted':
      devices.flush();
      interruption = event;
      say(`interrupted after ${Math.round(event.playedMs ?? 0)} ms; heard: “${event.heardText ?? ''}…”`);
      return;
    case 'transcript.delta':
      if (event.final) say(`${event.role === 'user' ? 'user' : 'model'}: “${event.transcript ?? ''}”`);
      return;
    case 'speech.started':
      say('somebody begins to speak');
      return;
    case 'toolCall.started':
      say(`tool ${event.call.name} runs`);
      return;
    case 'toolCall.settled':
      tools++;
      say(`tool ${event.call.name}(${JSON.stringify(event.call.args)}) → ${event.result.status}`);
      return;
    case 'audio.done':
      if (interruption !== undefined) second.resolve(); // the one that followed
      return;
    case 'error':
      say(`error ${event.code}: ${event.message}`);
      return;
    default:
      return;
  }
}

const shown = (async () => {
  for await (const event of operative.run()) {
    show(event);
    showPhase();
  }
})();

await devices.speak(question);
await devices.heard(2500); // of the answer …
await devices.speak(bargeIn); // … and then in its middle
await second.promise;
await devices.quiet();
await operative.close();
await shown;
const { microphone, speaker } = devices.stop();
server.close();
writeFileSync(file, stereoWav(microphone, speaker));

console.log(`
phases        ${[...new Set(phases)].join(', ')}
tool calls    ${tools}
interruption  ${Math.round(interruption?.playedMs ?? 0)} ms of the answer were heard; the server was told ${server.truncations.join(', ')} ms
recording     ${file} (left: you, right: the model)`);
