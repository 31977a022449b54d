// The engine an operative asks at each claim, and what its turns run on where none can be had.

import type { Host } from '../contracts/host.ts';
import type { OperativeOptions } from '../contracts/operative.ts';
import type { TurnSettings } from '../services/settings.ts';
import { atOnce } from '../services/thenable.ts';
import { internalsOf } from './engine-internals.ts';
import { settingsOf } from './settings.ts';

/**
 * The settings of the engine. One that cannot be had gives a turn that fails with its error, as any failure of a model
 * does; `onEngine` is not told of it.
 */
export function askEngine(
  engine: OperativeOptions['engine'],
  host: Host,
  onEngine: (settings: TurnSettings) => void,
): TurnSettings {
  try {
    const { settings } = internalsOf(typeof engine === 'function' ? atOnce(engine(), 'The engine function') : engine);
    onEngine(settings);
    return settings;
  } catch (thrown) {
    return failingSettings(thrown, host);
  }
}

/** A model that does nothing but fail: the chart then needs no path of its own for what cannot be run. */
export function failingSettings(thrown: unknown, host: Host): TurnSettings {
  return settingsOf({
    model: {
      id: 'none',
      stream: () => {
        throw thrown;
      },
    },
    host,
  });
}
