// Turns webhooks of incoming calls into sessions: verified, each call once, answered in time or refused. Called by the
// app's HTTP server.

import { messageOf, TurnchartError } from '../../contracts/errors.ts';
import { hostWith, type Host } from '../../contracts/host.ts';
import { describeGiven } from '../../contracts/option-table.ts';
import type { RealtimeModel, RealtimeSession, RealtimeSessionOptions } from '../../contracts/realtime.ts';
import { whenGiven } from '../../services/user-code.ts';
import { checkSessionOptions } from '../check-options.ts';
import { acceptCall, hangupCall, rejectCall } from './calls.ts';
import { openaiRealtime, type OpenAIRealtimeOptions } from './model.ts';
import { verifyWebhook, type IncomingCall, type WebhookOptions, type WebhookRequest } from './webhook.ts';

/** The app's decision about a ringing call. */
export type CallDecision =
  /** Answer it with these settings. */
  | { readonly accept: RealtimeSessionOptions }
  /** Refuse it with this SIP status: 603 declined, 486 busy, … */
  | { readonly reject: number };

/** Options of `receiveCalls`. */
export interface ReceiveCallsOptions
  extends OpenAIRealtimeOptions, Pick<WebhookOptions, 'secret' | 'toleranceSeconds'> {
  /** Decides about a call by its caller. A throw refuses it with 603. */
  readonly decide: (call: IncomingCall) => CallDecision | Promise<CallDecision>;
  /** Receives the session of each answered call, and owns it. A throw or a rejection hangs up. */
  readonly onSession: (session: RealtimeSession, call: IncomingCall) => unknown;
  /** Called for every failure that reaches no caller. The call is also refused or hung up. */
  readonly onError?: (error: unknown, call: IncomingCall) => void;
  /** From the webhook until the call must be answered, in milliseconds; then it is refused as busy. Default 8,000. */
  readonly deadlineMs?: number;
  readonly host?: Partial<Host>;
}

/** What became of a webhook. Answer the HTTP request with `status`. */
export interface ReceivedCall {
  readonly status: 200 | 400;
  readonly outcome: 'accepted' | 'rejected' | 'failed' | 'duplicate' | 'ignored' | 'unverified';
  readonly callId?: string;
  /** For `unverified` and `failed`. */
  readonly why?: string;
}

/** Handles webhooks. */
export interface CallReceiver {
  /**
   * Resolves when the call is answered or refused, within the deadline; never rejects because of the webhook's content.
   * The session follows.
   */
  receive(request: WebhookRequest): Promise<ReceivedCall>;
}

/** Deliveries are repeated for days; more ids than this are never needed. */
const maxRemembered = 10_000;

/** Makes a receiver for one webhook endpoint. Throws `options.invalid` for an invalid deadline. */
export function receiveCalls(options: ReceiveCallsOptions): CallReceiver {
  const { deadlineMs = 8000 } = options;
  if (!(deadlineMs > 0 && deadlineMs < 2 ** 31)) {
    throw new TurnchartError(
      'options.invalid',
      `receiveCalls({ deadlineMs }) expects milliseconds above 0, got ${describeGiven(deadlineMs)}.`,
    );
  }
  const { connectForCall } = openaiRealtime(options); // checks the options at once
  const seen = new Set<string>();
  const isNew = (callId: string): boolean => {
    if (seen.has(callId)) return false;
    seen.add(callId);
    const [oldest] = seen;
    if (seen.size > maxRemembered && oldest !== undefined) seen.delete(oldest);
    return true;
  };

  return {
    async receive(request) {
      const webhook = await verifyWebhook(request, options);
      if (!webhook.verified) return { status: 400, outcome: 'unverified', why: webhook.why };
      if (webhook.type !== 'call.incoming') return { status: 200, outcome: 'ignored' };
      const { call } = webhook;
      // Marked before anything is awaited: a second delivery may come at once.
      if (!isNew(call.callId)) return { status: 200, outcome: 'duplicate', callId: call.callId };
      return { status: 200, callId: call.callId, ...(await answer(call, options, deadlineMs, connectForCall)) };
    },
  };
}

type Answer = Pick<ReceivedCall, 'outcome' | 'why'>;

async function answer(
  call: IncomingCall,
  options: ReceiveCallsOptions,
  deadlineMs: number,
  connectForCall: RealtimeModel['connectForCall'],
): Promise<Answer> {
  const host = hostWith(options.host);
  const late = new AbortController();
  const timer = host.setTimeout(() => late.abort(tooLate), deadlineMs);
  try {
    const decision = await beforeAbort(decideOn(call, options), late.signal);
    if ('reject' in decision) return await refuse(call, decision.reject, options, { outcome: 'rejected' });
    const { voice } = options;
    const session = { ...(voice !== undefined && { voice }), ...decision.accept };
    checkSessionOptions(session); // no call is answered if its session cannot work
    await acceptCall(call.callId, { ...options, session, signal: late.signal });
    void attend(call, session, options, connectForCall);
    return { outcome: 'accepted' };
  } catch (thrown) {
    tell(thrown, call, options);
    const isLate = late.signal.aborted;
    return await refuse(call, isLate ? 486 : 603, options, {
      outcome: 'failed',
      why: isLate ? `not answered within ${deadlineMs} ms` : messageOf(thrown),
    });
  } finally {
    host.clearTimeout(timer);
  }
}

const tooLate = new Error('the call was not answered in time');

async function decideOn(call: IncomingCall, options: ReceiveCallsOptions): Promise<CallDecision> {
  const decision: unknown = await options.decide(call);
  if (typeof decision === 'object' && decision !== null && ('accept' in decision || 'reject' in decision)) {
    return decision as CallDecision; // checked just above
  }
  throw new TurnchartError(
    'options.invalid',
    'receiveCalls({ decide }) expects { accept: options } or { reject: status }. Return one of them for every call.',
  );
}

/** Opens the session that controls the call and passes it to the app; if either fails, hangs up. */
async function attend(
  call: IncomingCall,
  session: RealtimeSessionOptions,
  options: ReceiveCallsOptions,
  connectForCall: RealtimeModel['connectForCall'],
): Promise<void> {
  let connected: RealtimeSession | undefined;
  try {
    connected = await connectForCall({ callId: call.callId, accept: false }, session);
    await options.onSession(connected, call);
  } catch (thrown) {
    tell(thrown, call, options);
    await hangupCall(call.callId, options).catch((error: unknown) => tell(error, call, options));
    await connected?.close();
  }
}

async function refuse(
  { callId }: IncomingCall,
  statusCode: number,
  options: ReceiveCallsOptions,
  told: Answer,
): Promise<Answer> {
  try {
    await rejectCall(callId, { ...options, statusCode });
    return told;
  } catch (thrown) {
    // Usually the caller has hung up. But an answer that the deadline cut off may still have arrived.
    await hangupCall(callId, options).catch(() => undefined);
    return { outcome: 'failed', why: told.why ?? messageOf(thrown) };
  }
}

function tell(error: unknown, call: IncomingCall, { onError }: ReceiveCallsOptions): void {
  // A failure of the listener itself is ignored.
  whenGiven(() => onError?.(error, call), ignore, ignore);
}

const ignore = (): void => undefined;

function beforeAbort<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }); // ours: an Error
    work.then(resolve, reject);
  });
}
