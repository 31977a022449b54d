// A local server that speaks the Realtime API: it hears when somebody speaks, calls a tool, answers aloud and can be
// interrupted. What it says is prepared; when it says it is not.

import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { createVoiceDetector } from './voice-detector.ts';
import { bytesOf, sampleRate, samplesOf } from './wav.ts';

/** One turn of the conversation: what the user will have said, what the tool is asked, what is answered. */
export interface Turn {
  readonly heard: string;
  readonly tool: { readonly name: string; readonly args: string };
  readonly said: string;
  readonly audio: Int16Array;
}

/** The running server. */
export interface VoiceServer {
  readonly url: string;
  /** What the server was told that was heard of an answer, in milliseconds. */
  readonly truncations: readonly number[];
  close(): void;
}

/** Starts it on a free port of this machine. */
export async function startVoiceServer(turns: readonly Turn[]): Promise<VoiceServer> {
  const truncations: number[] = [];
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await new Promise((resolve) => server.once('listening', resolve));
  server.on('connection', (socket) => converse(socket, [...turns], truncations));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    truncations,
    close() {
      for (const client of server.clients) client.terminate();
      server.close();
    },
  };
}

interface ClientEvent {
  readonly type: string;
  readonly event_id?: string;
  readonly audio?: string;
  readonly audio_end_ms?: number;
  readonly item_id?: string;
  readonly item?: { readonly id?: string };
  readonly session?: object;
  readonly response?: { readonly metadata?: object };
}

function converse(socket: WebSocket, turns: Turn[], truncations: number[]): void {
  let count = 0;
  let turn: Turn | undefined;
  let active: { readonly id: string; readonly stop: () => void } | undefined;
  const id = (prefix: string): string => `${prefix}_${++count}`;
  const send = (type: string, fields: object): void => {
    socket.send(JSON.stringify({ type, event_id: id('event'), ...fields }));
  };
  const session = { type: 'realtime', id: 'sess_demo', expires_at: Math.floor(Date.now() / 1000) + 3600 };
  const detection = { type: 'server_vad', create_response: true, interrupt_response: true };

  const begin = (metadata: object | undefined): string => {
    const responseId = id('resp');
    send('response.created', {
      response: { id: responseId, status: 'in_progress', conversation_id: 'conv', metadata },
    });
    return responseId;
  };
  const done = (responseId: string, status: string, output: readonly object[], reason?: string): void => {
    active = undefined;
    const usage = { input_tokens: 40, output_tokens: 60, total_tokens: 100 };
    const details = reason === undefined ? null : { type: status, reason };
    send('response.done', {
      response: { id: responseId, status, status_details: details, output, usage, conversation_id: 'conv' },
    });
  };

  const callTool = (asked: Turn): void => {
    const responseId = begin(undefined);
    const item = { id: id('item'), type: 'function_call', call_id: id('call'), name: asked.tool.name, arguments: '' };
    const finished = { ...item, status: 'completed', arguments: asked.tool.args };
    send('response.output_item.added', { response_id: responseId, output_index: 0, item });
    send('response.function_call_arguments.done', {
      response_id: responseId,
      item_id: item.id,
      output_index: 0,
      call_id: item.call_id,
      name: item.name,
      arguments: asked.tool.args,
    });
    send('response.output_item.done', { response_id: responseId, output_index: 0, item: finished });
    done(responseId, 'completed', [finished]);
  };

  const speak = (asked: Turn, metadata: object | undefined): void => {
    const responseId = begin(metadata);
    const item = { id: id('item'), type: 'message', role: 'assistant', content: [] };
    const place = { response_id: responseId, item_id: item.id, output_index: 0, content_index: 0 };
    const chunk = sampleRate / 10;
    const chunks = Math.ceil(asked.audio.length / chunk);
    const wordsUntil = (part: number): number => Math.floor((asked.said.length * part) / chunks);
    let sent = 0;
    send('response.output_item.added', { response_id: responseId, output_index: 0, item });
    // Twice as fast as it is spoken, as providers do: the client holds what is not played yet.
    const timer = setInterval(() => {
      const delta = Buffer.from(bytesOf(asked.audio.slice(sent * chunk, (sent + 1) * chunk))).toString('base64');
      const text = asked.said.slice(wordsUntil(sent), wordsUntil(sent + 1));
      send('response.output_audio_transcript.delta', { ...place, delta: text });
      send('response.output_audio.delta', { ...place, delta });
      if (++sent < chunks) return;
      clearInterval(timer);
      send('response.output_audio.done', place);
      send('response.output_audio_transcript.done', { ...place, transcript: asked.said });
      done(responseId, 'completed', [{ ...item, status: 'completed' }]);
    }, 50);
    active = {
      id: responseId,
      stop() {
        clearInterval(timer);
        done(responseId, 'cancelled', [{ ...item, status: 'incomplete' }], 'turn_detected');
      },
    };
  };

  let userItem = '';
  const hear = createVoiceDetector(
    (ms) => {
      userItem = id('item');
      send('input_audio_buffer.speech_started', { audio_start_ms: ms, item_id: userItem });
      active?.stop();
    },
    (ms) => {
      send('input_audio_buffer.speech_stopped', { audio_end_ms: ms, item_id: userItem });
      send('input_audio_buffer.committed', { item_id: userItem, previous_item_id: null });
      turn = turns.shift();
      if (turn === undefined) return;
      const place = { item_id: userItem, content_index: 0 };
      send('conversation.item.input_audio_transcription.completed', { ...place, transcript: turn.heard });
      callTool(turn);
    },
  );

  socket.on('message', (data) => {
    const event = JSON.parse((data as Buffer).toString('utf8')) as ClientEvent;
    switch (event.type) {
      case 'session.update':
        send('session.updated', { session: { ...session, audio: { input: { turn_detection: detection } } } });
        break;
      case 'input_audio_buffer.append':
        hear(samplesOf(Buffer.from(event.audio ?? '', 'base64')));
        break;
      case 'conversation.item.create':
        send('conversation.item.added', { item: event.item, previous_item_id: null });
        break;
      case 'conversation.item.truncate':
        truncations.push(event.audio_end_ms ?? 0);
        send('conversation.item.truncated', {
          item_id: event.item_id,
          content_index: 0,
          audio_end_ms: event.audio_end_ms,
        });
        break;
      case 'response.create':
        if (turn !== undefined) speak(turn, event.response?.metadata);
        break;
    }
  });
  socket.on('close', () => active?.stop());
  send('session.created', { session });
}
