// Imports every built entry by its public name and runs one scripted turn. Plain JavaScript: scripts/smoke.ts runs it
// with each Node the package promises, and the oldest cannot read TypeScript.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
const entries = Object.keys(manifest.exports).filter((entry) => entry !== './package.json');

for (const entry of entries) {
  const exported = await import(`${manifest.name}${entry.slice(1)}`);
  assert.ok(Object.keys(exported).length > 0, `${entry} exports nothing`);
}

if (entries.includes('.') && entries.includes('./testing')) {
  const { createConversation, createEngine, userMessage } = await import(manifest.name);
  const { scriptedModel } = await import(`${manifest.name}/testing`);
  const engine = createEngine({ model: scriptedModel([{ text: 'Hello from the build.' }]) });
  const conversation = createConversation({ messages: [userMessage('Hello')] });
  const result = await engine.run(conversation).result;
  assert.equal(result.reason, 'completed');
  assert.match(JSON.stringify(conversation.messages.at(-1)), /Hello from the build\./);
}

console.log(`Node ${process.versions.node}: ${entries.length} entries`);
