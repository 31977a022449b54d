// The cases of the two charts of background tasks, and their behaviour written down again by hand.

import {
  backgroundTaskMachine,
  type BackgroundTaskMachineEvent,
  type BackgroundTaskScope,
} from '../../src/machines/background-task.ts';
import {
  backgroundTasksMachine,
  type BackgroundTasksMachineEvent,
  type BackgroundTasksScope,
} from '../../src/machines/background-tasks.ts';
import { chartLogic } from '../../src/machines/chart-logic.ts';
import type { PathCase } from '../../src/testing/index.ts';
import { startActor, type ChartWalk, type Expected, type Reference } from './execute-paths.ts';

interface Case extends PathCase {
  readonly name: string;
}

const question = (name: string) => ({ name, kind: name });

const registryCases: readonly Case[] = [
  caseOf('start', { type: 'task.start', question: question('start') }),
  caseOf('a task ended', { type: 'task.ended', live: 1 }),
  caseOf('the last task ended', { type: 'task.ended', live: 0 }),
  caseOf('close', { type: 'tasks.close', live: 2, question: question('close') }),
  caseOf('close, nothing runs', { type: 'tasks.close', live: 0, question: question('close') }),
];

/** The walk through the registry's chart. */
export const backgroundTasksWalk: ChartWalk<Case> = {
  machine: backgroundTasksMachine,
  cases: registryCases,
  settings: [
    {
      name: 'a registry',
      input: { scope: { toJSON: () => null } },
      reference: () => new RegistryReference(),
      start: (machine, runner, world) => {
        const input = { scope: world.scope<BackgroundTasksScope>() };
        if (runner === 'xstate') return startActor(machine, input);
        const services = runner === 'bare' ? 'bare' : 'actors';
        return startActor(chartLogic<BackgroundTasksMachineEvent, unknown, unknown>(machine, {}, { services }), input);
      },
    },
  ],
};

class RegistryReference implements Reference<Case> {
  #state = 'open';

  step({ name }: Case): Expected {
    const log: string[] = [];
    const isOpen = this.#state === 'open';
    if (name === 'start') log.push(isOpen ? 'accept start' : 'refuse start');
    if (name.startsWith('close')) {
      log.push('awaitClosed close');
      const rests = this.#state === 'closed' || (isOpen && name === 'close, nothing runs');
      if (rests) {
        log.push('answerClosed');
        this.#state = 'closed';
      } else if (isOpen) {
        log.push('stopAll');
        this.#state = 'closing';
      }
    }
    if (name === 'the last task ended' && this.#state === 'closing') {
      log.push('answerClosed');
      this.#state = 'closed';
    }
    return { state: this.#state, log, live: [] };
  }
}

const taskCases: readonly Case[] = [
  caseOf('returned', { type: 'tool.settled', isError: false }),
  caseOf('failed', { type: 'tool.settled', isError: true }),
  caseOf('stop', { type: 'task.stop' }),
  caseOf('grace time over', { type: 'xstate.done.actor.grace', output: undefined }),
  caseOf('grace broke', { type: 'xstate.error.actor.grace', error: new Error('grace broke') }),
];

/** The walk through a task's chart. */
export const backgroundTaskWalk: ChartWalk<Case> = {
  machine: backgroundTaskMachine,
  cases: taskCases,
  settings: [
    {
      name: 'a task',
      input: { scope: { toJSON: () => null } },
      reference: () => new TaskReference(),
      start: (machine, runner, world) => {
        const input = { scope: world.scope<BackgroundTaskScope>() };
        const label = (id: string) => id;
        const grace = runner === 'bare' ? world.bareService(() => 'grace', label) : world.service(label);
        if (runner === 'xstate') return startActor(machine.provide({ actors: { grace } }), input);
        const services = runner === 'bare' ? 'bare' : 'actors';
        return startActor(
          chartLogic<BackgroundTaskMachineEvent, unknown, unknown>(machine, { grace }, { services }),
          input,
        );
      },
    },
  ],
};

class TaskReference implements Reference<Case> {
  #state = 'running';

  step({ name }: Case): Expected {
    const log: string[] = [];
    if (this.#state === 'stopping') {
      if (name === 'returned' || name === 'failed') log.push('stop grace');
      if (name !== 'stop') this.#state = 'stopped';
    } else if (this.#state === 'running') {
      if (name === 'stop') {
        log.push('abort', 'start grace');
        this.#state = 'stopping';
      } else this.#state = name === 'returned' ? 'completed' : 'failed';
    }
    return { state: this.#state, log, live: this.#state === 'stopping' ? ['grace'] : [] };
  }
}

function caseOf(name: string, event: object): Case {
  return { name, event: event as Case['event'] };
}
