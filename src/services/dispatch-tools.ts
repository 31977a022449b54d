// The service of `dispatching`: carries out the calls of one message, group by group, and appends their results.

import { createActor, type AnyActorRef } from 'xstate';
import { TurnchartError } from '../contracts/errors.ts';
import type { ToolCallBlock, ToolResultBlock } from '../conversation/block.ts';
import { relay } from '../machines/relay.ts';
import { serviceLogic, type ServiceActor, type ServiceLogic } from '../machines/service.ts';
import type { TurnFacts, TurnScope } from '../machines/turn.ts';
import { PerformedCall, type CallChart } from './perform-call.ts';
import { planCalls, planFault, type CallPlan } from './plan-calls.ts';
import { longestDelayMs } from './settings.ts';
import { stepAnswer } from './user-code.ts';
import { recordOf, type RunningBatch, type TurnRecord } from './turn-record.ts';

/** Results are in call order, events in order of occurrence. Settles once every call has a result. */
export const dispatchTools: ServiceLogic<TurnScope, TurnFacts> = serviceLogic(
  (scope, actor) => {
    const batch = new Batch(recordOf(scope), actor);
    try {
      batch.start();
    } catch (thrown) {
      batch.abandon();
      throw thrown;
    }
    return () => batch.abandon();
  },
  { id: 'dispatchTools', description: 'Carries out the calls of one message.' },
);

class Batch implements RunningBatch {
  readonly #record: TurnRecord;
  readonly #actor: ServiceActor<TurnFacts>;
  readonly #calls: readonly ToolCallBlock[];
  readonly #results: (ToolResultBlock | undefined)[];
  readonly #live = new Set<PerformedCall>();
  /** In order of start; a call that opens a group waits until no other is live. */
  #queue: readonly { readonly call: ToolCallBlock; readonly opensGroup: boolean }[] = [];
  #started = 0;
  #unsettled: number;
  #waitingForApproval = 0;
  #isInterrupted = false;
  #isGoing = false;
  #isOver = false;
  #grace: unknown;
  #graceEndsAt = Infinity;

  constructor(record: TurnRecord, actor: ServiceActor<TurnFacts>) {
    this.#record = record;
    this.#actor = actor;
    this.#calls = record.calls;
    this.#results = Array.from({ length: this.#calls.length });
    this.#unsettled = this.#calls.length;
  }

  start(): void {
    this.#queue = this.#makePlan().flatMap((group) => group.map((call, index) => ({ call, opensGroup: index === 0 })));
    this.#record.dispatch = this;
    this.#go();
  }

  /**
   * Cancel: running calls have `graceMs` to return a result; the others never run. A second cancel may shorten the
   * time.
   */
  interrupt(graceMs: number): void {
    this.#enter(() => this.#interrupt(graceMs));
  }

  #interrupt(graceMs: number): void {
    if (this.#isOver) return;
    this.#isInterrupted = true;
    for (const call of [...this.#live]) call.cancel(graceMs);
    this.#go();
    if (this.#isOver) return;
    const { host } = this.#record.settings;
    const rest = graceMs > 0 ? Math.min(graceMs, longestDelayMs) : 0;
    const endsAt = host.now() + rest;
    if (endsAt >= this.#graceEndsAt) return; // a cancel is bounded, however often it is repeated
    this.#graceEndsAt = endsAt;
    host.clearTimeout(this.#grace);
    if (rest === 0) return this.#expire();
    this.#grace = host.setTimeout(() => this.#enter(() => this.#expire()), rest);
  }

  /** The chart left the service before it settled, as only a broken turn does: nothing is reported any more. */
  abandon(): void {
    this.#isOver = true;
    this.#record.settings.host.clearTimeout(this.#grace);
    for (const call of this.#live) call.abandon();
  }

  fateOf({ id }: ToolCallBlock): ReturnType<RunningBatch['fateOf']> {
    const settled = this.#results[this.#calls.findIndex((call) => call.id === id)];
    if (settled !== undefined) return settled;
    const live = [...this.#live].find(({ call }) => call.id === id);
    return live?.announced ?? (live?.hasStarted === true ? 'interrupted' : 'notStarted');
  }

  // Everything enters through here once the batch has begun: promises of tools, timers, a cancel. Nothing else would
  // report what is thrown then, and the turn would wait forever.
  readonly #enter = (work: () => void): void => {
    try {
      work();
    } catch (thrown) {
      if (this.#isOver) return;
      this.abandon();
      this.#actor.fail(thrown);
    }
  };

  #expire(): void {
    for (const call of [...this.#live]) call.expire();
  }

  #makePlan(): CallPlan {
    const { tools, steps, onListenerError } = this.#record.settings;
    const toolOf = (name: string) => tools.get(name);
    if (steps.planCalls === undefined) return planCalls(this.#calls, toolOf, onListenerError);
    const plan = stepAnswer('planCalls', () => steps.planCalls?.(this.#calls, toolOf));
    const fault = planFault(plan, this.#calls);
    if (plan !== undefined && fault === undefined) return plan;
    throw new TurnchartError('turn.broken', `The step "planCalls" returned no valid plan for these calls: ${fault}.`);
  }

  // Starts what may start now. A call that settles at once calls this again while the loop runs: the loop then carries
  // on.
  #go(): void {
    if (this.#isGoing) return;
    this.#isGoing = true;
    const { maxParallelTools } = this.#record.settings;
    while (!this.#isOver) {
      const next = this.#queue[this.#started];
      if (next === undefined || this.#live.size >= (next.opensGroup ? 1 : maxParallelTools)) break;
      this.#started++;
      this.#perform(next.call);
    }
    this.#isGoing = false;
    if (this.#unsettled === 0 && !this.#isOver) this.#finish();
  }

  #perform(call: ToolCallBlock): void {
    const index = this.#calls.indexOf(call);
    const performed = new PerformedCall(this.#record, call, this.#chartFor(call, index), {
      settled: (result) => {
        this.#live.delete(performed);
        this.#results[index] = result;
        this.#unsettled--;
        this.#go();
      },
      approval: (isAsked) => this.#countApproval(isAsked),
      enter: this.#enter,
    });
    this.#live.add(performed);
    if (this.#isInterrupted) performed.cancel();
    else performed.start();
  }

  // For an inspector the chart runs as an actor. Its parent is never the turn, whose services a forged done event could
  // end, and its id never one the model chose.
  #chartFor(call: ToolCallBlock, index: number): CallChart {
    const { charts } = this.#record.settings;
    if (this.#record.watch === undefined) return charts.startToolCall();
    const parent = this.#actor.self as AnyActorRef; // the service's own actor; its contract keeps xstate's types out
    const input = { callId: call.id, name: call.name };
    const actor = createActor(charts.inspectedToolCall, { parent, id: `toolCall:${index}`, input }).start();
    return { actor, send: (event) => relay(parent, actor, event), getSnapshot: () => actor.getSnapshot() };
  }

  #countApproval(isAsked: boolean): void {
    this.#waitingForApproval += isAsked ? 1 : -1;
    this.#actor.report(
      isAsked ? { type: 'approval.asked' } : { type: 'approval.answered', waiting: this.#waitingForApproval },
    );
  }

  #finish(): void {
    this.#isOver = true;
    this.#record.settings.host.clearTimeout(this.#grace);
    try {
      this.#record.settleResults(this.#results.filter((result) => result !== undefined));
    } catch (thrown) {
      return this.#actor.fail(thrown); // such as a frozen transcript, or a host that gives no id
    }
    this.#actor.settle(this.#record.facts('settled'));
  }
}
