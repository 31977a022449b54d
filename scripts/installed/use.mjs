// Runs inside the empty project that scripts/installed.ts makes: every entry by its public name, one turn, and the
// sentence for each optional peer that is not there. Plain JavaScript, since the oldest Node cannot read TypeScript.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createConversation, createEngine, defineTool, userMessage } from 'turnchart';
import { scriptedModel } from 'turnchart/testing';
import { z } from 'zod';

const manifest = JSON.parse(await readFile(new URL('node_modules/turnchart/package.json', import.meta.url), 'utf8'));
const entries = Object.keys(manifest.exports).filter((entry) => entry !== './package.json');

/** Entries whose import itself needs a peer, and that peer. */
const needed = { './testing/properties': 'fast-check' };

for (const entry of entries) {
  const load = () => import(`turnchart${entry.slice(1)}`);
  if (needed[entry] === undefined) assert.ok(Object.keys(await load()).length > 0, `${entry} exports nothing`);
  else await saysWhatIsMissing(load, needed[entry]);
}

const weather = defineTool({
  name: 'weather',
  description: 'Tells the weather in a city.',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `${city}: clear`,
});
const model = scriptedModel([{ calls: [{ name: 'weather', args: { city: 'Paris' } }] }, { text: 'Clear.' }]);
const conversation = createConversation({ messages: [userMessage('Paris?')] });
const { reason } = await createEngine({ model, tools: [weather] }).run(conversation).result;
assert.equal(reason, 'completed');
assert.match(JSON.stringify(conversation.messages), /Paris: clear/);

const { anthropic } = await import('turnchart/anthropic');
const { openai } = await import('turnchart/openai');
const { machinePaths } = await import('turnchart/testing');
const request = { messages: [userMessage('Hello')], system: [], tools: [] };
await saysWhatIsMissing(
  () => firstOf(anthropic({ model: 'm', apiKey: 'k' }).stream(request, options())),
  '@anthropic-ai/sdk',
);
await saysWhatIsMissing(() => firstOf(openai({ model: 'm', apiKey: 'k' }).stream(request, options())), 'openai');
const { turnMachine } = await import('turnchart/machines');
await saysWhatIsMissing(() => machinePaths(turnMachine, {}), '@xstate/graph');
const { startInspector } = await import('turnchart/inspect/server');
await saysWhatIsMissing(() => startInspector(), 'ws');
const { openaiRealtime } = await import('turnchart/realtime/openai');
await saysWhatIsMissing(() => openaiRealtime({ model: 'm', apiKey: 'k' }).connect(), 'ws');

console.log(`Node ${process.versions.node}: ${entries.length} entries installed, missing peers say so`);

function options() {
  return { signal: new AbortController().signal };
}

async function firstOf(stream) {
  for await (const event of stream) return event;
}

async function saysWhatIsMissing(action, peer) {
  await assert.rejects(
    async () => action(),
    (error) => error.code === 'peer.missing' && error.message.includes(peer) && error.message.includes('npm install'),
  );
}
