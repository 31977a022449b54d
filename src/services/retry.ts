// When and how a failed model call is tried again: backoff with jitter, the server's own wish, then the fallback models.

import { isModelError, type ModelError, type TurnchartError } from '../contracts/errors.ts';
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

/** The next try. `retry` counts retries on this model from 1; it is 0 for the first call of a fallback model. */
export interface NextTry {
  readonly modelIndex: number;
  readonly attempt: number;
  readonly retry: number;
  readonly delayMs: number;
}

/** The next try after `error`, or undefined when none is left. Any error but a context overflow moves on to a fallback. */
export function nextTry(state: RetryState, error: TurnchartError): NextTry | undefined {
  const { retry, models, host } = state.settings;
  const afterMs = isModelError(error) ? wishOf(error) : undefined;
  const isRetryable = isModelError(error) && error.retryable && state.attempt < retry.attempts;
  if (isRetryable && (afterMs ?? 0) <= retry.maxRetryAfterMs) {
    const attempt = state.attempt + 1;
    return {
      modelIndex: state.modelIndex,
      attempt,
      retry: attempt,
      delayMs: afterMs ?? backoff(attempt, retry, host),
    };
  }
  const modelIndex = state.modelIndex + 1;
  return modelIndex < models.length ? { modelIndex, attempt: 0, retry: 0, delayMs: 0 } : undefined;
}

/** Milliseconds before retry `attempt` (from 1): doubles up to the maximum, of which a random half to whole is taken. */
export function backoff(attempt: number, retry: Required<RetryOptions>, host: Host): number {
  const full = Math.min(retry.maxDelayMs, retry.baseDelayMs * 2 ** (attempt - 1));
  return Math.round(full * (0.5 + host.random() / 2));
}

// How long the server asked to wait: it knows better than any backoff, also when that is shorter. Servers that say 0 mean
// nothing by it.
function wishOf({ retryAfterMs }: ModelError): number | undefined {
  return retryAfterMs === undefined || retryAfterMs <= 0 ? undefined : retryAfterMs;
}
