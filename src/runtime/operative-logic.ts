// The operative chart with its real turn and services, provided once for the whole module.

import { chartLogic } from '../machines/chart-logic.ts';
import {
  operativeMachine,
  operativeSends,
  type OperativeMachineContext,
  type OperativeMachineEvent,
} from '../machines/operative.ts';
import { reload } from '../services/reload.ts';
import { turnLogic, turnTable } from './turn-logic.ts';

/** What an inspector watches. It finds its conversation through the scope in its input. */
export const operativeLogic = operativeMachine.provide({ actors: { turn: turnLogic, reload } });

/** The same chart run by its table, for operatives nobody inspects. */
export const operativeTable = chartLogic<OperativeMachineEvent, OperativeMachineContext, undefined>(
  operativeLogic,
  { turn: turnTable },
  operativeSends,
);
