// The service of `reloading`: fetches the transcript from the host's storage, unless the claim is given up meanwhile.

import { serviceLogic, type ServiceLogic } from '../machines/service.ts';
import type { OperativeScope, ReloadFacts } from '../machines/operative.ts';

/** What the runtime's scope offers besides what the chart calls. */
export interface ReloadScope extends OperativeScope {
  /** The host's `reloadBeforeStart`. */
  load(): unknown;
  /** Puts what was loaded in place; true when there is something to answer. Throws on what is no conversation. */
  takeLoaded(loaded: unknown): boolean;
  /** Notes why the claimed turn will end as failed. */
  failLoad(error: unknown): void;
}

/**
 * Never settles within the step that started it, also when the host answers at once: what it found would be told after
 * messages that came in that step, and after a cancel that already began the next claim.
 */
export const reload: ServiceLogic<OperativeScope, ReloadFacts> = serviceLogic(
  (given, actor) => {
    const scope = given as ReloadScope; // only the runtime provides this service, and it makes the scope
    let isOver = false;
    const settle = (work: () => boolean) => {
      if (isOver) return;
      isOver = true;
      actor.settle(attempt(scope, work));
    };
    new Promise((resolve) => resolve(scope.load())).then(
      (value) => settle(() => scope.takeLoaded(value)),
      (thrown) => settle(() => fail(thrown)),
    );
    return () => {
      isOver = true;
    };
  },
  { id: 'reload', description: 'Fetches the transcript from the host’s store.' },
);

function attempt(scope: ReloadScope, work: () => boolean): ReloadFacts {
  try {
    return { kind: 'loaded', answerable: work() };
  } catch (thrown) {
    scope.failLoad(thrown);
    return { kind: 'failed', answerable: false };
  }
}

function fail(thrown: unknown): never {
  throw thrown;
}
