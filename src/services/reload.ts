// The service of `reloading`: fetches the transcript from the host's storage, unless the claim is given up meanwhile.

import { serviceLogic, type ServiceLogic } from '../machines/service.ts';
import type { OperativeScope, ReloadFacts } from '../machines/operative.ts';

/** What the runtime's scope offers besides what the chart calls. */
export interface ReloadScope extends OperativeScope {
  /** The host's `reloadBeforeStart`. */
  load(): unknown;
  /** Installs what was loaded; true if there is something to answer. Throws if it is not a conversation. */
  takeLoaded(loaded: unknown): boolean;
  /** Notes why the claimed turn will end as failed. */
  failLoad(error: unknown): void;
}

/**
 * Never settles within the step that started it, even if the host answers at once: its facts would then reach the chart
 * after messages that came in that step, and after a cancel that already began the next claim.
 */
export const reload: ServiceLogic<OperativeScope, ReloadFacts> = serviceLogic(
  (given, actor) => {
    const scope = given as ReloadScope; // only the runtime provides this service, and it makes the scope
    let isOver = false;
    const load = async (): Promise<void> => {
      let facts: ReloadFacts;
      try {
        const loaded = await new Promise((resolve) => resolve(scope.load()));
        if (isOver) return;
        facts = { kind: 'loaded', answerable: scope.takeLoaded(loaded) };
      } catch (thrown) {
        if (isOver) return;
        scope.failLoad(thrown);
        facts = { kind: 'failed', answerable: false };
      }
      actor.settle(facts);
    };
    void load();
    return () => {
      isOver = true;
    };
  },
  { id: 'reload', description: 'Fetches the transcript from the host’s store.' },
);
