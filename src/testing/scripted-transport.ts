// A realtime provider that plays a script: every step is one answer, and every answer must have a step.

import { ModelError } from '../contracts/errors.ts';
import type { RealtimeModel, RealtimeUsage } from '../contracts/realtime.ts';
import { connectRealtime } from '../realtime/connect.ts';
import type { RealtimeWire, WireCommand, WireFact, WireToolCall } from '../realtime/wire.ts';
import type { ScriptedCall } from './scripted-step.ts';

/** One answer. Its parts come in this order: audio with its transcript, text, calls. */
export interface ScriptedAnswer {
  /** The transcript of what is spoken. Its sound is `audio`, by default silence of about the length of the text. */
  readonly said?: string;
  /** pcm16 at 24 kHz, one delta for each piece. Default: 20 ms of silence for each character of `said`. */
  readonly audio?: readonly Uint8Array[];
  /** Written text, for sessions whose output is text. */
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Ends only when it is interrupted. */
  readonly endless?: boolean;
  /** Default: no usage is reported. */
  readonly usage?: RealtimeUsage;
}

/** A scripted provider that records commands. `using transport = scriptedTransport([…])` verifies at the end of the block. */
export interface ScriptedTransport extends RealtimeModel, Disposable {
  /** The sessions' commands, in order. */
  readonly commands: readonly WireCommand[];
  /** The user begins and stops speaking, and the next step answers if the session's turn detection asks for that. */
  userSays(transcript: string): void;
  /** The link breaks, as if the network was lost. */
  breakLink(): void;
  /** Throws an Error that names every step that was not used and every answer without a step. */
  verify(): void;
}

const bytesOfMillisecond = 48; // pcm16 at 24 kHz
const millisecondsOfCharacter = 20;

/**
 * A model whose sessions play `steps`, one for each answer to a request (`text.send`, `response.request`, tool results) or
 * to `userSays`. Sends nothing anywhere and reads no clock. For one session at a time.
 */
export function scriptedTransport(steps: readonly ScriptedAnswer[]): ScriptedTransport {
  const commands: WireCommand[] = [];
  const faults: string[] = [];
  const server = new ScriptedServer(steps, faults);

  const wire: RealtimeWire = {
    provider: 'scripted',
    capabilities: [
      'audioInProcess',
      'toolCalling',
      'transcripts',
      'serverTurnDetection',
      'manualTurns',
      'interrupt',
      'outputTruncation',
      'textInput',
      'imageInput',
      'midSessionUpdate',
      'outOfBandResponses',
      'usageReports',
    ],
    inputFormat: { type: 'pcm16', rate: 24_000 },
    outputFormat: { type: 'pcm16', rate: 24_000 },
    playedBy: 'client',
    readRaw: () => ({ refused: 'scriptedTransport does not support raw events.' }),
    dial: (receiver) => {
      server.open(receiver);
      return {
        send: (command, written) => {
          commands.push(command);
          written?.();
          server.take(command);
        },
        bufferedBytes: 0,
        tellsWritten: true,
        close: () => server.end({ code: 1000 }),
        terminate: () => server.end({ code: 1006 }),
      };
    },
  };

  function verify(): void {
    const lines = [...faults];
    for (const [offset, step] of steps.slice(server.used).entries()) {
      const what = step.said ?? step.text ?? (step.calls ?? []).map(({ name }) => name).join(', ');
      lines.push(`step ${server.used + offset + 1} of ${steps.length} was not used: ${JSON.stringify(what)}`);
    }
    if (lines.length > 0) {
      throw new Error(`scriptedTransport with a script of ${steps.length} steps:\n- ${lines.join('\n- ')}`);
    }
  }

  return {
    id: 'scripted',
    connect: (options) => connectRealtime(wire, options),
    connectForCall: () =>
      Promise.reject(
        new ModelError('model.rejected', 'scriptedTransport does not support telephone calls.', { retryable: false }),
      ),
    commands,
    userSays: (transcript) => server.userSays(transcript),
    breakLink: () => server.end({ code: 1006, reason: 'broken' }),
    verify,
    [Symbol.dispose]: verify,
  };
}

/** The server's side of the link. Its facts arrive after the call that caused them, never during it. */
class ScriptedServer {
  used = 0;
  readonly #steps: readonly ScriptedAnswer[];
  readonly #faults: string[];
  #receiver: ((fact: WireFact) => void) | undefined;
  #createsResponse = true;
  #ids = 0;
  /** The answer in progress. */
  #active: { readonly responseId: string; readonly step: ScriptedAnswer } | undefined;

  constructor(steps: readonly ScriptedAnswer[], faults: string[]) {
    this.#steps = steps;
    this.#faults = faults;
  }

  open(receiver: (fact: WireFact) => void): void {
    this.#receiver = receiver;
    this.#tell({ type: 'wire.opened' });
    this.#tell({ type: 'session.created', sessionId: 'session_1', settings: this.#settings() });
  }

  end(how: { readonly code: number; readonly reason?: string }): void {
    this.#tell({ type: 'wire.closed', ...how });
    queueMicrotask(() => (this.#receiver = undefined)); // after the fact is delivered
  }

  take(command: WireCommand): void {
    switch (command.type) {
      case 'session.configure':
      case 'session.update': {
        const { turnDetection } = command.type === 'session.configure' ? command.configuration : command.changes;
        if (turnDetection !== undefined) this.#createsResponse = createsResponse(turnDetection);
        this.#tell({ type: 'session.configured', settings: this.#settings() });
        break;
      }
      case 'item.create':
        this.#tell({ type: 'item.added', itemId: command.itemId });
        break;
      case 'item.truncate':
        this.#tell({ type: 'item.truncated', itemId: command.itemId });
        break;
      case 'item.delete':
        this.#tell({ type: 'item.deleted', itemId: command.itemId });
        break;
      case 'audio.commit':
        this.#tell({ type: 'input.committed', itemId: this.#id('item') });
        break;
      case 'audio.clear':
        this.#tell({ type: 'input.cleared' });
        break;
      case 'output.clear':
        this.#tell({ type: 'output.cleared' });
        break;
      case 'response.create':
        this.#answer(command.eventId);
        break;
      case 'response.cancel':
        if (this.#active === undefined) {
          const { eventId: causedBy } = command;
          this.#tell({
            type: 'error',
            kind: 'benign',
            code: 'nothing_to_cancel',
            message: 'No answer is active.',
            causedBy,
          });
        } else this.#finish('cancelled', 'client_cancelled');
        break;
      case 'audio.append':
      case 'raw':
        break; // not answered
    }
  }

  userSays(transcript: string): void {
    const itemId = this.#id('item');
    this.#tell({ type: 'speech.started', itemId });
    if (this.#createsResponse) this.#finish('cancelled', 'turn_detected');
    this.#tell({ type: 'speech.stopped', itemId });
    this.#tell({ type: 'input.committed', itemId });
    this.#tell({ type: 'item.added', itemId });
    this.#tell({ type: 'transcript.done', role: 'user', itemId, contentIndex: 0, transcript });
    if (this.#createsResponse) this.#answer();
  }

  #answer(requestId?: string): void {
    const step = this.#steps[this.used];
    const responseId = this.#id('response');
    this.#tell({ type: 'response.created', responseId, ...(requestId === undefined ? {} : { requestId }) });
    if (step === undefined) {
      const message = `an answer was requested but has no step: the script has ${this.#steps.length}`;
      this.#faults.push(message);
      const error = { code: 'no_step', message };
      this.#tell({ type: 'response.done', responseId, status: 'failed', error, calls: [] });
      return;
    }
    this.used += 1;
    this.#active = { responseId, step };
    this.#speak(responseId, step);
    if (step.endless !== true) this.#finish('completed');
  }

  #speak(responseId: string, step: ScriptedAnswer): void {
    if (step.said === undefined && step.text === undefined) return;
    const itemId = this.#id('item');
    const place = { responseId, itemId, contentIndex: 0 };
    this.#tell({ type: 'item.added', itemId });
    if (step.said !== undefined) {
      this.#tell({ type: 'transcript.delta', role: 'assistant', ...place, text: step.said });
      const silence = new Uint8Array(step.said.length * millisecondsOfCharacter * bytesOfMillisecond);
      for (const audio of step.audio ?? [silence]) this.#tell({ type: 'audio.delta', ...place, audio });
      if (step.endless === true) return;
      this.#tell({ type: 'audio.done', ...place });
      this.#tell({ type: 'transcript.done', role: 'assistant', ...place, transcript: step.said });
    }
    if (step.text !== undefined) {
      this.#tell({ type: 'text.delta', ...place, text: step.text });
      if (step.endless !== true) this.#tell({ type: 'text.done', ...place, text: step.text });
    }
  }

  #finish(status: 'completed' | 'cancelled', reason?: string): void {
    if (this.#active === undefined) return;
    const { responseId, step } = this.#active;
    this.#active = undefined;
    const calls = status === 'completed' ? this.#callsOf(step) : [];
    for (const call of calls) this.#tell({ type: 'toolCall.requested', responseId, ...call });
    this.#tell({
      type: 'response.done',
      responseId,
      status,
      calls,
      ...(reason === undefined ? {} : { reason }),
      ...(step.usage === undefined ? {} : { usage: step.usage }),
    });
  }

  #callsOf(step: ScriptedAnswer): readonly WireToolCall[] {
    return (step.calls ?? []).map(({ name, args = {}, rawArgs = JSON.stringify(args), id }) => ({
      callId: id ?? this.#id('call'),
      itemId: this.#id('item'),
      name,
      rawArgs,
    }));
  }

  #settings(): { readonly createsResponse: boolean; readonly interruptsResponse: boolean } {
    return { createsResponse: this.#createsResponse, interruptsResponse: this.#createsResponse };
  }

  #id(kind: string): string {
    this.#ids += 1;
    return `${kind}_${this.#ids}`;
  }

  /** Delivers a fact: never during the call that caused it, and always in order. */
  #tell(fact: WireFact): void {
    queueMicrotask(() => this.#receiver?.(fact));
  }
}

function createsResponse(detection: { readonly mode: string; readonly createResponse?: boolean }): boolean {
  return detection.mode !== 'manual' && detection.createResponse !== false;
}
