// The usual lines of a Realtime server, for scripts.

import type { Peer, WireEvent } from './wire-server.ts';

/** Audio of this many milliseconds at 24,000 samples a second, in base64; each sample holds `value`. */
function audioBase64(ms: number, value = 1): string {
  return Buffer.from(new Int16Array(ms * 24).fill(value).buffer).toString('base64');
}

/** What the server echoes of its turn detection. */
export const serverVad = { type: 'server_vad', create_response: true, interrupt_response: true };

/** Opens a session; resolves once the client has configured it. */
export async function greet(
  peer: Peer,
  { detection = serverVad, ...session }: { readonly detection?: object | null; readonly [field: string]: unknown } = {},
): Promise<WireEvent> {
  const echo = {
    id: 'sess_1',
    type: 'realtime',
    ...session,
    audio: {
      input: { format: { type: 'audio/pcm', rate: 24_000 }, turn_detection: detection },
      output: { format: { type: 'audio/pcm', rate: 24_000 } },
    },
  };
  peer.send({ type: 'session.created', session: echo });
  const update = await peer.next('session.update');
  peer.send({ type: 'session.updated', session: echo });
  return update;
}

/** Where the audio of an answer belongs. */
export function place(responseId: string, itemId: string) {
  return { response_id: responseId, item_id: itemId, output_index: 0, content_index: 0 };
}

/** Begins an answer; `request` = the `response.create` it answers. */
export function begin(peer: Peer, responseId: string, request?: WireEvent): void {
  const { metadata = null } = (request?.['response'] ?? {}) as { metadata?: unknown };
  peer.send({
    type: 'response.created',
    response: { id: responseId, status: 'in_progress', conversation_id: 'conv_1', metadata },
  });
}

/** This many milliseconds of its audio. */
export function say(peer: Peer, responseId: string, itemId: string, ms: number): void {
  peer.send({ type: 'response.output_audio.delta', ...place(responseId, itemId), delta: audioBase64(ms) });
}

/** Ends an answer. */
export function finish(
  peer: Peer,
  responseId: string,
  { status = 'completed', reason, output = [] }: { status?: string; reason?: string; output?: readonly object[] } = {},
): void {
  const details = reason === undefined ? null : { type: status, reason };
  peer.send({
    type: 'response.done',
    response: { id: responseId, status, status_details: details, output, conversation_id: 'conv_1' },
  });
}

/** The user begins to speak. */
export function userSpeaks(peer: Peer, itemId: string, ms = 0): void {
  peer.send({ type: 'input_audio_buffer.speech_started', item_id: itemId, audio_start_ms: ms });
}

/** The user has spoken, and it is part of the conversation. */
export function userStops(peer: Peer, itemId: string, ms = 0): void {
  peer.send({ type: 'input_audio_buffer.speech_stopped', item_id: itemId, audio_end_ms: ms });
  peer.send({ type: 'input_audio_buffer.committed', item_id: itemId, previous_item_id: null });
}

/** Acknowledges the next item the client creates. */
export async function takeItem(peer: Peer): Promise<WireEvent> {
  const event = await peer.next('conversation.item.create');
  peer.send({ type: 'conversation.item.added', item: event['item'], previous_item_id: null });
  return event;
}

/** A call for a tool, whole, in an answer of its own. */
export function callTool(
  peer: Peer,
  responseId: string,
  calls: readonly { readonly id: string; readonly name: string; readonly args: string }[],
): void {
  const output = calls.map(({ id, name, args }) => ({
    id: `item_${id}`,
    type: 'function_call',
    status: 'completed',
    call_id: id,
    name,
    arguments: args,
  }));
  begin(peer, responseId);
  for (const item of output) {
    peer.send({ type: 'response.output_item.added', response_id: responseId, item: { ...item, arguments: '' } });
    peer.send({
      type: 'response.function_call_arguments.done',
      response_id: responseId,
      item_id: item.id,
      call_id: item.call_id,
      name: item.name,
      arguments: item.arguments,
    });
    peer.send({ type: 'response.output_item.done', response_id: responseId, item });
  }
  finish(peer, responseId, { output });
}
