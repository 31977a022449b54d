// Hangs up and transfers the call that a session controls. Called by perform-input.ts.

import { messageOf, ModelError, TurnchartError } from '../contracts/errors.ts';
import { openPromise, type SessionRecord } from './session-record.ts';
import type { CallControl, WireLink } from './wire.ts';

/** Not over the socket, so no event reports the outcome: limited in time like every request. */
export function steerCall(record: SessionRecord, control: CallControl): Promise<void> {
  const { link, host, deadlines } = record;
  if (link?.call === undefined) {
    return Promise.reject(new TurnchartError('message.invalid', 'This session steers no call.'));
  }
  const { promise, resolve, reject } = openPromise();
  const timer = record.startTimer(deadlines.responseMs, () => reject(record.unanswered()));
  const stop = () => host.clearTimeout(timer);
  promise.then(stop, stop);
  steer(link, control).then(resolve, reject);
  // Hanging up the call ends its session.
  void record.closed.promise.then(() => (control.type === 'call.hangup' ? resolve() : reject(record.closedError())));
  return promise;
}

async function steer(link: WireLink, control: CallControl): Promise<void> {
  try {
    await link.call?.(control);
  } catch (thrown) {
    if (thrown instanceof TurnchartError) throw thrown;
    throw new ModelError('model.rejected', `The provider refused "${control.type}": ${messageOf(thrown)}`, {
      retryable: false,
      cause: thrown,
    });
  }
}
