// The operative chart's cases, and its behaviour written down again by hand.

import { chartLogic } from '../../src/machines/chart-logic.ts';
import {
  operativeChart,
  operativeMachine,
  type OperativeMachineEvent,
  type OperativeScope,
} from '../../src/machines/operative.ts';
import type { SubmitPolicy } from '../../src/contracts/operative.ts';
import type { PathCase } from '../../src/testing/index.ts';
import { startActor, type ChartSetting, type ChartWalk, type Expected, type Reference } from './execute-paths.ts';

export interface OperativeCase extends PathCase {
  readonly name: string;
  readonly tells:
    | { readonly what: 'submit'; readonly policy: SubmitPolicy }
    | { readonly what: 'resume'; readonly answerable: boolean }
    | { readonly what: 'cancel'; readonly graceMs?: number; readonly holds?: true }
    | { readonly what: 'compact'; readonly possible: boolean }
    | { readonly what: 'close' | 'sealed' | 'turnBroke' | 'reloadBroke' | 'compactBroke' }
    | { readonly what: 'turnEnded'; readonly left: 'nothing' | 'queued' | 'late' | 'late, aborted' }
    | { readonly what: 'reloaded'; readonly found: 'work' | 'nothing' | 'error' }
    | { readonly what: 'compacted'; readonly gained: boolean };
}

const policies: readonly SubmitPolicy[] = ['steer', 'queue', 'reject', 'preempt'];

/** Every event of the chart, with one payload for each thing it can mean. */
const operativeCases: readonly OperativeCase[] = [
  ...policies.map((policy) =>
    caseOf(
      `submit, ${policy}`,
      { type: 'message.submit', policy, submission: named('message') },
      { what: 'submit', policy },
    ),
  ),
  resume('resume with something to answer', true),
  resume('resume with nothing to answer', false),
  caseOf('cancel', { type: 'turn.cancel', holds: false, question: named('cancel') }, { what: 'cancel' }),
  caseOf(
    'cancel while messages are held',
    { type: 'turn.cancel', holds: true, question: named('cancel') },
    { what: 'cancel', holds: true },
  ),
  {
    ...caseOf(
      'cancel within 5 ms',
      { type: 'turn.cancel', graceMs: 5, holds: false, question: named('cancel') },
      { what: 'cancel', graceMs: 5 },
    ),
    inSimplePaths: false,
  },
  compact('compact', true),
  compact('compact in vain', false),
  caseOf('close', { type: 'operative.close', question: named('close') }, { what: 'close' }),
  caseOf('turn sealed', { type: 'turn.sealed' }, { what: 'sealed' }), // told by the runtime, also after a turn broke
  turnEnded('turn ended', 'completed', 0, 0, 'nothing'),
  turnEnded('turn failed', 'failed', 0, 0, 'nothing'),
  turnEnded('turn ended with queued messages', 'completed', 0, 1, 'queued'),
  turnEnded('turn failed with queued messages', 'failed', 1, 1, 'queued'),
  turnEnded('turn ended with late messages', 'completed', 1, 0, 'late'),
  turnEnded('turn hit its limit with late messages', 'maxIterations', 1, 0, 'late'),
  turnEnded('turn hit the token limit with late messages', 'maxTokens', 1, 0, 'late'),
  turnEnded('turn was refused with late messages', 'refused', 1, 0, 'late'),
  turnEnded('turn aborted with late messages', 'aborted', 1, 0, 'late, aborted'),
  turnEnded('turn failed with late messages', 'failed', 1, 0, 'late, aborted'),
  turnEnded('context overflowed with late messages', 'contextOverflow', 1, 0, 'late, aborted'),
  caseOf('turn broke', { type: 'xstate.error.actor.turn', error: new Error('turn broke') }, { what: 'turnBroke' }),
  reloaded('reloaded', { kind: 'loaded', answerable: true }, 'work'),
  reloaded('reloaded, nothing to answer', { kind: 'loaded', answerable: false }, 'nothing'),
  reloaded('reload failed', { kind: 'failed', answerable: false }, 'error'),
  caseOf(
    'reload broke',
    { type: 'xstate.error.actor.reload', error: new Error('reload broke') },
    { what: 'reloadBroke' },
  ),
  compacted('compacted', true),
  { ...compacted('compacted in vain', false), inSimplePaths: false },
  caseOf(
    'compact broke',
    { type: 'xstate.error.actor.compact', error: new Error('compact broke') },
    { what: 'compactBroke' },
  ),
];

interface Kind {
  readonly reloads: boolean;
  readonly startsLate: boolean;
}

/** The settings of the walk: its two options on and off. */
export const kinds: Readonly<Record<string, Kind>> = {
  plain: { reloads: false, startsLate: false },
  'starts late messages': { reloads: false, startsLate: true },
  reloads: { reloads: true, startsLate: false },
  'reloads, starts late messages': { reloads: true, startsLate: true },
};

/** The walk through the operative chart. */
export const operativeWalk: ChartWalk<OperativeCase> = {
  machine: operativeMachine,
  cases: operativeCases,
  settings: Object.entries(kinds).map(([name, kind]) => settingOf(name, kind)),
};

function settingOf(name: string, kind: Kind): ChartSetting<OperativeCase> {
  const turnInput = {
    scope: { toJSON: () => null, output: () => null },
    stages: { beforeTurn: false, beforeIteration: false, afterIteration: false, afterTurn: false },
  };
  return {
    name,
    input: { scope: { toJSON: () => null, turnInput: () => turnInput }, ...kind },
    reference: () => new OperativeReference(kind),
    start: (machine, runner, world) => {
      const scope = world.scope<OperativeScope>({ turnInput });
      const label = (id: string) => id;
      const service = (id: string) => (runner === 'bare' ? world.bareService(() => id, label) : world.service(label));
      const actors = { turn: world.service(label), reload: service('reload'), compact: service('compact') };
      const { id, config, implementations } = machine;
      const { sends } = operativeChart;
      const logic =
        runner === 'xstate'
          ? machine.provide({ actors })
          : chartLogic<OperativeMachineEvent, unknown, unknown>({ id, config, implementations, sends }, actors, {
              services: runner === 'bare' ? 'bare' : 'actors',
            });
      return startActor(logic, { scope, ...kind });
    },
  };
}

const turnLives: ReadonlySet<string> = new Set(['running', 'settling', 'cancelling', 'preempting', 'closing']);

/** The rules of an operative, by event. */
class OperativeReference implements Reference<OperativeCase> {
  readonly #kind: Kind;
  #state = 'idle';
  #calls: string[] = [];
  #after: string[] = [];

  constructor(kind: Kind) {
    this.#kind = kind;
  }

  step({ tells }: OperativeCase): Expected {
    this.#calls = [];
    this.#after = [];
    this.#take(tells);
    const live = this.#live();
    return {
      state: this.#path(),
      log: [...this.#calls, ...this.#after],
      live: live === undefined ? [] : [live],
    };
  }

  #path(): string {
    if (turnLives.has(this.#state)) return `active.${this.#state}`;
    return this.#is('free', 'claimed') ? `compacting.${this.#state}` : this.#state;
  }

  #take(tells: OperativeCase['tells']): void {
    switch (tells.what) {
      case 'submit':
        return this.#submit(tells.policy);
      case 'resume':
        return this.#resume(tells.answerable);
      case 'cancel':
        return this.#cancel(tells.graceMs, tells.holds === true);
      case 'compact':
        return this.#compact(tells.possible);
      case 'close':
        return this.#close();
      case 'sealed':
        if (this.#state === 'running') this.#state = 'settling';
        return;
      case 'turnEnded':
        return this.#turnEnded(tells.left);
      case 'turnBroke':
        this.#calls.push('breakTurn turn broke');
        return this.#is('closing') ? this.#finallyClosed() : this.#to('idle');
      case 'reloaded':
        if (tells.found === 'work') return this.#run();
        this.#calls.push(tells.found === 'nothing' ? 'dropClaim' : 'endClaim failed');
        return this.#to('idle');
      case 'reloadBroke':
        this.#calls.push('endClaim failed');
        return this.#to('idle');
      case 'compacted':
        return this.#compacted(tells.gained);
      case 'compactBroke':
        return this.#compacted(false);
    }
  }

  #submit(policy: SubmitPolicy): void {
    const note = (what: string) => this.#calls.push(what);
    if (this.#is('closed', 'closing')) return void note('reject message closed');
    if (this.#is('idle')) {
      note('claim message');
      return this.#begin();
    }
    if (policy === 'reject') return void note('reject message busy');
    if (this.#is('free')) {
      note('claim message');
      this.#state = 'claimed';
      return;
    }
    if (policy === 'queue') return void note('hold message');
    if (policy === 'steer') {
      return void note(`${this.#is('running', 'reloading', 'claimed') ? 'steer' : 'keepLate'} message`);
    }
    note('preempt message');
    if (this.#is('claimed')) return void this.#calls.push('endClaim aborted', 'claimWaiting');
    if (this.#is('reloading')) {
      this.#calls.push('endClaim aborted', 'claimWaiting');
      this.#after.push('stop reload');
      return this.#begin();
    }
    if (this.#is('running', 'settling')) this.#after.push('turn gets turn.cancel');
    this.#state = 'preempting';
  }

  #resume(answerable: boolean): void {
    const claims = this.#is('idle', 'free') && (answerable || this.#kind.reloads);
    const begins = claims && this.#is('idle');
    const does = this.#is('closed', 'closing')
      ? 'rejectClosed'
      : claims
        ? 'claimResume'
        : this.#is('idle', 'free')
          ? 'declineResume'
          : 'joinResume';
    this.#calls.push(`${does} resume`);
    if (begins) this.#begin();
    else if (claims) this.#state = 'claimed';
  }

  #cancel(graceMs: number | undefined, holds: boolean): void {
    if (this.#is('idle', 'closed')) return void this.#calls.push('answerIdle cancel');
    if (this.#is('preempting')) this.#calls.push('demotePreempts');
    this.#calls.push('awaitEnd cancel');
    const heldBack = this.#is('reloading') && holds;
    if (this.#is('claimed') && holds) return void this.#calls.push('endClaim aborted', 'claimWaiting');
    if (this.#giveUp()) {
      if (!heldBack) return this.#to('idle');
      this.#calls.push('claimWaiting'); // queued messages always start the next turn
      return this.#begin();
    }
    this.#after.push(`turn gets turn.cancel${graceMs === undefined ? '' : ` {"graceMs":${graceMs}}`}`);
    if (!this.#is('closing')) this.#state = 'cancelling';
  }

  #compact(possible: boolean): void {
    if (this.#is('closed', 'closing')) return void this.#calls.push('rejectClosed compact');
    if (!this.#is('idle') || !possible) return void this.#calls.push('declineCompact compact');
    this.#calls.push('beginCompact compact');
    this.#to('free');
  }

  #compacted(gained: boolean): void {
    this.#calls.push(`endCompact ${gained}`);
    return this.#is('claimed') ? this.#begin() : this.#to('idle');
  }

  #close(): void {
    if (this.#is('closed')) return void this.#calls.push('answerIdle close');
    this.#calls.push('awaitEnd close');
    if (this.#is('closing')) return;
    if (this.#is('idle') || this.#giveUp()) return this.#finallyClosed();
    this.#after.push('turn gets turn.cancel');
    this.#state = 'closing';
  }

  #turnEnded(left: string): void {
    this.#calls.push('finishTurn {"reason":…}');
    if (this.#is('closing')) return this.#finallyClosed();
    const goesOn = this.#is('preempting') || left === 'queued' || (left === 'late' && this.#kind.startsLate);
    if (!goesOn) return this.#to('idle');
    this.#calls.push('claimWaiting');
    this.#begin();
  }

  // A claim that has not begun to run is given up at once; a turn has to be cancelled.
  #giveUp(): boolean {
    if (this.#is('reloading')) this.#calls.push('endClaim aborted');
    else if (this.#is('free', 'claimed')) this.#calls.push('abandonCompact');
    else return false;
    this.#after.push(`stop ${String(this.#live())}`);
    return true;
  }

  #begin(): void {
    if (this.#kind.reloads) this.#to('reloading');
    else this.#run();
  }

  #run(): void {
    this.#calls.push('beginTurn', 'turnInput');
    this.#to('running');
    this.#after.push('turn gets turn.start');
  }

  #finallyClosed(): void {
    this.#calls.push('close');
    this.#to('closed');
  }

  #to(state: string): void {
    this.#state = state;
    const live = this.#live();
    if (live !== undefined) this.#after.push(`start ${live}`);
  }

  #is(...states: readonly string[]): boolean {
    return states.includes(this.#state);
  }

  #live(): string | undefined {
    if (turnLives.has(this.#state)) return 'turn';
    return { reloading: 'reload', free: 'compact', claimed: 'compact' }[this.#state];
  }
}

// Submissions and questions as the log shows them.
function named(name: string) {
  return { name, messageId: name, kind: name };
}

function caseOf(name: string, event: object, tells: OperativeCase['tells']): OperativeCase {
  return { name, event: event as OperativeCase['event'], tells };
}

function resume(name: string, answerable: boolean): OperativeCase {
  return caseOf(name, { type: 'turn.resume', answerable, question: named('resume') }, { what: 'resume', answerable });
}

function compact(name: string, possible: boolean): OperativeCase {
  return caseOf(
    name,
    { type: 'operative.compact', possible, question: named('compact') },
    { what: 'compact', possible },
  );
}

function turnEnded(
  name: string,
  reason: string,
  late: number,
  queued: number,
  left: Extract<OperativeCase['tells'], { what: 'turnEnded' }>['left'],
): OperativeCase {
  const output = { name: '{"reason":…}', reason, waiting: { late, queued } };
  return {
    ...caseOf(name, { type: 'xstate.done.actor.turn', output }, { what: 'turnEnded', left }),
    inSimplePaths: ['turn ended', 'turn ended with queued messages'].includes(name),
  };
}

function reloaded(
  name: string,
  output: object,
  found: Extract<OperativeCase['tells'], { what: 'reloaded' }>['found'],
): OperativeCase {
  return caseOf(name, { type: 'xstate.done.actor.reload', output }, { what: 'reloaded', found });
}

function compacted(name: string, gained: boolean): OperativeCase {
  return caseOf(name, { type: 'xstate.done.actor.compact', output: { gained } }, { what: 'compacted', gained });
}
