// The services of a session's chart: everything that waits on the host's clock. Given to the chart once.

import { realtimeChartWith } from '../machines/run-realtime-session.ts';
import type { DeadlineFacts, DeadlineInput, DeadlineKind, RealtimeScope } from '../machines/realtime-session.ts';
import { serviceLogic, type ServiceLogic } from '../machines/service.ts';
import { watchLink } from './keep-alive.ts';
import { silenceOf } from './responses.ts';
import { SessionScope } from './session-scope.ts';
import type { SessionRecord } from './session-record.ts';

const deadline: ServiceLogic<DeadlineInput, DeadlineFacts> = serviceLogic(
  ({ scope, kind }, actor) => {
    const record = recordOf(scope);
    const end = () => actor.settle({ owed: record.ledger.owed, inFlight: record.responses.isWaiting });
    return kind === 'answer' ? waitForSilence(record, end) : wait(record, durationOf(record, kind), end);
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

const keepAlive: ServiceLogic<RealtimeScope, undefined> = serviceLogic(
  (scope, actor) => watchLink(recordOf(scope), () => actor.settle(undefined)),
  { id: 'keepAlive', description: 'Asks for signs of life when nothing comes over the link.' },
);

/** Starts the chart of one session. */
export const startChart: ReturnType<typeof realtimeChartWith> = /* @__PURE__ */ realtimeChartWith({
  deadline,
  expiry,
  keepAlive,
  reconnect,
});

function wait(record: SessionRecord, ms: number, then: () => void): () => void {
  const timer = record.startTimer(ms, then);
  return () => record.host.clearTimeout(timer);
}

// Anything that arrives of the answer restarts its deadline, without a step of the chart.
function waitForSilence(record: SessionRecord, then: () => void): () => void {
  const { host, deadlines } = record;
  let timer: unknown;
  const look = (): void => {
    const rest = deadlines.answerMs - silenceOf(record.responses.current, host.now());
    if (rest > 0) timer = record.startTimer(rest, look);
    else then();
  };
  timer = record.startTimer(deadlines.answerMs, look);
  return () => host.clearTimeout(timer);
}

function durationOf({ deadlines, drainMs, isPlayedHere }: SessionRecord, kind: DeadlineKind): number {
  switch (kind) {
    case 'connect':
      return deadlines.connectMs;
    case 'speech':
      return deadlines.speechMs;
    case 'grace':
      return deadlines.replyGraceMs;
    case 'request':
    case 'occupied':
    case 'recall':
    case 'cancel':
    case 'flush':
      return deadlines.responseMs;
    case 'answer':
      return deadlines.answerMs;
    case 'play':
      // Audio played here ends by the clock or by a report of the player.
      return isPlayedHere ? Infinity : deadlines.playbackMs;
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
