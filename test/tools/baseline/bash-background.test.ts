// Commands in the background: real processes, on a real registry.

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import type { BackgroundTask, BackgroundTool } from '../../../src/contracts/background-task.ts';
import { createBackgroundTasks } from '../../../src/runtime/background-tasks.ts';
import { createEngine } from '../../../src/runtime/engine.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { pollTool } from '../../../src/tools/tasks/poll-task.ts';
import { resultText } from '../../runtime/background-bench.ts';
import { eventually, processesWith, uniqueSleep } from './running-processes.ts';
import { callTool, newContext, temporaryFolder, workbench } from './workbench.ts';

const registries: ReturnType<typeof createBackgroundTasks>[] = [];

afterEach(async () => {
  for (const tasks of registries.splice(0)) await tasks.close();
});

async function bench() {
  const { tool, session } = await workbench({ shell: 'bash' });
  const tasks = createBackgroundTasks();
  registries.push(tasks);
  const bash = tool('Bash') as BackgroundTool; // what baselineTools makes
  const context = () => newContext({ session });
  return {
    tasks,
    session,
    run: (command: string): BackgroundTask => tasks.start(bash, { command }, context()),
    poll: async (id: string) => (await callTool(pollTool(tasks), { task_id: id, block: false }, context())).text,
    foreground: (command: string) => callTool(bash, { command }, context()),
  };
}

describe('a command in the background', () => {
  test('is there at once with its file, shows its output while it runs, and its exit code in the end', async () => {
    const { run, tasks, poll } = await bench();
    const task = run('echo one; read -t 0.4 <&- ; sleep 0.4; echo two');
    expect(task.status).toBe('running');
    expect(task.outputFile).toMatch(/output-\d+\.txt$/);
    await eventually(() => tasks.get(task.id)?.output.includes('one') === true, 'the first line is written');
    expect(await poll(task.id)).toMatch(/running\.\nEverything it writes is in \S+\.\nNew output:\none\n/);
    const ended = await tasks.settled(task.id);
    expect([ended.status, resultText(ended)]).toEqual(['completed', 'Exit code 0']);
    expect(await poll(task.id)).toMatch(/New output:\n[^]*two\n\nIts result:\nExit code 0$/);
    expect(await readFile(ended.outputFile ?? '', 'utf8')).toMatch(/^one\n[^]*two\n$/);
  });

  test('that fails is failed, with its exit code', async () => {
    const { run, tasks } = await bench();
    const ended = await tasks.settled(run('echo no >&2; exit 3').id);
    expect([ended.status, ended.output, resultText(ended)]).toEqual(['failed', 'no\n', 'Exit code 3']);
  });

  test('that is stopped is stopped, and nothing of it is left', async () => {
    const { run, tasks } = await bench();
    const seconds = uniqueSleep();
    const task = run(`sleep ${seconds} & setsid sleep ${seconds} & wait`);
    await eventually(() => processesWith(seconds).length === 2, 'both sleep');
    const ended = await tasks.stop(task.id);
    expect([ended.status, resultText(ended)]).toEqual([
      'stopped',
      expect.stringContaining('The command was interrupted and ended'),
    ]);
    await eventually(() => processesWith(seconds).length === 0, 'nothing is left');
  });

  test('that somebody else kills is failed, and says by what', async () => {
    const { run, tasks } = await bench();
    const task = run('echo $$; kill -9 $$');
    const ended = await tasks.settled(task.id);
    expect(ended.status).toBe('failed');
    expect(resultText(ended)).toMatch(/SIGKILL|137/);
  });

  test('keeps everything in its file, and the beginning and the end in memory', async () => {
    const { tool, session } = await workbench({ shell: 'bash' });
    const tasks = createBackgroundTasks({ maxOutputBytes: 1_000 });
    registries.push(tasks);
    const command = 'echo begin; seq 1 20000; echo end';
    const task = tasks.start(tool('Bash') as BackgroundTool, { command }, newContext({ session }));
    const { output, outputFile = '' } = await tasks.settled(task.id);
    expect(output.length).toBeLessThan(1_200);
    expect(output).toMatch(/^begin\n1\n[^]*bytes left out[^]*20000\nend\n$/);
    const whole = await readFile(outputFile, 'utf8');
    expect(whole.split('\n')).toHaveLength(20_003);
  });

  test('leaves the working directory of the conversation alone', async () => {
    const { run, tasks, foreground } = await bench();
    const before = (await foreground('pwd')).text;
    await tasks.settled(run('mkdir other; cd other').id);
    expect((await foreground('pwd')).text).toBe(before);
  });

  // Case 26: anomalyco/opencode#48414
  test.each(['sleep', 'sleep >&2', 'sleep 2>&1 >/dev/null'])(
    'case 26: a child that holds the output (%s &) does not hold the task',
    async (child) => {
      const { run, tasks } = await bench();
      const seconds = uniqueSleep();
      const task = run(`${child.replace('sleep', `sleep ${seconds}`)} & echo done`);
      const ended = await tasks.settled(task.id, { timeoutMs: 10_000 });
      expect([ended.status, ended.output]).toEqual(['completed', 'done\n']);
      expect(resultText(ended)).toContain('Left running in the background: sleep');
      for (const line of processesWith(seconds)) process.kill(Number(line.trim().split(' ', 1)[0]), 'SIGKILL');
    },
  );

  test.each([
    ['exits', 'process.exit(7)', { code: 7 }],
    ['throws where nobody catches', "queueMicrotask(() => { throw new Error('crash'); })", { code: 1 }],
    ['is told to end', "process.kill(process.pid, 'SIGTERM')", { signal: 'SIGTERM' }],
    ['is killed', "process.kill(process.pid, 'SIGKILL')", { signal: 'SIGKILL' }],
  ])('ends with the program that started it, when that %s', async (_how, end, expected) => {
    const seconds = uniqueSleep();
    const root = resolve(import.meta.dirname, '../../..');
    const program = `
      import { createBackgroundTasks, createConversation } from '${root}/src/index.ts';
      import { baselineTools } from '${root}/src/tools/index.ts';
      const bash = baselineTools({ cwd: ${JSON.stringify(await temporaryFolder())}, shell: 'bash' }).find(({ name }) => name === 'Bash');
      const session = { id: 's', get: (_key, create) => create() };
      const context = { callId: 'c', idempotencyKey: 'c', signal: new AbortController().signal, session, conversation: createConversation(), progress: () => {} };
      const tasks = createBackgroundTasks();
      tasks.subscribe(({ task }) => { if (task.output.includes('up')) ${end}; });
      tasks.start(bash, { command: 'sleep ${seconds} & (setsid sleep ${seconds} &) ; echo up; wait' }, context);
    `;
    const ended = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
    await expect(ended).rejects.toMatchObject(expected);
    await eventually(() => processesWith(seconds).length === 0, 'the sleep ended with its program');
  });
});

test('a model starts, polls and stops one through an engine', async () => {
  const tasks = createBackgroundTasks();
  registries.push(tasks);
  const { tool } = await workbench({ shell: 'bash' });
  const seconds = uniqueSleep();
  const model = scriptedModel([
    { calls: [{ name: 'Bash', args: { command: `echo up; sleep ${seconds}`, run_in_background: true } }] },
    ({ messages }) => {
      const id = /as task (\S+)\./.exec(JSON.stringify(messages.at(-1)))?.[1] ?? '';
      return {
        calls: [
          { name: 'TaskOutput', args: { task_id: id, timeout: 500 } },
          { name: 'TaskStop', args: { task_id: id } },
        ],
      };
    },
    { text: 'done' },
  ]);
  const engine = createEngine({ model, tools: [tool('Bash')], backgroundTasks: tasks, transformers: [] });
  const conversation = {
    system: [],
    messages: [{ id: 'u', role: 'user' as const, content: [{ type: 'text' as const, text: 'go' }] }],
  };
  await engine.run(conversation).result;
  const text = JSON.stringify(conversation.messages);
  expect(text).toMatch(/Bash goes on in the background as task \S+\.\\nRead its status.*Everything it writes is in /);
  expect(text).toContain('running.\\nEverything it writes is in ');
  expect(text).toContain('New output:\\nup\\n');
  expect(text).toMatch(/stopped after \d+\.\d s\. It was started with \{\\"command\\":\\"echo up; sleep/);
  await eventually(() => processesWith(seconds).length === 0, 'nothing is left');
});
