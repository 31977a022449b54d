// The service of a stopping task: settles when its grace time is over.

import type { BackgroundTaskScope } from '../machines/background-task.ts';
import { serviceLogic, type ServiceLogic } from '../machines/service.ts';

/** What the runtime's task scopes offer besides what the chart calls. */
export interface GraceScope extends BackgroundTaskScope {
  /** Calls back after the grace time; the returned function cancels that. */
  afterGrace(fn: () => void): () => void;
}

/** Abandoned when the task ends by itself. */
export const grace: ServiceLogic<BackgroundTaskScope, undefined> = serviceLogic(
  // Only the runtime provides this service, and it makes the scope.
  (scope, actor) => (scope as GraceScope).afterGrace(() => actor.settle(undefined)),
  { id: 'grace', description: 'Waits for the tool’s grace time to pass.' },
);
