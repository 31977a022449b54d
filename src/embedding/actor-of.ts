// The actor behind an operative or a turn.

import type { ActorRef } from 'xstate';
import type { TurnRun } from '../contracts/engine.ts';
import { TurnchartError } from '../contracts/errors.ts';
import type { Operative } from '../contracts/operative.ts';
import type { ChartSnapshot } from '../machines/chart-logic.ts';
import type { OperativeMachineEvent } from '../machines/operative.ts';
import type { TurnMachineEvent, TurnOutput } from '../machines/turn.ts';
import { actorBehind } from '../runtime/facade-actors.ts';

/** The actor of an operative. Watch its snapshots, but send through the operative, which keeps track of messages. */
export type OperativeActorRef = ActorRef<ChartSnapshot<undefined>, OperativeMachineEvent>;

/** The actor of a turn. It is done when the turn is, with the TurnResult as output. */
export type TurnActorRef = ActorRef<ChartSnapshot<TurnOutput>, TurnMachineEvent>;

/** The actor of an operative or a turn of this copy of turnchart; throws `engine.foreign` for anything else. */
export function actorOf<TurnContext>(operative: Operative<TurnContext>): OperativeActorRef;
export function actorOf(run: TurnRun): TurnActorRef;
export function actorOf(facade: object): OperativeActorRef | TurnActorRef {
  const actor = actorBehind(facade);
  if (actor !== undefined) return actor as OperativeActorRef | TurnActorRef; // noted by the facade itself
  throw new TurnchartError(
    'engine.foreign',
    'Expected an operative or a turn made by this copy of turnchart: what createOperative() or engine.run() returned.',
  );
}
