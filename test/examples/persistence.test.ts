// The stored operative of the persistence guide: nothing is lost between turns, nor by a save that fails.

import { mkdir, mkdtemp, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createConversation, createEngine, textOf, type Operative, type TurnReason } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { load, save, storedOperative } from '../../examples/persistence/stored-operative.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turnchart-persistence-'));
  path = join(folder, 'conversation.json');
  await save(path, createConversation());
});

afterEach(() => rm(folder, { recursive: true }));

test('three turns back to back are all in the file', async () => {
  const engine = createEngine({ model: scriptedModel([{ text: 'one' }, { text: 'two' }, { text: 'three' }]) });
  const { operative, saved } = storedOperative(engine, path, fail);
  for (const text of ['A', 'B', 'C']) expect(await endOf(operative, text)).toBe('completed');
  await saved();
  const all = ['user: A', 'assistant: one', 'user: B', 'assistant: two', 'user: C', 'assistant: three'];
  expect(linesOf((await load(path)).messages)).toEqual(all);
  expect(linesOf(operative.conversation.messages)).toEqual(all);
});

test('a save that fails loses nothing: no turn reads the older file, and the next one stores everything first', async () => {
  const failures: unknown[] = [];
  const engine = createEngine({ model: scriptedModel([{ text: 'one' }, { text: 'two' }]) });
  const { operative, saved } = storedOperative(engine, path, (error) => failures.push(error));

  await mkdir(`${path}.new`); // no file can be written there
  expect(await endOf(operative, 'A')).toBe('completed');
  await expect(saved()).rejects.toThrow('EISDIR');
  expect(failures.length).toBeGreaterThan(0);
  expect(await endOf(operative, 'B')).toBe('failed');

  await rmdir(`${path}.new`);
  expect(await endOf(operative, 'C')).toBe('completed');
  await saved();
  const all = ['user: A', 'assistant: one', 'user: B', 'user: C', 'assistant: two'];
  expect(linesOf((await load(path)).messages)).toEqual(all);
  expect(linesOf(operative.conversation.messages)).toEqual(all);
});

function fail(error: unknown): never {
  throw error;
}

async function endOf(operative: Operative, text: string): Promise<TurnReason | undefined> {
  const { events } = await operative.submit(text);
  let reason: TurnReason | undefined;
  for await (const event of events) if (event.type === 'turn.completed') reason = event.reason;
  return reason;
}

function linesOf(messages: Parameters<typeof textOf>[0][]) {
  return messages.map((message) => `${message.role}: ${textOf(message)}`);
}
