// The engine: runs turns on conversations, holds no state of any of them.

import type { InspectionEvent } from 'xstate';
import type { Engine, EngineOptions, TurnRun } from '../contracts/engine.ts';
import { TurnchartError } from '../contracts/errors.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { TurnSettings } from '../services/settings.ts';
import { RunningTurn } from './running-turn.ts';
import { quietly, settingsOf } from './settings.ts';

/** What the runtime knows about an engine beyond its public face. */
export interface EngineInternals {
  readonly settings: TurnSettings;
  readonly inspect: ((event: InspectionEvent) => void) | undefined;
}

const internals = new WeakMap<object, EngineInternals>();

/**
 * Makes an engine. Throws `options.invalid`, `tool.invalidName`, `tool.duplicateName` or `tool.invalid` at once, so
 * that no turn ever fails for a mistake in the set-up.
 */
export function createEngine<TurnContext = unknown>(options: EngineOptions<TurnContext>): Engine<TurnContext> {
  // Inside, contexts are opaque: what a turn is started with is what its tools were typed for.
  const own = options as unknown as EngineOptions;
  const settings = settingsOf(own);
  const engine: Engine<TurnContext> = {
    model: options.model,
    tools: options.tools ?? [],
    run: (conversation: Conversation, runOptions): TurnRun =>
      new RunningTurn(conversation, internalsOf(engine), runOptions),
  };
  internals.set(engine, {
    settings,
    inspect: own.inspect === undefined ? undefined : quietly(own.inspect),
  });
  return engine;
}

/** The inside of an engine; throws `engine.foreign` on an object `createEngine` did not make. */
export function internalsOf(engine: object): EngineInternals {
  const found = internals.get(engine);
  if (found !== undefined) return found;
  throw new TurnchartError(
    'engine.foreign',
    'Expected an engine made by createEngine() or an EngineBuilder of this copy of turnchart.',
  );
}

