// Notices that the other end of a link is gone without a word: a ping when nothing has come for a while, and the end when
// nothing comes after it either. Started by the chart's service for as long as a session lives.

import type { SessionRecord } from './session-record.ts';

const defaultEveryMs = 20_000;
const defaultAnswerMs = 10_000;
// A timer that is so late means that this process slept: what came meanwhile was not read yet.
const sleepMs = 1_000;

/** Calls `lost` once, when nobody answers; the returned function ends the watch. Undefined where nobody can ping. */
export function watchLink(record: SessionRecord, lost: () => void): (() => void) | undefined {
  const { host, options, link } = record;
  const { keepAlive = {} } = options;
  if (keepAlive === 'off' || link?.ping === undefined) return undefined;
  const { everyMs = defaultEveryMs, answerMs = defaultAnswerMs } = keepAlive;
  let timer: unknown;
  // Counts pings: an answer to an older one is a sign of life, and not the answer that is waited for.
  let pings = 0;

  const rest = (): void => {
    timer = record.startTimer(everyMs, ask);
  };
  const ask = (): void => {
    record.heardAt = Math.min(record.heardAt, host.now()); // the clock may have been put back
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
      // A socket of the application's that cannot after all: it is not looked after.
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
