// The engine: runs turns on conversations, holds no state of any of them.

import type { Engine, EngineOptions, TurnRun } from '../contracts/engine.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { TurnCharts } from '../services/settings.ts';
import { defaultTransformers } from '../transformers/default-transformers.ts';
import { standardCharts } from './charts.ts';
import { internalsOf, noteInternals } from './engine-internals.ts';
import { RunningTurn } from './running-turn.ts';
import { settingsOf } from './settings.ts';
import { watchOf } from './watch.ts';

/**
 * Makes an engine. Throws `options.invalid`, `tool.invalidName`, `tool.duplicateName` or `tool.invalid` at once, so
 * that no turn ever fails for a mistake in the set-up.
 */
export function createEngine<TurnContext = unknown>(options: EngineOptions<TurnContext>): Engine<TurnContext> {
  return createChartedEngine(options, standardCharts);
}

/** Like `createEngine`, on your own charts. */
export function createChartedEngine<TurnContext>(
  options: EngineOptions<TurnContext>,
  charts: TurnCharts,
): Engine<TurnContext> {
  // Inside, contexts are opaque: a turn is started with the context that its tools are typed for.
  const given = options as unknown as EngineOptions;
  const own = { ...given, transformers: given?.transformers ?? defaultTransformers() };
  const settings = settingsOf(own, charts);
  const engine: Engine<TurnContext> = {
    model: options.model,
    tools: [...settings.tools.values()],
    run: (conversation: Conversation, runOptions): TurnRun =>
      new RunningTurn(conversation, internalsOf(engine), runOptions),
  };
  noteInternals(engine, { settings, watch: watchOf({ inspect: own.inspect }, settings.onListenerError) });
  return engine;
}
