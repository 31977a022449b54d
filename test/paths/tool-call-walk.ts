// The toolCall chart's cases, and its behaviour written down again by hand.

import { chartRuns } from '../../src/machines/chart-logic.ts';
import { toolCallMachine, type ToolCallMachineEvent } from '../../src/machines/tool-call.ts';
import type { PathCase } from '../../src/testing/index.ts';
import { startActor, type ChartWalk, type Expected, type Reference } from './execute-paths.ts';

export interface ToolCallCase extends PathCase {
  readonly name: string;
  /** The only state in which it means something, and what it leads to there. Absent: see the reference. */
  readonly from?: string;
  readonly to?: string;
}

const fine = { type: 'call.checked', runnable: true, truncated: false, known: true, valid: true, asks: false } as const;

/** Every event of the chart, with one payload for each thing it can mean. */
const toolCallCases: readonly ToolCallCase[] = [
  checked('may run', {}, 'running'),
  checked('must be asked about', { asks: true }, 'approving'),
  checked('has wrong arguments', { valid: false }, 'invalidArguments'),
  checked('has wrong arguments and would be asked about', { valid: false, asks: true }, 'invalidArguments'),
  checked('names no tool', { known: false, valid: false }, 'unknownTool'),
  checked('was cut', { truncated: true, valid: false }, 'truncated'),
  checked('was cut and names no tool', { truncated: true, known: false, valid: false }, 'truncated'),
  checked('was refused', { runnable: false, valid: false }, 'notStarted'),
  checked('was refused and cut', { runnable: false, truncated: true, known: false, valid: false }, 'notStarted'),
  approval('allowed', true, true, 'running'),
  approval('allowed with wrong arguments', true, false, 'invalidArguments'),
  approval('denied', false, true, 'denied'),
  approval('denied with wrong arguments', false, false, 'denied'),
  settled('returned', false, false, 'completed'),
  settled('failed', true, false, 'failed'),
  settled('went into the background', false, true, 'backgrounded'),
  settled('went into the background and failed', true, true, 'backgrounded'),
  caseOf('timed out', { type: 'call.timedOut' }, 'running', 'timedOut'),
  caseOf('grace time over', { type: 'call.expire' }, 'running', 'interrupted'),
  { name: 'cancel', event: { type: 'call.cancel' } },
];

/** The walk through the toolCall chart: nothing of its input decides anything. */
export const toolCallWalk: ChartWalk<ToolCallCase> = {
  machine: toolCallMachine,
  cases: toolCallCases,
  settings: [
    {
      name: 'a call',
      input: { callId: 'call', name: 'tool' },
      reference: () => new ToolCallReference(),
      start: (machine, runner) =>
        runner === 'xstate'
          ? startActor(machine, { callId: 'call', name: 'tool' })
          : (chartRuns<ToolCallMachineEvent>(machine)() as ReturnType<typeof startActor>), // it takes these events only
    },
  ],
};

class ToolCallReference implements Reference<ToolCallCase> {
  #state = 'validating';

  step(given: ToolCallCase): Expected {
    // Before it runs a cancel ends a call at once; a running tool only hears of it.
    const mayBeCancelled = this.#state === 'validating' || this.#state === 'approving';
    if (given.from === undefined && mayBeCancelled) this.#state = 'notStarted';
    else if (given.to !== undefined && this.#state === given.from) this.#state = given.to;
    return { state: this.#state, log: [], live: [] };
  }
}

function caseOf(name: string, event: object, from: string, to: string): ToolCallCase {
  return { name, event: event as ToolCallCase['event'], from, to };
}

function checked(name: string, facts: Partial<Omit<typeof fine, 'type'>> | object, to: string): ToolCallCase {
  return caseOf(name, { ...fine, ...facts }, 'validating', to);
}

function approval(name: string, allowed: boolean, valid: boolean, to: string): ToolCallCase {
  return caseOf(name, { type: 'approval.settled', allowed, valid }, 'approving', to);
}

function settled(name: string, isError: boolean, backgrounded: boolean, to: string): ToolCallCase {
  return caseOf(name, { type: 'tool.settled', isError, backgrounded }, 'running', to);
}
