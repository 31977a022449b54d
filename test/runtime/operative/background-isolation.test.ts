// Background tasks belong to the conversation that started them.

import { describe, expect, test } from 'vitest';
import type { Engine } from '../../../src/contracts/engine.ts';
import type { OperativeOptions } from '../../../src/contracts/operative.ts';
import { textOf } from '../../../src/conversation/message.ts';
import { createBackgroundTasks } from '../../../src/runtime/background-tasks.ts';
import { createEngine } from '../../../src/runtime/engine.ts';
import { createOperative } from '../../../src/runtime/operative.ts';
import { scriptedModel, simulatedHost, verifyEvents, verifyTranscript } from '../../../src/testing/index.ts';
import { workTool, type Work } from '../background-bench.ts';
import { bothWays, linesOf } from './operative-bench.ts';

// The model does what its user says: "start", or "TaskOutput task_1".
function obedient(host: ReturnType<typeof simulatedHost>) {
  return scriptedModel(
    ({ messages }) => {
      const last = messages.at(-1);
      const [word = '', id = ''] = last === undefined || last.role === 'tool' ? [] : textOf(last).split(' ');
      if (word === 'start') return { calls: [{ name: 'Work', args: { run_in_background: true } }] };
      if (word.startsWith('Task')) return { calls: [{ name: word, args: { task_id: id } }] };
      return { text: 'ok' };
    },
    { host },
  );
}

function worldOf(engines: 1 | 2, announceTasks: OperativeOptions['announceTasks'], inspected: boolean) {
  const host = simulatedHost();
  const tasks = createBackgroundTasks({ host });
  const works: Work[] = [];
  const makeEngine = () =>
    createEngine({ transformers: [], model: obedient(host), host, tools: [workTool(works)], backgroundTasks: tasks });
  const shared: Engine = makeEngine();
  const inspect = inspected ? { inspect: () => undefined } : {};
  const own = announceTasks === undefined ? {} : { announceTasks };
  const operatives = [
    createOperative({ engine: shared, ...own, ...inspect }),
    createOperative({ engine: engines === 1 ? shared : makeEngine(), ...own, ...inspect }),
  ] as const;
  for (const operative of operatives) {
    operative.subscribe((event) => events.get(operative)?.push(event));
  }
  const events = new Map(
    operatives.map((operative) => [operative, [] as Parameters<typeof verifyEvents>[0][number][]]),
  );
  return {
    host,
    tasks,
    works,
    operatives,
    lines: (index: 0 | 1) => linesOf(operatives[index].conversation.messages),
    async say(index: 0 | 1, text: string): Promise<string> {
      await operatives[index].submit(text);
      await host.settle();
      return linesOf(operatives[index].conversation.messages).at(-2) ?? '';
    },
    check(): void {
      for (const operative of operatives) {
        verifyEvents(events.get(operative) ?? []);
        verifyTranscript(operative.conversation);
      }
    },
  };
}

describe.each([
  ['two operatives on one engine', 1],
  ['two engines that share a registry', 2],
] as const)('%s never see each other’s background tasks', (_what, engines) => {
  describe.each(bothWays)('(%s)', (interpreter) => {
    const inspected = interpreter === 'inspected';

    test('TaskOutput and TaskStop know nothing of the other’s task, and do nothing to it', async () => {
      const world = worldOf(engines, undefined, inspected);
      await world.say(0, 'start');
      expect(await world.say(1, 'TaskOutput task_1')).toBe('failed');
      expect(await world.say(1, 'TaskStop task_1')).toBe('failed');
      const told = world.operatives[1].conversation.messages.flatMap(({ content }) =>
        content.flatMap((block) => (block.type === 'toolResult' ? block.content : [])),
      );
      expect(new Set(told.map((block) => ('text' in block ? block.text : '')))).toEqual(
        new Set(['This conversation has no task "task_1". No task of this conversation is kept.']),
      );
      expect(world.tasks.get('task_1')?.status).toBe('running');
      world.check();
    });

    test('each hears only of its own tasks', async () => {
      const world = worldOf(engines, 'steer', inspected);
      await world.say(0, 'start');
      await world.say(1, 'start');
      world.works[1]?.resolve();
      await world.host.settle();
      expect(world.lines(0).filter((line) => line.includes('notice'))).toEqual([]);
      world.works[0]?.resolve();
      await world.host.settle();
      expect(
        [0, 1].map((index) => world.lines(index as 0 | 1).filter((line) => line.includes('notice')).length),
      ).toEqual([1, 1]);
      expect(world.lines(0).join()).not.toContain('task_2');
      expect(world.lines(1).join()).not.toContain('task_1');
      world.check();
    });

    test('cancel and close of one leave the other’s task alone, and its own', async () => {
      const world = worldOf(engines, 'steer', inspected);
      await world.say(0, 'start');
      await world.say(1, 'start');
      await world.operatives[0].cancel();
      await world.operatives[0].close();
      expect(world.tasks.list().map(({ owner, status }) => [owner, status])).toEqual(
        world.operatives.map(({ session }) => [session.id, 'running']),
      );
      world.works[0]?.resolve();
      await world.host.settle();
      expect(world.lines(0).join()).not.toContain('notice');
      world.check();
    });
  });
});
