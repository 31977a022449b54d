// The service of a stopping task: settles when its grace time is over.

import type { BackgroundTaskScope } from '../machines/background-task.ts';
import { serviceLogic, type ServiceLogic } from '../machines/service.ts';

/** What the runtime's task scopes know besides. */
export interface GraceScope extends BackgroundTaskScope {
  /** Calls back after the grace time; the returned function gives that up. */
  afterGrace(fn: () => void): () => void;
}

/** Abandoned when the task ends by itself. */
export const grace: ServiceLogic<BackgroundTaskScope, undefined> = serviceLogic(
  // Only the runtime provides this service, and it makes the scope.
  (scope, actor) => (scope as GraceScope).afterGrace(() => actor.settle(undefined)),
  { id: 'grace', description: 'Waits until the tool has had its time to stop.' },
);
