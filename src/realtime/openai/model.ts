// `openaiRealtime(…)`: a RealtimeModel over a WebSocket to OpenAI, or in control of a telephone or WebRTC call.

import { TurnchartError } from '../../contracts/errors.ts';
import type { RealtimeModel, RealtimeSessionOptions } from '../../contracts/realtime.ts';
import { checkSessionOptions } from '../check-options.ts';
import { connectRealtime } from '../connect.ts';
import { acceptCall, hangupCall } from './calls.ts';
import { isClient } from './client.ts';
import type { ClientOptions } from './client-options.ts';
import type { OpenSocket } from './socket.ts';
import { openaiWire } from './wire.ts';

/** Options of `openaiRealtime(…)`. Only `model` is required. */
export interface OpenAIRealtimeOptions extends ClientOptions {
  /** The server's id of the model: `gpt-realtime-2.1`, `gpt-realtime-2.1-mini`, … */
  readonly model: string;
  /** The default voice of sessions. */
  readonly voice?: string;
  /** Sent with the socket's upgrade request; not in browsers, which cannot. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces `ws` in Node and the platform's WebSocket in browsers: for a proxy, a recorder, a test. */
  readonly socket?: OpenSocket;
}

/**
 * A realtime model of OpenAI, or of a server with the same protocol, with the current or the former event names. A
 * session over the WebSocket needs no SDK; calls do. Throws `options.invalid`; `connect` rejects with `peer.missing`
 * without `ws` in Node.
 */
export function openaiRealtime(options: OpenAIRealtimeOptions): RealtimeModel {
  checkOptions(options);
  const { model, voice } = options;
  const own = (session: RealtimeSessionOptions): RealtimeSessionOptions =>
    voice === undefined ? session : { voice, ...session };
  return {
    id: `openai:${model}`,
    async connect(session = {}) {
      checkSessionOptions(session);
      return connectRealtime(await openaiWire({ model }, options), own(session));
    },
    async connectForCall({ callId, accept = true }, session = {}) {
      if (typeof callId !== 'string' || callId === '') throw noCall();
      checkSessionOptions(session); // before the call is answered
      const wire = await openaiWire({ callId }, options); // fails before the call is answered if something is missing
      const settings = own(session);
      const { signal } = settings;
      try {
        if (accept) await acceptCall(callId, { ...options, session: settings, ...(signal && { signal }) });
        return await connectRealtime(wire, settings);
      } catch (thrown) {
        // The call may have been answered, and nothing would run its tools or end it. Does nothing if it was not.
        if (accept) await hangupCall(callId, options).catch(() => undefined);
        throw thrown;
      }
    },
  };
}

function noCall(): TurnchartError {
  return new TurnchartError(
    'options.invalid',
    'connectForCall({ callId }) needs the id of a call, from the webhook or from answerCall(…).',
  );
}

function checkOptions({ model, client }: OpenAIRealtimeOptions): void {
  if (typeof model !== 'string' || model === '') {
    throw new TurnchartError(
      'options.invalid',
      'openaiRealtime({ model }) needs a model id such as "gpt-realtime-2.1".',
    );
  }
  if (client !== undefined && !isClient(client)) {
    throw new TurnchartError(
      'options.invalid',
      'openaiRealtime({ client }) expects an instance of openai@7, an object with realtime.calls. Pass `new OpenAI(…)`, or leave it out.',
    );
  }
}
