// Case 29 (letta-ai/letta-code#3226, anthropics/claude-code#40235): commands in the background, and what a model is told
// of their ends.

import { afterEach, describe, expect, test } from 'vitest';
import { textOf, type Message } from '../../../src/conversation/message.ts';
import { createBackgroundTasks } from '../../../src/runtime/background-tasks.ts';
import { createEngine } from '../../../src/runtime/engine.ts';
import { createOperative } from '../../../src/runtime/operative.ts';
import { scriptedModel, type ScriptedStep } from '../../../src/testing/index.ts';
import { workbench } from '../baseline/workbench.ts';

const registries: ReturnType<typeof createBackgroundTasks>[] = [];

afterEach(async () => {
  for (const tasks of registries.splice(0)) await tasks.close();
});

/** A model that starts the commands, reads the output of each task it is told of, and says so. */
function script(commands: readonly string[]): (request: { readonly messages: readonly Message[] }) => ScriptedStep {
  return ({ messages }) => {
    const last = messages.at(-1);
    if (messages.length === 1) {
      return { calls: commands.map((command) => ({ name: 'Bash', args: { command, run_in_background: true } })) };
    }
    if (last?.role !== 'user') return { text: 'ok' };
    // One request may bring several notices.
    const notices = messages.slice(messages.findLastIndex(({ role }) => role !== 'user') + 1).map(textOf);
    return {
      calls: notices.map((notice) => ({
        name: 'TaskOutput',
        args: { task_id: /Task (\S+) /.exec(notice)?.[1] ?? '', block: false },
      })),
    };
  };
}

async function play(announceTasks: 'steer' | 'off', commands: readonly string[]) {
  const tasks = createBackgroundTasks();
  registries.push(tasks);
  const bash = (await workbench({ shell: 'bash' })).tool('Bash');
  const step = script(commands);
  const model = scriptedModel(Array.from({ length: 20 }, () => step));
  const operative = createOperative({
    engine: createEngine({ model, tools: [bash], backgroundTasks: tasks }),
    announceTasks,
  });
  const settled: string[] = [];
  tasks.subscribe(({ type, task }) => {
    if (type === 'task.settled') settled.push(task.id);
  });
  const answers: string[] = [];
  const handles: string[] = [];
  const allRead = new Promise<void>((resolve) => {
    operative.subscribe((event) => {
      if (event.type !== 'toolCall.settled') return;
      const text = event.result.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      (event.call.name === 'Bash' ? handles : answers).push(text);
      if (answers.length === commands.length) resolve();
    });
  });
  const { events } = await operative.submit('start them');
  for await (const _ of events); // to the end of the turn
  return { operative, tasks, settled, answers, handles, allRead, model };
}

describe('case 29: three commands in the background', () => {
  const commands = ['sleep 0.1; echo first', 'sleep 0.2; echo second', 'sleep 0.3; echo third'];

  test('are each announced once, and their output can be read by then', async () => {
    const { operative, tasks, settled, answers, handles, allRead } = await play('steer', commands);
    for (const handle of handles) expect(handle).toContain('You will be told when it has ended.');
    await allRead;
    await operative.close();
    const ids = tasks.list().map(({ id }) => id);
    expect(settled).toHaveLength(3);
    expect(new Set(settled)).toEqual(new Set(ids));
    const told = operative.conversation.messages.map(({ meta }) => meta?.['task']).filter((id) => id !== undefined);
    expect(told).toHaveLength(3);
    expect(new Set(told)).toEqual(new Set(ids));
    for (const word of ['first', 'second', 'third']) {
      expect(answers.filter((answer) => answer.includes(`New output:\n${word}\n`))).toHaveLength(1);
    }
  });

  test('are promised to nobody where notices are off, and their output is there anyway', async () => {
    const { operative, tasks, handles, model } = await play('off', commands);
    const promise = /told|notif|announce|notice/i;
    for (const handle of handles) expect(handle).not.toMatch(promise);
    for (const { name, description } of model.requests[0]?.tools ?? []) {
      if (/^(Bash|Task)/.test(name)) expect(description).not.toMatch(promise);
    }
    await Promise.all(tasks.list().map(({ id }) => tasks.settled(id)));
    expect(tasks.list().map(({ output }) => output)).toEqual(['first\n', 'second\n', 'third\n']);
    expect(operative.conversation.messages).toHaveLength(4);
    await operative.close();
  });
});
