// A provider that is a script: keeps the commands it is given and reports the facts that a test wants.

import type {
  RealtimeCapability,
  RealtimeEvent,
  RealtimeInput,
  RealtimeSessionOptions,
} from '../../src/contracts/realtime.ts';
import { LiveSession } from '../../src/realtime/session.ts';
import type {
  CallControl,
  RealtimeWire,
  WireCommand,
  WireFact,
  WireLink,
  WireReceiver,
  WireSettings,
} from '../../src/realtime/wire.ts';
import { simulatedHost, type SimulatedHost } from '../../src/testing/index.ts';

export const everyCapability: readonly RealtimeCapability[] = [
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
];

/** What a fake provider is like. */
export interface FakeWireOptions {
  readonly capabilities?: readonly RealtimeCapability[];
  readonly playedBy?: 'client' | 'server';
  readonly callId?: string;
  readonly settings?: WireSettings;
  /** Acknowledges items, truncations, deletions and updates by itself. Default true. */
  readonly acknowledges?: boolean;
  /** `written` is called at once; `later` keeps the callbacks for `writeAll`; `untold`: the link cannot tell. */
  readonly writes?: 'atOnce' | 'later' | 'untold';
  readonly call?: (control: CallControl) => Promise<void>;
  /** What becomes of a ping. Absent: the link cannot ping. */
  readonly ping?: (answered: () => void) => void;
}

/** One link, and the wire that dials it. */
export class FakeWire implements RealtimeWire, WireLink {
  readonly provider = 'fake';
  readonly capabilities: readonly RealtimeCapability[];
  readonly inputFormat = { type: 'pcm16', rate: 24_000 } as const;
  readonly outputFormat = { type: 'pcm16', rate: 24_000 } as const;
  readonly playedBy: 'client' | 'server';
  readonly tellsWritten: boolean;
  readonly commands: WireCommand[] = [];
  bufferedBytes = 0;
  dials = 0;
  closes = 0;
  terminations = 0;
  /** Whether a close is answered with `wire.closed` by itself. */
  closesByItself = true;
  declare readonly callId?: string;
  declare readonly call?: (control: CallControl) => Promise<void>;
  declare readonly ping?: (answered: () => void) => void;
  readonly #options: FakeWireOptions;
  readonly #unwritten: (() => void)[] = [];
  #receiver: WireReceiver | undefined;
  #isClosed = false;

  constructor(options: FakeWireOptions = {}) {
    this.#options = options;
    this.capabilities = options.capabilities ?? everyCapability;
    this.playedBy = options.playedBy ?? 'client';
    this.tellsWritten = options.writes !== 'untold';
    if (options.callId !== undefined) this.callId = options.callId;
    if (options.call !== undefined) this.call = options.call;
    if (options.ping !== undefined) this.ping = options.ping;
  }

  dial(receiver: WireReceiver): WireLink {
    this.dials++;
    this.#receiver = receiver;
    return this;
  }

  send(command: WireCommand, written?: () => void): void {
    this.commands.push(command);
    if (this.#options.writes === 'later') {
      if (written !== undefined) this.#unwritten.push(written);
    } else {
      written?.();
    }
    if (this.#options.acknowledges !== false) this.#acknowledge(command);
  }

  close(): void {
    this.closes++;
    if (this.closesByItself) this.drop({ code: 1000 });
  }

  terminate(): void {
    this.terminations++;
    this.drop({ code: 1006 });
  }

  readRaw(raw: unknown): { readonly commands: readonly WireCommand[] } | { readonly refused: string } {
    if (typeof raw !== 'object' || raw === null || !('type' in raw)) return { refused: 'no client event' };
    const { type, ...rest } = raw as { readonly type: string };
    const fields = rest as Record<string, string>;
    switch (type) {
      case 'response.create':
        return { commands: [{ type, eventId: '', request: {}, raw: fields }] };
      case 'response.cancel':
        return { commands: [{ type, eventId: 'raw' }] };
      case 'input.commit':
        return { commands: [{ type: 'audio.commit', eventId: 'raw' }] };
      case 'input.clear':
        return { commands: [{ type: 'audio.clear', eventId: 'raw' }] };
      case 'input.append':
        return { commands: [{ type: 'audio.append', audio: new Uint8Array(4) }] };
      case 'result':
        return { commands: [{ type: 'raw', event: { type }, answers: fields['callId'] ?? '' }] };
      case 'other':
        return { commands: [{ type: 'raw', event: { type } }] };
      default:
        return { refused: `no client event "${type}"` };
    }
  }

  give(...facts: readonly WireFact[]): void {
    for (const fact of facts) this.#receiver?.(fact);
  }

  /** The link ends, once. */
  drop(end: { readonly code?: number; readonly reason?: string } = {}): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.give({ type: 'wire.closed', ...end });
  }

  writeAll(): void {
    for (const written of this.#unwritten.splice(0)) written();
  }

  sent<Type extends WireCommand['type']>(type: Type): Extract<WireCommand, { readonly type: Type }>[] {
    return this.commands.filter(
      (command): command is Extract<WireCommand, { readonly type: Type }> => command.type === type,
    );
  }

  #acknowledge(command: WireCommand): void {
    if (command.type === 'session.configure' || command.type === 'session.update') {
      this.give({ type: 'session.configured', settings: this.#options.settings ?? {} });
    }
    if (command.type === 'item.create') this.give({ type: 'item.added', itemId: command.itemId });
    if (command.type === 'item.truncate') this.give({ type: 'item.truncated', itemId: command.itemId });
    if (command.type === 'item.delete') this.give({ type: 'item.deleted', itemId: command.itemId });
    if (command.type === 'output.clear') this.give({ type: 'output.cleared' });
    if (command.type === 'audio.clear') this.give({ type: 'input.cleared' });
  }
}

/** A session on a fake wire, and everything it reported. */
export interface FakeSession {
  readonly wire: FakeWire;
  readonly host: SimulatedHost;
  readonly session: LiveSession;
  readonly events: RealtimeEvent[];
  told<Type extends RealtimeEvent['type']>(type: Type): Extract<RealtimeEvent, { readonly type: Type }>[];
  send(input: RealtimeInput): Promise<void>;
  /** The events so far, once everything that can happen has. */
  settle(): Promise<void>;
}

/** Begins to connect. */
export function dialSession(wireOptions: FakeWireOptions = {}, options: RealtimeSessionOptions = {}): FakeSession {
  const host = simulatedHost();
  const wire = new FakeWire(wireOptions);
  const session = new LiveSession(wire, { host, ...options });
  const events: RealtimeEvent[] = [];
  void collect(session.events, events);
  return {
    wire,
    host,
    session,
    events,
    told: <Type extends RealtimeEvent['type']>(type: Type) =>
      events.filter((event): event is Extract<RealtimeEvent, { readonly type: Type }> => event.type === type),
    send: (input) => session.send(input),
    settle: () => host.settle(),
  };
}

/** Connects: the session is ready. */
export async function openSession(
  wireOptions: FakeWireOptions = {},
  options: RealtimeSessionOptions = {},
): Promise<FakeSession> {
  const fake = dialSession(wireOptions, options);
  fake.wire.give(
    { type: 'wire.opened' },
    { type: 'session.created', sessionId: 'sess_1', settings: wireOptions.settings ?? {} },
  );
  if (wireOptions.acknowledges === false) fake.wire.give({ type: 'session.configured', settings: {} });
  await fake.session.ready;
  await fake.settle();
  return fake;
}

async function collect(source: AsyncIterable<RealtimeEvent>, into: RealtimeEvent[]): Promise<void> {
  for await (const event of source) into.push(event);
}

/** Silence of this many milliseconds, pcm16 at 24 kHz. */
export function audioOf(ms: number): Uint8Array {
  return new Uint8Array(ms * 48);
}

/** The facts of an answer's beginning and of so much speech. */
export function speech(responseId: string, itemId: string, ms: number): WireFact {
  return { type: 'audio.delta', responseId, itemId, contentIndex: 0, audio: audioOf(ms) };
}

/** The end of an answer. */
export function responseEnd(
  responseId: string,
  given: Partial<Extract<WireFact, { readonly type: 'response.done' }>> = {},
): WireFact {
  return { type: 'response.done', responseId, status: 'completed', calls: [], ...given };
}
