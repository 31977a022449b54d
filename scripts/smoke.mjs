// Imports every built entry by its public name, runs one scripted turn, and the command on a small folder. Plain JavaScript: scripts/smoke.ts runs it
// with each Node the package promises, and the oldest cannot read TypeScript.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

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

for (const command of Object.values(manifest.bin)) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [fileURLToPath(new URL(`../${command}`, import.meta.url)), '-p', 'How many files are here?'],
    { cwd: import.meta.dirname, encoding: 'utf8', input: '', timeout: 60_000 },
  );
  assert.equal(status, 0, `${command} failed: ${stderr}`);
  assert.match(stdout, /\d+ files/);
}

console.log(`Node ${process.versions.node}: ${entries.length} entries`);
