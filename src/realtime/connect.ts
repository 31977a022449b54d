// Connects: the one function a provider hands its wire to. Called by the providers' `connect` and `connectForCall`.

import { isModelError, ModelError } from '../contracts/errors.ts';
import type { RealtimeSession, RealtimeSessionOptions } from '../contracts/realtime.ts';
import { checkSessionOptions } from './check-options.ts';
import { LiveSession } from './session.ts';
import type { RealtimeWire } from './wire.ts';

/**
 * Resolves when the session is ready; rejects with a `ModelError` that says why it is not, or with `options.invalid`
 * for invalid options.
 */
export async function connectRealtime(
  wire: RealtimeWire,
  options: RealtimeSessionOptions = {},
): Promise<RealtimeSession> {
  checkSessionOptions(options);
  const session = new LiveSession(wire, options);
  try {
    await session.ready;
    return session;
  } catch (cause) {
    const { error, reason } = session.end ?? {};
    const { message = reason === 'callEnded' ? 'the call has ended' : 'it was closed before it was ready' } =
      session.end ?? {};
    if (isModelError(error)) throw error;
    if (reason === 'aborted') {
      throw new ModelError('model.connection', 'The realtime session was aborted before it was ready.', {
        retryable: false,
        cause: options.signal?.reason ?? cause,
      });
    }
    const retryable = reason === 'connectFailed';
    throw new ModelError('model.connection', `The realtime session could not be opened: ${message}`, {
      retryable,
      cause: error ?? cause,
    });
  }
}
