// Runs the chart of a realtime session on XState's interpreter behind an interface without XState's types. Called by
// src/realtime/session-services.ts once, and by each session for its own actor.

import { createActor } from 'xstate';
import type { RealtimePhase } from '../contracts/realtime.ts';
import {
  phaseOf,
  realtimeSessionMachine,
  type DeadlineFacts,
  type DeadlineInput,
  type RealtimeScope,
  type RealtimeSessionMachineEvent,
} from './realtime-session.ts';
import type { ServiceLogic } from './service.ts';

/** What the chart invokes. */
export interface RealtimeServices {
  readonly deadline: ServiceLogic<DeadlineInput, DeadlineFacts>;
  readonly expiry: ServiceLogic<RealtimeScope, undefined>;
  /** Ends when the other end of the link no longer responds. */
  readonly keepAlive: ServiceLogic<RealtimeScope, undefined>;
  readonly reconnect: ServiceLogic<RealtimeScope, undefined>;
}

/** A running chart. */
export interface RealtimeChart {
  /** The chart has moved when this returns, unless it was in a step already: then it moves right after that step. */
  send(event: RealtimeSessionMachineEvent): void;
  stop(): void;
}

/** What whoever watches a chart provides. */
export interface ChartWatch {
  /** Called after every step. `isInterrupting` = something that was asked to stop has not stopped yet. */
  moved(phase: RealtimePhase, isInterrupting: boolean): void;
  /** The chart is dead: an action threw, which no action may do. */
  broke(error: unknown): void;
  readonly inspect: ((event: unknown) => void) | undefined;
}

/** Provides the services once; the returned function starts a chart for one session. */
export function realtimeChartWith(
  services: RealtimeServices,
): (scope: RealtimeScope, watch: ChartWatch) => RealtimeChart {
  const machine = realtimeSessionMachine.provide({ actors: { ...services } });
  return (scope, watch) => {
    const { inspect } = watch;
    const actor = createActor(machine, { input: { scope }, ...(inspect === undefined ? {} : { inspect }) });
    actor.subscribe({
      next: (snapshot) => watch.moved(phaseOf(snapshot), snapshot.hasTag('interrupting')),
      error: (error) => watch.broke(error),
    });
    actor.start();
    return actor;
  };
}
