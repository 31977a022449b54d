// The charts with their services, as logic to run: made once for the whole module. An engine made by `engineWith` has
// its own charts.

import { chartLogic, chartRuns, type RunnableChart } from '../machines/chart-logic.ts';
import { operativeChart, type OperativeMachineContext, type OperativeMachineEvent } from '../machines/operative.ts';
import { toolCallChart, type ToolCallMachineContext, type ToolCallMachineEvent } from '../machines/tool-call.ts';
import { turnChart, type TurnMachineEvent, type TurnMachineInput, type TurnOutput } from '../machines/turn.ts';
import { applyTransformers } from '../services/apply-transformers.ts';
import { compact } from '../services/compact.ts';
import { delay } from '../services/delay.ts';
import { dispatchTools } from '../services/dispatch-tools.ts';
import { reload } from '../services/reload.ts';
import type { TurnCharts } from '../services/settings.ts';
import { streamModel } from '../services/stream-model.ts';
import { recordOf } from '../services/turn-record.ts';

/** The services of a turn, by the names its chart gives them. */
export const turnServices = { applyTransformers, streamModel, delay, dispatchTools };

/** Makes runnable logic from a turn chart and a tool call chart. */
export function chartsOf(turn: RunnableChart, toolCall: RunnableChart, services: object = turnServices): TurnCharts {
  return {
    turn: turnLogicOf(turn, services, 'bare'),
    inspectedTurn: turnLogicOf(turn, services, 'actors'),
    inspectedToolCall: chartLogic<ToolCallMachineEvent, ToolCallMachineContext, undefined>(toolCall),
    startToolCall: chartRuns<ToolCallMachineEvent>(toolCall),
  };
}

/** What every engine runs unless it was made by `engineWith`. */
export const standardCharts: TurnCharts = chartsOf(turnChart, toolCallChart);

/** The operative's logic when nobody inspects. Each turn runs on the charts of the engine it is started with. */
export const operativeLogic = /* @__PURE__ */ operativeLogicWith('turn', 'bare');

/** The operative's logic for an inspector: everything below it is an actor. */
export const inspectedOperativeLogic = /* @__PURE__ */ operativeLogicWith('inspectedTurn', 'actors');

function turnLogicOf(turn: RunnableChart, actors: object, services: 'actors' | 'bare'): TurnCharts['turn'] {
  return chartLogic<TurnMachineEvent, TurnMachineInput, TurnOutput>(turn, { ...actors }, { services });
}

function operativeLogicWith(turn: 'turn' | 'inspectedTurn', services: 'actors' | 'bare') {
  return chartLogic<OperativeMachineEvent, OperativeMachineContext, undefined>(
    operativeChart,
    { turn: (input) => recordOf((input as TurnMachineInput).scope).settings.charts[turn], reload, compact },
    { services },
  );
}
