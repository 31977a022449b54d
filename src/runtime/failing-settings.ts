// What an operative's turn runs on when there is no engine, or no valid transcript.

import type { Host } from '../contracts/host.ts';
import type { TurnSettings } from '../services/settings.ts';
import { settingsOf } from './settings.ts';

/** Settings with a model that only fails: the chart then needs no separate path for a turn that cannot run. */
export function failingSettings(thrown: unknown, host: Host): TurnSettings {
  const stream = () => {
    throw thrown;
  };
  return settingsOf({ model: { id: 'none', stream }, host });
}
