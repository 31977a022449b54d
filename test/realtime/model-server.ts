// A voice server that keeps the rules of real ones: one answer at a time, its own turn detection, and a slow line in both
// directions, so that everything that can cross does. It notes what no client may do.

import type { RealtimeCapability } from '../../src/contracts/realtime.ts';
import type { RealtimeWire, WireCommand, WireFact, WireLink, WireReceiver } from '../../src/realtime/wire.ts';
import { everyCapability } from './fake-wire.ts';

interface Answer {
  readonly responseId: string;
  readonly requestId: string | undefined;
  items: number;
  itemId: string | undefined;
  readonly texts: Map<string, string>;
  calls: number;
}

/** What it is like. */
export interface ModelServerOptions {
  readonly createsResponse: boolean;
  readonly interruptsResponse: boolean;
}

/** Something it does by itself. */
export type ServerAction =
  | 'speak'
  | 'write'
  | 'nextItem'
  | 'audioDone'
  | 'callTool'
  | 'finish'
  | 'incomplete'
  | 'volunteer'
  | 'speechStarts'
  | 'speechStops'
  | 'transcribe'
  | 'hiccup';

/** A wire whose other end is the server. Nothing travels by itself: `pull` takes a command in, `deliver` gives a fact. */
export class ModelServer implements RealtimeWire, WireLink {
  readonly provider = 'model';
  readonly capabilities: readonly RealtimeCapability[] = everyCapability;
  readonly inputFormat = { type: 'pcm16', rate: 24_000 } as const;
  readonly outputFormat = { type: 'pcm16', rate: 24_000 } as const;
  readonly playedBy = 'client';
  readonly tellsWritten = true;
  readonly bufferedBytes = 0;
  /** What the client did that no client may. */
  readonly breaches: string[] = [];
  readonly sent: WireCommand[] = [];
  /** Milliseconds of each item that were generated, and that were given to the client. */
  readonly generated = new Map<string, number>();
  readonly delivered = new Map<string, number>();
  readonly delivery: WireFact[] = [];
  /** Answers the client knows to be active. */
  readonly knownActive = new Set<string>();
  creates = 0;
  /** Called with each command in the moment in which it is sent. */
  watch: (command: WireCommand) => void = () => undefined;
  isCut = false;
  readonly #options: ModelServerOptions;
  readonly #up: WireCommand[] = [];
  readonly #down: WireFact[] = [];
  #receiver: WireReceiver | undefined;
  #active: Answer | undefined;
  #count = 0;
  #isSpeaking = false;
  #userItem: string | undefined;

  constructor(options: ModelServerOptions) {
    this.#options = options;
  }

  get isAnswering(): boolean {
    return this.#active !== undefined;
  }

  get isIdle(): boolean {
    return this.#up.length === 0 && this.#down.length === 0;
  }

  dial(receiver: WireReceiver): WireLink {
    this.#receiver = receiver;
    const { createsResponse, interruptsResponse } = this.#options;
    const settings = { createsResponse, interruptsResponse };
    this.#down.push({ type: 'wire.opened' }, { type: 'session.created', sessionId: 'sess', settings });
    return this;
  }

  send(command: WireCommand, written?: () => void): void {
    written?.();
    if (this.isCut) return;
    this.sent.push(command);
    this.watch(command);
    this.#up.push(command);
    if (command.type !== 'response.create' || command.request.outOfBand === true) return;
    this.creates++;
    if (this.creates > 1) this.breaches.push('two requests are under way');
    if (this.knownActive.size > 0) this.breaches.push('a request while an answer is known to be active');
  }

  close(): void {
    this.cut(1000);
  }

  terminate(): void {
    this.cut(1006);
  }

  readRaw(): { readonly refused: string } {
    return { refused: 'nothing is raw here' };
  }

  /** The line is cut: nothing travels any more. */
  cut(code = 1006): void {
    if (this.isCut) return;
    this.isCut = true;
    this.#up.length = 0;
    this.#down.length = 0;
    this.#receiver?.({ type: 'wire.closed', code });
  }

  pull(): void {
    const command = this.#up.shift();
    if (command !== undefined) this.#take(command);
  }

  /**
   * `twice`: some events come again. `swapped`: two events whose order means nothing come the other way round. `lost`: it
   * never comes.
   */
  deliver(how: 'asIs' | 'twice' | 'swapped' | 'lost' = 'asIs'): void {
    const [first, second] = this.#down;
    if (first === undefined) return;
    if (how === 'lost') return void this.#down.shift();
    if (how === 'swapped' && second !== undefined && commute(first, second)) {
      this.#down.splice(0, 2, second, first);
      return this.deliver();
    }
    this.#down.shift();
    this.#give(first);
    if (how === 'twice' && repeatable.has(first.type)) this.#give(first);
  }

  act(action: ServerAction, ms = 100): void {
    const answer = this.#active;
    switch (action) {
      case 'speechStarts':
        return this.#speechStarts();
      case 'speechStops':
        return this.#speechStops();
      case 'transcribe':
        if (this.#userItem !== undefined && !this.#isSpeaking) this.#transcribe(this.#userItem);
        return;
      case 'volunteer': // after a long silence
        if (answer === undefined) this.#begin(undefined);
        return;
      case 'hiccup':
        this.#down.push({ type: 'error', kind: 'session', code: 'server_error', message: 'hiccup' });
        return;
      default:
        if (answer !== undefined) this.#answerActs(answer, action, ms);
    }
  }

  #answerActs(answer: Answer, action: ServerAction, ms: number): void {
    const { responseId } = answer;
    const itemId = (answer.itemId ??= this.#newItem(answer));
    switch (action) {
      case 'speak':
        this.generated.set(itemId, (this.generated.get(itemId) ?? 0) + ms);
        this.#down.push({ type: 'audio.delta', responseId, itemId, contentIndex: 0, audio: new Uint8Array(ms * 48) });
        return;
      case 'write': {
        const text = `w${++this.#count} `;
        answer.texts.set(itemId, (answer.texts.get(itemId) ?? '') + text);
        this.#down.push({ type: 'transcript.delta', role: 'assistant', responseId, itemId, contentIndex: 0, text });
        return;
      }
      case 'nextItem':
        this.#endItem(answer);
        answer.itemId = this.#newItem(answer);
        return;
      case 'audioDone':
        this.#down.push({ type: 'audio.done', responseId, itemId, contentIndex: 0 });
        return;
      case 'callTool': {
        const callId = `call_${++this.#count}`;
        answer.calls++;
        this.#down.push({
          type: 'toolCall.requested',
          responseId,
          callId,
          itemId: `fc_${callId}`,
          name: 't',
          rawArgs: '{}',
        });
        return;
      }
      case 'finish':
        this.#endItem(answer);
        return this.#finish('completed');
      case 'incomplete':
        return this.#finish('incomplete');
      default:
    }
  }

  #newItem(answer: Answer): string {
    answer.items++;
    return `${answer.responseId}_${answer.items}`;
  }

  #endItem(answer: Answer): void {
    const { responseId, itemId, texts } = answer;
    if (itemId === undefined) return;
    this.#down.push({ type: 'audio.done', responseId, itemId, contentIndex: 0 });
    const transcript = texts.get(itemId);
    if (transcript !== undefined) {
      this.#down.push({ type: 'transcript.done', role: 'assistant', responseId, itemId, contentIndex: 0, transcript });
    }
  }

  #finish(status: 'completed' | 'cancelled' | 'incomplete'): void {
    const answer = this.#active;
    if (answer === undefined) return;
    this.#active = undefined;
    const { responseId } = answer;
    this.#down.push({
      type: 'response.done',
      responseId,
      status,
      calls: [],
      usage: { inputTokens: 1, outputTokens: 1 },
    });
  }

  #begin(requestId: string | undefined): void {
    const responseId = `resp_${++this.#count}`;
    this.#active = { responseId, requestId, items: 0, itemId: undefined, texts: new Map(), calls: 0 };
    this.#down.push({ type: 'response.created', responseId, ...(requestId === undefined ? {} : { requestId }) });
  }

  #speechStarts(): void {
    if (this.#isSpeaking) return;
    this.#isSpeaking = true;
    this.#userItem = `user_${++this.#count}`;
    this.#down.push({ type: 'speech.started', itemId: this.#userItem });
    if (this.#options.interruptsResponse) this.#finish('cancelled');
  }

  #speechStops(): void {
    if (!this.#isSpeaking || this.#userItem === undefined) return;
    this.#isSpeaking = false;
    const itemId = this.#userItem;
    this.#down.push(
      { type: 'speech.stopped', itemId },
      { type: 'input.committed', itemId },
      { type: 'item.added', itemId },
    );
    if (this.#options.createsResponse && this.#active === undefined) this.#begin(undefined);
  }

  #transcribe(itemId: string): void {
    for (const text of ['one ', 'two']) {
      this.#down.push({ type: 'transcript.delta', role: 'user', itemId, contentIndex: 0, text });
    }
    this.#down.push({ type: 'transcript.done', role: 'user', itemId, contentIndex: 0, transcript: 'one two' });
    this.#userItem = undefined;
  }

  #take(command: WireCommand): void {
    switch (command.type) {
      case 'session.configure':
      case 'session.update':
        this.#down.push({ type: 'session.configured', settings: {} });
        return;
      case 'item.create':
        this.#down.push({ type: 'item.added', itemId: command.itemId });
        return;
      case 'response.create':
        return this.#create(command);
      case 'response.cancel':
        return this.#cancel(command);
      case 'item.truncate':
        return this.#truncate(command);
      case 'item.delete':
        this.#down.push({ type: 'item.deleted', itemId: command.itemId });
        return;
      case 'audio.commit': {
        const itemId = `user_${++this.#count}`;
        this.#down.push({ type: 'input.committed', itemId }, { type: 'item.added', itemId });
        return;
      }
      case 'audio.clear':
        this.#down.push({ type: 'input.cleared' });
        return;
      case 'audio.append':
      case 'output.clear':
      case 'raw':
    }
  }

  #create({ eventId, request }: Extract<WireCommand, { readonly type: 'response.create' }>): void {
    if (request.outOfBand === true) {
      const responseId = `beside_${++this.#count}`;
      this.#down.push(
        { type: 'response.created', responseId, requestId: eventId, outOfBand: true },
        { type: 'text.delta', responseId, itemId: `${responseId}_1`, contentIndex: 0, text: 'x' },
        { type: 'response.done', responseId, outOfBand: true, status: 'completed', calls: [] },
      );
      return;
    }
    if (this.#active === undefined) return this.#begin(eventId);
    this.#down.push({
      type: 'error',
      kind: 'request',
      code: 'conversation_already_has_active_response',
      message: `${this.#active.responseId} is active`,
      causedBy: eventId,
      activeResponseId: this.#active.responseId,
    });
  }

  #cancel({ eventId, responseId }: Extract<WireCommand, { readonly type: 'response.cancel' }>): void {
    if (this.#active !== undefined && (responseId === undefined || responseId === this.#active.responseId)) {
      return this.#finish('cancelled');
    }
    this.#down.push({ type: 'error', kind: 'benign', code: 'cancel_not_active', message: 'no', causedBy: eventId });
  }

  #truncate({ itemId, audioEndMs }: Extract<WireCommand, { readonly type: 'item.truncate' }>): void {
    if (!(audioEndMs > 0)) this.breaches.push(`truncated at ${audioEndMs}`);
    if (audioEndMs > (this.generated.get(itemId) ?? 0)) this.breaches.push(`truncated behind what was generated`);
    this.#down.push({ type: 'item.truncated', itemId });
  }

  #give(fact: WireFact): void {
    this.delivery.push(fact);
    if (fact.type === 'audio.delta') {
      this.delivered.set(fact.itemId, (this.delivered.get(fact.itemId) ?? 0) + fact.audio.byteLength / 48);
    }
    if (fact.type === 'response.created' && fact.outOfBand !== true) {
      if (!this.knownActive.has(fact.responseId) && !this.#hasEnded(fact.responseId)) {
        this.knownActive.add(fact.responseId);
        if (fact.requestId !== undefined) this.creates--;
      }
    }
    if (fact.type === 'response.done') this.knownActive.delete(fact.responseId);
    if (fact.type === 'error' && fact.activeResponseId !== undefined && !this.#wasGiven(fact)) this.creates--;
    this.#receiver?.(fact);
  }

  #hasEnded(responseId: string): boolean {
    return this.delivery.some((fact) => fact.type === 'response.done' && fact.responseId === responseId);
  }

  #wasGiven(fact: WireFact): boolean {
    return this.delivery.filter((other) => other === fact).length > 1;
  }
}

const repeatable: ReadonlySet<WireFact['type']> = new Set([
  'response.created',
  'response.done',
  'toolCall.requested',
  'item.added',
  'item.truncated',
  'item.deleted',
  'speech.stopped',
  'audio.done',
  'error',
  'output.cleared',
]);

// What the user said is written down whenever it is; what was said and how it reads are told side by side.
function commute(first: WireFact, second: WireFact): boolean {
  const isUsers = (fact: WireFact) => fact.type === 'transcript.delta' && fact.role === 'user';
  if (isUsers(first) !== isUsers(second)) return first.type !== 'transcript.done' && second.type !== 'transcript.done';
  const kinds = [first.type, second.type].toSorted().join();
  return kinds === 'audio.delta,transcript.delta' || kinds === 'item.added,toolCall.requested';
}
