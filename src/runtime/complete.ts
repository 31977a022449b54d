// One model call without a turn: the fold over a stream.

import { defaultHost } from '../contracts/host.ts';
import type { Completion, Model, ModelRequest } from '../contracts/model.ts';
import { callModel, type ModelCall } from '../services/call-model.ts';
import { completionOf } from '../services/complete-call.ts';
import { checkModel } from './settings.ts';

// The engine's default for a silent stream; a bare call has no engine to ask.
const idleTimeoutMs = 120_000;

/**
 * The model's whole answer. Not retried: rejects with the ModelError of the one attempt, with the signal's reason, or
 * with `options.invalid`. A stream silent for 120 s is ended as `stream.idle`.
 */
export function complete(
  model: Model,
  request: ModelRequest,
  options?: { readonly signal?: AbortSignal },
): Promise<Completion> {
  const signal = options?.signal;
  return new Promise((resolve, reject) => {
    checkModel(model);
    if (signal?.aborted === true) return reject(signal.reason);
    const messageId = defaultHost.createId('message');
    let call: ModelCall | undefined;
    let hasLeft = false;
    const leave = (): void => {
      hasLeft = true;
      call?.abandon();
      reject(signal?.reason);
    };
    // Before the call: a model may fail within it, and then nothing may be left on the signal.
    signal?.addEventListener('abort', leave, { once: true });
    call = callModel(model, request, { host: defaultHost, idleTimeoutMs, messageId }, (outcome) => {
      signal?.removeEventListener('abort', leave);
      if (outcome.kind === 'answered') resolve(completionOf(outcome.fold));
      else reject(outcome.error);
    });
    if (hasLeft) call.abandon(); // the model itself aborted the signal
  });
}
