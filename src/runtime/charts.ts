// The charts with their real services: provided once for the whole module, since providing costs more than a turn. An
// engine made by `engineWith` has charts of its own.

import type { AnyStateMachine } from 'xstate';
import { chartLogic, chartRuns } from '../machines/chart-logic.ts';
import {
  operativeMachine,
  operativeSends,
  type OperativeMachineContext,
  type OperativeMachineEvent,
} from '../machines/operative.ts';
import { startToolCall, toolCallMachine, type ToolCallMachineEvent } from '../machines/tool-call.ts';
import { turnMachine, type TurnMachineEvent, type TurnMachineInput, type TurnOutput } from '../machines/turn.ts';
import { applyTransformers } from '../services/apply-transformers.ts';
import { delay } from '../services/delay.ts';
import { dispatchTools } from '../services/dispatch-tools.ts';
import { reload } from '../services/reload.ts';
import type { TurnCharts } from '../services/settings.ts';
import { streamModel } from '../services/stream-model.ts';
import { recordOf } from '../services/turn-record.ts';

const services = { applyTransformers, streamModel, delay, dispatchTools };

/** The turn chart as an inspector watches it. */
export const turnLogic = turnMachine.provide({ actors: services });

/** The operative chart as an inspector watches it. */
export const operativeLogic = operativeMachine.provide({ actors: { turn: turnLogic, reload } });

/** The operative chart run by its table. Each turn runs by the table of the engine that was asked for it. */
export const operativeTable = chartLogic<OperativeMachineEvent, OperativeMachineContext, undefined>(
  operativeLogic,
  { turn: (input) => recordOf((input as TurnMachineInput).scope).settings.charts.turnTable },
  operativeSends,
);

/** What every engine runs unless it was made by `engineWith`. */
export const standardCharts: TurnCharts = {
  turnTable: tableOfTurn(turnLogic),
  turnMachine: turnLogic,
  startToolCall,
  toolCallMachine,
};

/** The charts of an engine that replaces parts of them. Services that are still stubs become the real ones. */
export function chartsWith(parts: {
  readonly turn?: typeof turnMachine | undefined;
  readonly toolCall?: typeof toolCallMachine | undefined;
}): TurnCharts {
  const { turn, toolCall } = parts;
  const provided = turn === undefined ? turnLogic : withServices(turn);
  return {
    turnTable: turn === undefined ? standardCharts.turnTable : tableOfTurn(provided),
    turnMachine: provided,
    startToolCall: toolCall === undefined ? startToolCall : chartRuns<ToolCallMachineEvent>(toolCall),
    toolCallMachine: toolCall ?? toolCallMachine,
  };
}

/** The operative chart as an inspector watches it, with this turn chart. */
export function operativeLogicWith(turn: AnyStateMachine): typeof operativeLogic {
  if (turn === turnLogic) return operativeLogic;
  return operativeMachine.provide({ actors: { turn: turn as typeof turnLogic, reload } }); // made by chartsWith
}

function withServices(turn: typeof turnMachine): typeof turnMachine {
  const stubs = turnMachine.implementations.actors as Readonly<Record<string, unknown>>;
  const given = turn.implementations.actors as Readonly<Record<string, unknown>>;
  const missing = Object.entries(services).filter(([name]) => given[name] === stubs[name]);
  return turn.provide({ actors: Object.fromEntries(missing) });
}

function tableOfTurn(machine: typeof turnMachine): TurnCharts['turnTable'] {
  return chartLogic<TurnMachineEvent, TurnMachineInput, TurnOutput>(machine);
}
