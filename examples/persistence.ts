// A conversation that survives its process: stored after every message, read again before each turn.

// #region store
import { mkdtemp, open, readFile, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConversation, createEngine, createOperative, type Conversation } from '../src/index.ts';
import { decodeConversation, encodeConversation } from '../src/codec/index.ts';

/** Written beside the old text, flushed, then put in its place: a crash leaves one of the two whole. */
async function save(path: string, conversation: Conversation): Promise<void> {
  const file = await open(`${path}.new`, 'w');
  await file.writeFile(encodeConversation(conversation));
  await file.sync();
  await file.close();
  await rename(`${path}.new`, path);
}

async function load(path: string): Promise<Conversation> {
  return decodeConversation(await readFile(path, 'utf8'));
}
// #endregion store

import { scriptedModel } from '../src/testing/index.ts';

const path = join(await mkdtemp(join(tmpdir(), 'turnchart-example-')), 'conversation.json');
await save(path, createConversation({ system: 'You are brief.' }));
const model = scriptedModel([
  ({ messages }) => ({ text: `Read ${messages.length} message(s).` }),
  ({ messages }) => ({ text: `Read ${messages.length} message(s).` }),
]);
const engine = createEngine({ model });

// #region reload
function openConversation() {
  const operative = createOperative({ engine, reloadBeforeStart: () => load(path) });
  let saved = Promise.resolve();
  operative.subscribe((event) => {
    if (event.type === 'message.appended' || event.type === 'transcript.replaced') {
      saved = saved.then(() => save(path, operative.conversation));
    }
  });
  return { operative, saved: () => saved };
}
// #endregion reload

const first = openConversation();
await (
  await first.operative.submit('Hello.')
).delivery;
await first.operative.close();
await first.saved();

// Another process, later.
const second = openConversation();
await (
  await second.operative.submit('Do you remember me?')
).delivery;
await second.operative.close();
await second.saved();

const stored = await load(path);
console.log(stored.messages.map(({ role, content }) => `${role}: ${JSON.stringify(content)}`).join('\n'));
