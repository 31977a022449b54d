// Notices a server that disappeared without closing: sends a ping when nothing has arrived for a while, and ends the
// link if nothing arrives after it either. Started by a service of the chart for the life of a session.

import type { SessionRecord } from './session-record.ts';

const defaultEveryMs = 20_000;
const defaultAnswerMs = 10_000;
// A timer this late means that the process was suspended: what arrived meanwhile has not been read yet.
const sleepMs = 1_000;

/** Calls `lost` once if there is no answer; the returned function ends the watch. Undefined if the link cannot ping. */
export function watchLink(record: SessionRecord, lost: () => void): (() => void) | undefined {
  const { host, options, link } = record;
  const { keepAlive = {} } = options;
  if (keepAlive === 'off' || link?.ping === undefined) return undefined;
  const { everyMs = defaultEveryMs, answerMs = defaultAnswerMs } = keepAlive;
  let timer: unknown;
  // Counts pings: an answer to an older ping is activity, but not the awaited answer.
  let pings = 0;

  const rest = (): void => {
    timer = record.startTimer(everyMs, ask);
  };
  const ask = (): void => {
    record.heardAt = Math.min(record.heardAt, host.now()); // the clock may have been set back
    const left = record.heardAt + everyMs - host.now();
    if (left > 0) {
      timer = record.startTimer(left, ask);
      return;
    }
    const asked = host.now();
    const number = ++pings;
    timer = record.startTimer(answerMs, () => {
      const isLate = host.now() - asked > answerMs + sleepMs;
      if (record.heardAt < asked && !isLate) lost();
      else ask();
    });
    try {
      link.ping?.(() => {
        if (number !== pings) return;
        record.heardAt = Math.max(record.heardAt, host.now());
        host.clearTimeout(timer);
        rest();
      });
    } catch (thrown) {
      // An application's socket that turns out to be unable to ping: it is not watched.
      host.clearTimeout(timer);
      record.reportThrown(thrown);
    }
  };
  rest();
  return () => {
    pings++;
    host.clearTimeout(timer);
  };
}
