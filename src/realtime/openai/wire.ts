// OpenAI as a provider of the neutral session: what it can do, and how a link to it is opened. Called by model.ts.

import type { RealtimeCapability } from '../../contracts/realtime.ts';
import type { CallControl, RealtimeWire } from '../wire.ts';
import { socketRequest, type Target } from './address.ts';
import { hangupCall, referCall } from './calls.ts';
import { accessOf, factsOf, isClient, type Access } from './client.ts';
import type { ClientOptions } from './client-options.ts';
import { readRaw } from './read-raw.ts';
import { platformSocket, type OpenSocket } from './socket.ts';
import { openLink } from './wire-link.ts';

/** How sessions are reached. */
export interface WireOptions extends ClientOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly socket?: OpenSocket;
}

const always: readonly RealtimeCapability[] = [
  'toolCalling',
  'transcripts',
  'serverTurnDetection',
  'interrupt',
  'textInput',
  'imageInput',
  'midSessionUpdate',
  'outOfBandResponses',
  'usageReports',
];

/** Loads the socket and looks for the key at once, so that anything missing is reported before connecting. */
export async function openaiWire(target: Target, options: WireOptions): Promise<RealtimeWire> {
  const open = options.socket ?? (await platformSocket());
  let access: Access | undefined = await accessOf(options);
  // Refuses an invalid address.
  socketRequest(access.baseURL, target, access);
  let known: Access = access;
  const isCall = 'callId' in target;
  const client = isClient(options.client) ? options.client : undefined;
  const model = isCall ? `call ${target.callId}` : target.model;
  const control = isCall
    ? (asked: CallControl): Promise<void> => controlCall(target.callId, asked, options)
    : undefined;
  return {
    provider: 'openai',
    capabilities: isCall
      ? [...always, 'callControl']
      : [...always, 'audioInProcess', 'manualTurns', 'outputTruncation'],
    inputFormat: { type: 'pcm16', rate: 24_000 },
    outputFormat: { type: 'pcm16', rate: 24_000 },
    playedBy: isCall ? 'server' : 'client',
    ...(isCall ? { callId: target.callId } : {}),
    readRaw,
    dial: (receive) =>
      openLink(
        {
          // The first dial uses what was found above; later ones look again: a key may have been renewed.
          async prepare() {
            known = access ?? (await accessOf(options));
            access = undefined;
            return { open, request: socketRequest(known.baseURL, target, { ...known, headers: options.headers }) };
          },
          facts: () => factsOf(client, options, model, known),
          callId: isCall ? target.callId : undefined,
          call: control,
        },
        receive,
      ),
  };
}

async function controlCall(callId: string, control: CallControl, options: ClientOptions): Promise<void> {
  switch (control.type) {
    case 'call.hangup':
      return hangupCall(callId, options);
    case 'call.refer':
      return referCall(callId, { ...options, targetUri: control.targetUri });
    case 'call.dtmf':
      throw new Error('OpenAI’s Realtime API cannot send tones; it only tells of those the caller sends.');
  }
}
