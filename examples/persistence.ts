// A conversation that survives its process: stored after every message, read again before each turn.

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConversation, createEngine, textOf, type Operative } from '../src/index.ts';
import { scriptedModel } from '../src/testing/index.ts';
import { load, save, storedOperative } from './persistence/stored-operative.ts';

const path = join(await mkdtemp(join(tmpdir(), 'turnchart-example-')), 'conversation.json');
await save(path, createConversation({ system: 'You are brief.' }));
const answer = ({ messages }: { readonly messages: readonly unknown[] }) => ({
  text: `Read ${messages.length} message(s).`,
});
const engine = createEngine({ model: scriptedModel([answer, answer, answer]) });

// #region use
const first = storedOperative(engine, path, console.error);
await say(first.operative, 'Hello.');
await say(first.operative, 'Anything new?'); // at once: the reload waits for the save
await first.operative.close();
await first.saved(); // rejects if the last message is not stored

// Another process, later.
const second = storedOperative(engine, path, console.error);
await say(second.operative, 'Do you remember me?');
await second.operative.close();
await second.saved();

async function say(operative: Operative, text: string): Promise<void> {
  const { events } = await operative.submit(text);
  for await (const event of events) if (event.type === 'turn.completed') console.log(event.reason);
}
// #endregion use

const stored = await load(path);
console.log(stored.messages.map((message) => `${message.role}: ${textOf(message)}`).join('\n'));
