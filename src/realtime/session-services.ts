// What the chart of a session invokes: everything that waits on the host's clock. Given to the chart once.

import { realtimeChartWith } from '../machines/run-realtime-session.ts';
import type { DeadlineFacts, DeadlineInput, DeadlineKind, RealtimeScope } from '../machines/realtime-session.ts';
import { serviceLogic, type ServiceLogic } from '../machines/service.ts';
import { SessionScope } from './session-scope.ts';
import { longestDelayMs, type SessionRecord } from './session-record.ts';

const deadline: ServiceLogic<DeadlineInput, DeadlineFacts> = serviceLogic(
  ({ scope, kind }, actor) => {
    const record = recordOf(scope);
    return wait(record, durationOf(record, kind), () =>
      actor.settle({ owed: record.ledger.owed, inFlight: record.responses.isWaiting }),
    );
  },
  { id: 'deadline', description: 'Waits on the host’s clock for what may not take longer.' },
);

const expiry: ServiceLogic<RealtimeScope, undefined> = serviceLogic(
  (scope, actor) => {
    const record = recordOf(scope);
    const { expiresAt } = record.settings;
    if (expiresAt === undefined) return undefined;
    const ms = expiresAt - record.deadlines.expiryNoticeMs - record.host.now();
    return wait(record, Math.max(0, ms), () => actor.settle(undefined));
  },
  { id: 'expiry', description: 'Waits until the session’s time is nearly over.' },
);

const reconnect: ServiceLogic<RealtimeScope, undefined> = serviceLogic(
  (_scope, actor) => {
    actor.settle(undefined);
    return undefined;
  },
  { id: 'reconnect', description: 'Gives up at once: what is lost is not dialled again yet.' },
);

/** Starts the chart of one session. */
export const startChart: ReturnType<typeof realtimeChartWith> = /* @__PURE__ */ realtimeChartWith({
  deadline,
  expiry,
  reconnect,
});

function wait(record: SessionRecord, ms: number, then: () => void): (() => void) | undefined {
  if (!(ms <= longestDelayMs)) return undefined;
  const timer = record.host.setTimeout(then, ms);
  return () => record.host.clearTimeout(timer);
}

function durationOf({ deadlines, drainMs }: SessionRecord, kind: DeadlineKind): number {
  switch (kind) {
    case 'connect':
      return deadlines.connectMs;
    case 'grace':
      return deadlines.replyGraceMs;
    case 'request':
    case 'occupied':
    case 'recall':
    case 'cancel':
    case 'flush':
      return deadlines.responseMs;
    case 'drain':
      return drainMs;
    case 'close':
      return deadlines.closeMs;
  }
}

function recordOf(scope: RealtimeScope): SessionRecord {
  if (scope instanceof SessionScope) return scope.record;
  throw new Error('This chart was given a scope that no session of this copy of turnchart made.');
}
