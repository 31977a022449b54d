// What the runtime knows about an engine beyond its public face.

import { TurnchartError } from '../contracts/errors.ts';
import type { TurnSettings } from '../services/settings.ts';
import type { Watch } from '../services/watch.ts';

/** The inside of an engine. */
export interface EngineInternals {
  readonly settings: TurnSettings;
  readonly watch: Watch | undefined;
}

const internals = new WeakMap<object, EngineInternals>();

/** Called once by `createEngine`. */
export function noteInternals(engine: object, inside: EngineInternals): void {
  internals.set(engine, inside);
}

/** The inside of an engine; throws `engine.foreign` on an object `createEngine` did not make. */
export function internalsOf(engine: object): EngineInternals {
  const found = typeof engine === 'object' && engine !== null ? internals.get(engine) : undefined;
  if (found !== undefined) return found;
  throw new TurnchartError(
    'engine.foreign',
    'Expected an engine made by createEngine() or an EngineBuilder of this copy of turnchart.',
  );
}
