// Conversations that share one engine and its tools: what one does to its shell never shows in another.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import type { Message } from '../../../src/conversation/message.ts';
import { createEngine } from '../../../src/runtime/engine.ts';
import { createOperative } from '../../../src/runtime/operative.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { baselineTools } from '../../../src/tools/index.ts';
import { temporaryFolder } from './workbench.ts';

const isFromUser = (message: Message): boolean => message.role === 'user';

function lastText(messages: readonly Message[]): string {
  const block = messages.findLast(isFromUser)?.content[0];
  return block?.type === 'text' ? block.text : '';
}

// Runs what it is told as a command, then ends the turn.
const obedient = () =>
  scriptedModel(({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? { text: 'done' }
      : { calls: [{ name: 'Bash', args: { command: lastText(messages) } }] },
  );

function lastResult(messages: readonly Message[]): string {
  const block = messages.findLast(({ role }) => role === 'tool')?.content[0];
  const content = block?.type === 'toolResult' ? block.content[0] : undefined;
  return content?.type === 'text' ? content.text : '';
}

async function conversations(count: number) {
  const folder = await temporaryFolder();
  for (const name of ['one', 'two', 'three']) await mkdir(join(folder, name));
  const engine = createEngine({
    model: obedient(),
    transformers: [],
    tools: baselineTools({ cwd: folder }),
    approve: () => ({ allow: true }),
  });
  const operatives = Array.from({ length: count }, () => createOperative({ engine }));
  const run = async (index: number, command: string): Promise<string> => {
    const operative = operatives[index] ?? operatives[0];
    if (operative === undefined) throw new Error('no operative');
    const { events } = await operative.submit(command);
    for await (const event of events) if (event.type === 'turn.completed') expect(event.reason).toBe('completed');
    return lastResult(operative.conversation.messages);
  };
  return { folder, run, close: () => Promise.all(operatives.map((operative) => operative.close())) };
}

it('the working directory of one conversation never shows in another on the same engine', async () => {
  const { folder, run, close } = await conversations(3);
  // At once, so that each runs while the others move.
  await Promise.all([run(0, 'cd one'), run(1, 'cd two'), run(2, 'true')]);
  expect(await Promise.all([run(0, 'pwd'), run(1, 'pwd'), run(2, 'pwd')])).toEqual([
    join(folder, 'one'),
    join(folder, 'two'),
    folder,
  ]);
  // One after the other, and moving on from where each is.
  expect(await run(2, 'cd three; pwd')).toContain(join(folder, 'three'));
  expect(await run(0, 'pwd')).toBe(join(folder, 'one'));
  expect(await run(0, 'cd ../three; pwd')).toContain(join(folder, 'three'));
  expect(await run(1, 'pwd')).toBe(join(folder, 'two'));
  await close();
});

it('variables, functions and files of the shell itself do not either', async () => {
  const { run, close } = await conversations(2);
  await run(0, 'export SHARED=one; f() { echo f; }; alias g=ls; umask 077; ulimit -n 100');
  expect(await run(1, 'echo "[$SHARED]"; type f g 2>&1 | grep -c "not found"; umask; ulimit -n')).toMatch(
    /^\[\]\n2\n0022\n(?!100$)/,
  );
  await close();
});

it('a conversation begins in the workspace, also after others have moved', async () => {
  const { folder, run, close } = await conversations(2);
  await run(0, 'cd one');
  expect(await run(1, 'pwd')).toBe(folder);
  await close();
});
