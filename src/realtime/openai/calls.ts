// Telephone and WebRTC calls over REST: answer, refuse, hang up, transfer. Called by the app, by receive-calls.ts and
// by sessions that control a call.

import type { CallAcceptParams, CallCreateParams } from 'openai/resources/realtime/calls';
import { TurnchartError } from '../../contracts/errors.ts';
import type { RealtimeSessionOptions } from '../../contracts/realtime.ts';
import { clientOf, factsOf, throughClient, type RealtimeClient } from './client.ts';
import type { ClientOptions } from './client-options.ts';
import { encodeSession } from './encode-session.ts';

/** Address, key and abort signal of a request. */
export interface CallOptions extends ClientOptions {
  /** Aborts the request; what the server has already done stays. */
  readonly signal?: AbortSignal;
}

/** The model and settings that answer a call. */
export interface AnswerOptions extends CallOptions {
  readonly model: string;
  readonly session?: RealtimeSessionOptions;
}

/**
 * Answers a ringing call. Leaves out `threshold`, `prefixPaddingMs` and `silenceMs` of the turn detection: the server
 * refuses them here and accepts them from the session that follows. Rejects with a `ModelError`; `model.notFound`: the
 * caller has hung up, or the call was already answered.
 */
export async function acceptCall(callId: string, options: AnswerOptions): Promise<void> {
  const body = {
    ...encodeSession(options.session ?? {}, { dialect: 'current', purpose: 'accept' }),
    model: options.model,
  };
  await onCall(
    callId,
    options,
    'acceptCall(…)',
    (client, request) => client.realtime.calls.accept(callId, body as unknown as CallAcceptParams, request), // JSON made for it just above
  );
}

/** Refuses a ringing call. `statusCode` is the SIP status: 603 (the default) = declined, 486 = busy. */
export async function rejectCall(
  callId: string,
  options: CallOptions & { readonly statusCode?: number } = {},
): Promise<void> {
  const { statusCode = 603 } = options;
  await onCall(callId, options, 'rejectCall(…)', (client, request) =>
    client.realtime.calls.reject(callId, { status_code: statusCode }, request),
  );
}

/** Ends a call. */
export async function hangupCall(callId: string, options: CallOptions = {}): Promise<void> {
  await onCall(callId, options, 'hangupCall(…)', (client, request) => client.realtime.calls.hangup(callId, request));
}

/** Transfers a call: `targetUri` is `tel:+…` or `sip:…`. */
export async function referCall(callId: string, options: CallOptions & { readonly targetUri: string }): Promise<void> {
  await onCall(callId, options, 'referCall(…)', (client, request) =>
    client.realtime.calls.refer(callId, { target_uri: options.targetUri }, request),
  );
}

/** The answer to a browser's offer. */
export interface AnsweredOffer {
  /** For `setRemoteDescription({ type: 'answer', sdp })`. */
  readonly sdp: string;
  /** For `connectForCall({ callId, accept: false })`: the session that runs the tools. */
  readonly callId: string;
}

/**
 * Answers a browser's WebRTC offer on its behalf, so that the browser needs no key. Audio flows between browser and
 * provider.
 */
export async function answerCall(options: AnswerOptions & { readonly sdp: string }): Promise<AnsweredOffer> {
  const asker = 'answerCall(…)';
  const { sdp, signal } = options;
  if (!/^v=0\r?\n/.test(sdp)) {
    throw new TurnchartError(
      'options.invalid',
      `${asker} expects \`sdp\` to be an SDP offer; such a text begins with "v=0".`,
    );
  }
  const client = await clientOf(options, asker);
  const session = {
    ...encodeSession(options.session ?? {}, { dialect: 'current', purpose: 'update' }),
    model: options.model,
  } as unknown as NonNullable<CallCreateParams['session']>; // JSON made for it
  return throughClient(client, factsOf(client, options, options.model), signal, async ({ realtime }) => {
    const response = await realtime.calls.create({ sdp, session }, { ...(signal && { signal }) });
    const callId = response.headers
      .get('location')
      ?.split(/[?#]/, 1)[0]
      ?.split('/')
      .findLast((part) => part !== '');
    if (callId === undefined) throw new Error('the answer names no call: it has no Location header');
    return { sdp: await response.text(), callId };
  });
}

async function onCall(
  callId: string,
  options: CallOptions,
  asker: string,
  work: (client: RealtimeClient, request: { readonly signal?: AbortSignal }) => PromiseLike<unknown>,
): Promise<void> {
  if (typeof callId !== 'string' || callId === '') {
    throw new TurnchartError('options.invalid', `${asker} needs the id of a call, from the webhook.`);
  }
  const { signal } = options;
  const client = await clientOf(options, asker);
  const facts = factsOf(client, options, `call ${callId}`);
  await throughClient(client, facts, signal, (sdk) => work(sdk, { ...(signal && { signal }) }));
}
