// An engine whose turns run on charts with replaced parts.

import type { Engine, EngineOptions } from '../contracts/engine.ts';
import { checkChart } from '../machines/check-chart.ts';
import { toolCallMachine } from '../machines/tool-call.ts';
import { turnMachine } from '../machines/turn.ts';
import { chartsOf, turnServices } from '../runtime/charts.ts';
import { createChartedEngine } from '../runtime/engine.ts';

/** Charts made by `.provide()` on ours. Guards, actions and services can be replaced; the rest stays as it is. */
export interface EngineCharts {
  readonly turn?: typeof turnMachine;
  readonly toolCall?: typeof toolCallMachine;
}

/**
 * Like `createEngine`, with parts of the turn or tool call chart replaced: `engineWith(options, { turn:
 * turnMachine.provide({ actors: { delay: noDelay } }) })`. A service is made by `serviceLogic`; one that only adds to
 * ours ends with `return turnServices.delay.begin(scope, service)`. Replaced actions must be plain functions: throws
 * for XState's own (`assign`, `log`, …), which these charts do not use.
 */
export function engineWith<TurnContext = unknown>(
  options: EngineOptions<TurnContext>,
  { turn = turnMachine, toolCall = toolCallMachine }: EngineCharts,
): Engine<TurnContext> {
  checkChart(turn);
  checkChart(toolCall);
  return createChartedEngine(options, chartsOf(turn, toolCall, servicesFor(turn)));
}

// Services that were not replaced are still the machine's stubs; ours replace them.
function servicesFor(turn: typeof turnMachine): object {
  const stubs = turnMachine.implementations.actors as Readonly<Record<string, unknown>>;
  const given = turn.implementations.actors as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(turnServices).filter(([name]) => given[name] === stubs[name]));
}
