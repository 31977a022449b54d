// When and how a failed model call is tried again: backoff with jitter or the server's `Retry-After`, then the fallback
// models.

import { isModelError, type TurnchartError } from '../contracts/errors.ts';
import type { RetryOptions } from '../contracts/engine.ts';
import type { Host } from '../contracts/host.ts';
import type { TurnSettings } from './settings.ts';

/** Where a series of attempts stands. */
export interface RetryState {
  readonly settings: Pick<TurnSettings, 'models' | 'retry' | 'host'>;
  readonly modelIndex: number;
  /** Retries so far on this model. */
  readonly attempt: number;
}

/** The next try: a retry on the same model, or the first call of a fallback (`attempt` 0). */
export interface NextTry {
  readonly modelIndex: number;
  readonly attempt: number;
  readonly delayMs: number;
}

/**
 * The next try after `error`, or undefined when none is left. Any error but a context overflow moves on to a fallback.
 */
export function nextTry({ settings, modelIndex, attempt }: RetryState, error: TurnchartError): NextTry | undefined {
  const { retry, models, host } = settings;
  if (error.code === 'model.contextOverflow') return undefined;
  if (isModelError(error) && error.retryable && attempt < retry.attempts) {
    // What the server asked for replaces the backoff, even if it is shorter. Servers that send 0 mean nothing by it.
    const { retryAfterMs = 0 } = error;
    if (retryAfterMs <= retry.maxRetryAfterMs) {
      const delayMs = retryAfterMs > 0 ? retryAfterMs : backoff(attempt + 1, retry, host);
      return { modelIndex, attempt: attempt + 1, delayMs };
    }
  }
  return modelIndex + 1 < models.length ? { modelIndex: modelIndex + 1, attempt: 0, delayMs: 0 } : undefined;
}

/** Milliseconds before retry `attempt` (from 1): doubles up to the maximum, times a random factor from 0.5 to 1. */
export function backoff(attempt: number, retry: Required<RetryOptions>, host: Host): number {
  const full = Math.min(retry.maxDelayMs, retry.baseDelayMs * 2 ** (attempt - 1));
  return Math.round(full * (0.5 + host.random() / 2));
}
