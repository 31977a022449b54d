// An engine whose turns run on charts with replaced parts.

import type { Engine, EngineOptions } from '../contracts/engine.ts';
import type { toolCallMachine } from '../machines/tool-call.ts';
import type { turnMachine } from '../machines/turn.ts';
import { chartsWith } from '../runtime/charts.ts';
import { createChartedEngine } from '../runtime/engine.ts';

/** Charts made by `.provide()` on ours. Guards, actions and services can be replaced; what is not stays as it is. */
export interface EngineCharts {
  readonly turn?: typeof turnMachine;
  readonly toolCall?: typeof toolCallMachine;
}

/**
 * As `createEngine`, with parts of the turn or tool call chart replaced, as in
 * `engineWith(options, { turn: turnMachine.provide({ actors: { delay: noDelay } }) })`. An operative that is given a
 * function instead of an engine shows the standard charts to an inspector.
 */
export function engineWith<TurnContext = unknown>(
  options: EngineOptions<TurnContext>,
  charts: EngineCharts,
): Engine<TurnContext> {
  return createChartedEngine(options, chartsWith(charts));
}
