// The service of `waiting`: settles when the retry delay has passed on the host's clock.

import { serviceLogic, type ServiceLogic } from '../machines/service.ts';
import type { TurnFacts, TurnScope } from '../machines/turn.ts';
import { recordOf } from './turn-record.ts';

/** Waits `retryDelayMs`; abandoned by a cancel. */
export const delay: ServiceLogic<TurnScope, TurnFacts> = serviceLogic(
  (scope, actor) => {
    const record = recordOf(scope);
    const { host } = record.settings;
    const timer = host.setTimeout(() => actor.settle(record.facts('settled')), record.retryDelayMs);
    return () => host.clearTimeout(timer);
  },
  { id: 'delay', description: 'Waits before a model call is tried again.' },
);
