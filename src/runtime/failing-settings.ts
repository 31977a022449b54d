// What an operative's turn runs on where no engine can be had, or no valid transcript.

import type { Host } from '../contracts/host.ts';
import type { TurnSettings } from '../services/settings.ts';
import { settingsOf } from './settings.ts';

/** A model that does nothing but fail: the chart then needs no path of its own for what cannot be run. */
export function failingSettings(thrown: unknown, host: Host): TurnSettings {
  const stream = () => {
    throw thrown;
  };
  return settingsOf({ model: { id: 'none', stream }, host });
}
