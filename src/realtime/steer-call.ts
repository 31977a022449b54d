// Hangs up and transfers the call a session stands beside. Called by perform-input.ts.

import { messageOf, ModelError, TurnchartError } from '../contracts/errors.ts';
import { openPromise, type SessionRecord } from './session-record.ts';
import type { CallControl, WireLink } from './wire.ts';

/** Beside the socket, where no event tells how it went: bounded like everything the server is asked. */
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
  // A call that is hung up takes its session with it.
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
