// When a request is retried: after a lost connection or if the server asks to wait, and only if sending it twice does
// no harm.

import { AddressRefused } from './host-rules.ts';

// RFC 9110, 9.2.2.
/** Methods that may be retried although the first request may have arrived. */
export const idempotentMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE']);
const patientStatuses = new Set([408, 429, 502, 503, 504]);

const firstPauseMs = 250;
const longestPauseMs = 30_000;

/** What decides about a retry. */
export interface RetryRules {
  readonly method: string;
  readonly retries: number;
  readonly signal: AbortSignal;
}

/** Sends until a response counts or the retries are used up; then the last response or failure is the outcome. */
export async function sendWithRetries(send: () => Promise<Response>, rules: RetryRules): Promise<Response> {
  const retries = idempotentMethods.has(rules.method) ? rules.retries : 0;
  for (let attempt = 0; ; attempt += 1) {
    let wished: number | undefined;
    try {
      const response = await send();
      if (!patientStatuses.has(response.status) || attempt >= retries) return response;
      wished = retryAfterMs(response.headers.get('retry-after'));
      // If the server asks to wait longer than a call may take, its response is the result.
      if (wished !== undefined && wished > longestPauseMs) return response;
      void response.body?.cancel().catch(() => undefined);
    } catch (error) {
      if (rules.signal.aborted || attempt >= retries || isHopeless(error)) throw error;
    }
    await pause(pauseMs(attempt, wished, Math.random()), rules.signal);
  }
}

// The rules, a certificate, an unknown name, a response that is not HTTP: a retry would fail too.
function isHopeless(error: unknown): boolean {
  if (error instanceof AddressRefused) return true;
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  return [error, cause].some(
    (one) => typeof one === 'object' && one !== null && 'code' in one && hopelessCodes.test(String(one.code)),
  );
}

const hopelessCodes = /^(?:CERT_|DEPTH_ZERO_|ERR_|HPE_|SELF_SIGNED_|UNABLE_TO_|ENOTFOUND$)/;

/**
 * How long to wait: what the server asked for, but never less than the backoff, so that many callers do not return at
 * once.
 */
export function pauseMs(attempt: number, wished: number | undefined, chance: number): number {
  const backoff = Math.min(firstPauseMs * 2 ** attempt * (0.5 + chance), longestPauseMs);
  return wished === undefined ? backoff : Math.max(backoff, wished + firstPauseMs * chance);
}

function retryAfterMs(value: string | null): number | undefined {
  if (value === null) return undefined;
  if (/^\d+$/.test(value.trim())) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
