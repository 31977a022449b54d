// Random conversations against a server that keeps the rules of real ones, with everything crossing that can cross, and
// the line cut after every single fact. After each of them the invariants of a session hold.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RealtimeEvent, RealtimeInput } from '../../src/contracts/realtime.ts';
import { LiveSession } from '../../src/realtime/session.ts';
import { simulatedHost } from '../../src/testing/index.ts';
import { audioOf } from './fake-wire.ts';
import type { WireCommand } from '../../src/realtime/wire.ts';
import { ModelServer, type ModelServerOptions, type ServerAction } from './model-server.ts';

type Step =
  | { readonly do: 'deliver'; readonly how: 'asIs' | 'twice' | 'swapped' | 'lost' }
  | { readonly do: 'pull' }
  | { readonly do: 'flow'; readonly count: number }
  | { readonly do: 'server'; readonly action: ServerAction; readonly ms: number }
  | { readonly do: 'send'; readonly input: RealtimeInput }
  | { readonly do: 'result'; readonly which: number; readonly respond: 'auto' | 'now' | 'silent' }
  | { readonly do: 'report'; readonly share: number }
  | { readonly do: 'wait'; readonly ms: number };

const respond = fc.constantFrom('auto', 'now', 'never' as const);
const inputs: fc.Arbitrary<RealtimeInput> = fc.oneof(
  respond.map((one): RealtimeInput => ({ type: 'text.send', text: 'hi', respond: one })),
  fc.constant<RealtimeInput>({ type: 'response.request' }),
  fc.constant<RealtimeInput>({ type: 'response.request', instructions: 'short' }),
  fc.constant<RealtimeInput>({ type: 'response.request', outOfBand: true }),
  fc.constant<RealtimeInput>({ type: 'response.interrupt' }),
  fc.constant<RealtimeInput>({ type: 'audio.append', audio: audioOf(20) }),
  fc.constant<RealtimeInput>({ type: 'audio.commit' }),
  fc.constant<RealtimeInput>({ type: 'audio.clear' }),
  fc.constant<RealtimeInput>({ type: 'activity.start' }),
  fc.constant<RealtimeInput>({ type: 'activity.end' }),
  fc.constant<RealtimeInput>({ type: 'session.update', voice: 'other' }),
);
const actions = fc.constantFrom<ServerAction[]>(
  'volunteer',
  'volunteer',
  'speak',
  'speak',
  'speak',
  'write',
  'write',
  'nextItem',
  'audioDone',
  'callTool',
  'finish',
  'finish',
  'incomplete',
  'speechStarts',
  'speechStarts',
  'speechStops',
  'speechStops',
  'transcribe',
  'hiccup',
);
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .constantFrom('asIs', 'asIs', 'twice', 'swapped' as const)
      .map((how): Step => ({ do: 'deliver', how })),
  },
  { weight: 4, arbitrary: fc.constant<Step>({ do: 'pull' }) },
  { weight: 5, arbitrary: fc.integer({ min: 2, max: 12 }).map((count): Step => ({ do: 'flow', count })) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('server' as const), action: actions, ms: fc.integer({ min: 1, max: 300 }) }),
  },
  { weight: 4, arbitrary: inputs.map((input): Step => ({ do: 'send', input })) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('result' as const),
      which: fc.nat(3),
      respond: fc.constantFrom('auto', 'auto', 'now', 'silent'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.double({ min: 0, max: 1.2, noNaN: true }).map((share): Step => ({ do: 'report', share })),
  },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 400 }).map((ms): Step => ({ do: 'wait', ms })) },
);
const servers: fc.Arbitrary<ModelServerOptions> = fc.record({
  createsResponse: fc.boolean(),
  interruptsResponse: fc.boolean(),
});

/** One conversation and everything that is looked at afterwards. */
class Conversation {
  readonly host = simulatedHost();
  readonly server: ModelServer;
  readonly session: LiveSession;
  readonly events: RealtimeEvent[] = [];
  readonly sends: Promise<unknown>[] = [];
  /** Results the model was asked to speak of. */
  readonly wanted = new Set<string>();
  hasInterrupted = false;
  /** Whether a report was sent. */
  hasReported = false;
  /** What a player that can be asked has played of each item. */
  readonly player: Map<string, number> | undefined;
  #fault: unknown;
  readonly #done: Promise<void>;
  #unsettled = 0;

  constructor(options: ModelServerOptions, hasPlayer = false, isPatient = true) {
    this.server = new ModelServer(options);
    this.player = hasPlayer ? new Map() : undefined;
    this.server.watch = (command) => {
      try {
        checkCut(this, command);
      } catch (fault) {
        this.#fault = fault;
      }
    };
    // Whoever waits for this server waits as long as it takes: time limits have tests of their own.
    const deadlines = isPatient ? { responseMs: Infinity, connectMs: Infinity } : {};
    const playback = { playedMs: (itemId: string) => this.player?.get(itemId) };
    this.session = new LiveSession(this.server, { host: this.host, deadlines, ...(hasPlayer ? { playback } : {}) });
    this.#done = this.#read();
  }

  get unsettled(): number {
    return this.#unsettled;
  }

  get openCalls(): readonly string[] {
    const answered = new Set(
      this.events.flatMap((event) => (event.type === 'toolCall.resultSent' ? [event.callId] : [])),
    );
    const asked = this.events.flatMap((event) => (event.type === 'toolCall.requested' ? [event.call.id] : []));
    return asked.filter((id) => !answered.has(id) && !this.#sentResults.has(id));
  }

  #isHolding = false;
  readonly #sentResults = new Set<string>();

  async connect(): Promise<void> {
    for (let round = 0; round < 10; round++) {
      this.server.pull();
      this.server.deliver();
    }
    await this.host.settle();
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'deliver':
        this.server.deliver(step.how);
        break;
      case 'pull':
        this.server.pull();
        break;
      case 'flow':
        for (let index = 0; index < step.count; index++) {
          this.server.pull();
          this.server.deliver();
        }
        break;
      case 'server':
        this.server.act(step.action, step.ms);
        break;
      case 'send':
        this.send(step.input);
        break;
      case 'result':
        await this.host.settle();
        this.answer(this.openCalls[step.which], step.respond);
        break;
      case 'report': {
        const [itemId, ms] = [...this.server.delivered].at(-1) ?? [];
        if (itemId === undefined || ms === undefined) break;
        this.#play(itemId, ms * step.share);
        break;
      }
      case 'wait':
        await this.host.advance(step.ms);
    }
    if (this.#fault !== undefined) throw this.#fault;
  }

  #play(itemId: string, playedMs: number): void {
    if (this.player !== undefined) {
      // It plays in order.
      for (const [before, ms] of this.server.delivered) {
        if (before === itemId) break;
        this.player.set(before, ms);
      }
      const known = this.player.get(itemId) ?? 0;
      this.player.set(itemId, Math.max(known, Math.min(playedMs, this.server.delivered.get(itemId) ?? 0)));
      return;
    }
    this.hasReported = true;
    this.send({ type: 'playback.report', itemId, playedMs });
  }

  send(input: RealtimeInput): void {
    if (input.type === 'activity.start') this.#isHolding = true;
    if (input.type === 'activity.end') this.#isHolding = false;
    this.hasInterrupted ||= input.type === 'response.interrupt' || input.type === 'activity.start';
    this.#unsettled++;
    this.sends.push(
      this.session.send(input).then(
        () => this.#unsettled--,
        () => this.#unsettled--,
      ),
    );
  }

  answer(callId: string | undefined, how: 'auto' | 'now' | 'silent'): void {
    if (callId === undefined) return;
    this.#sentResults.add(callId);
    if (how === 'auto') this.wanted.add(callId);
    this.send({ type: 'toolResult.send', callId, result: 'done', respond: how });
  }

  /**
   * Everything under way comes to its end: the user falls silent, tools settle, answers finish, what is said is played.
   */
  async comeToRest(): Promise<void> {
    if (this.#isHolding) this.send({ type: 'activity.end' });
    for (let round = 0; round < 60; round++) {
      this.server.act('speechStops');
      this.server.act('finish');
      for (let each = 0; each < 40 && !this.server.isIdle; each++) {
        this.server.pull();
        this.server.deliver();
      }
      await this.host.advance(1_100);
      for (const callId of this.openCalls) this.answer(callId, 'auto');
      if (this.server.isIdle && !this.server.isAnswering && this.openCalls.length === 0) break;
    }
    for (const [itemId, ms] of this.server.delivered) {
      if (this.hasReported || this.player !== undefined) this.#play(itemId, ms);
    }
    await this.host.advance(60_000);
  }

  /** The line is up, and not one word of the server's comes any more. Time is all there is. */
  async fallSilent(): Promise<void> {
    await this.host.settle();
    if (this.#isHolding) this.send({ type: 'activity.end' });
    for (const callId of this.openCalls) this.answer(callId, 'auto');
    for (const [itemId, ms] of this.server.delivered) {
      if (this.hasReported || this.player !== undefined) this.#play(itemId, ms);
    }
    await this.host.advance(2_000_000);
  }

  async end(): Promise<void> {
    await this.session.close();
    await this.host.settle();
    await this.#done;
    await Promise.all(this.sends);
  }

  async #read(): Promise<void> {
    for await (const event of this.session.events) this.events.push(event);
  }
}

// At the moment in which it is reported: what is kept of an item was received and, where a player can be asked, heard;
// what is deleted was not.
function checkCut({ server, player }: Conversation, command: WireCommand): void {
  if (command.type === 'item.truncate') {
    const { itemId, audioEndMs } = command;
    const received = server.delivered.get(itemId) ?? 0;
    if (audioEndMs > received) throw new Error(`truncated at ${audioEndMs} of ${received} received`);
    const played = player?.get(itemId) ?? received;
    if (audioEndMs > played) throw new Error(`truncated at ${audioEndMs} of ${played} played`);
  }
  if (command.type === 'item.delete') {
    const played = player?.get(command.itemId) ?? 0;
    if (played >= 1) throw new Error(`deleted, and ${played} ms of it were played`);
  }
}

function checkEvents(talk: Conversation): void {
  expect(talk.server.breaches).toEqual([]);
  checkGrammar(talk);
  checkTranscripts(talk.events);
}

function checkGrammar({ events }: Conversation): void {
  const of = <Type extends RealtimeEvent['type']>(type: Type) =>
    events.filter((event): event is Extract<RealtimeEvent, { readonly type: Type }> => event.type === type);
  // The end is reported once, and last.
  expect(of('session.closed')).toHaveLength(1);
  expect(events.at(-1)?.type).toBe('session.closed');
  // Every answer that began ended once.
  const started = of('response.started').map(({ responseId }) => responseId);
  const completed = of('response.completed').map(({ responseId }) => responseId);
  expect(new Set(started).size).toBe(started.length);
  expect(completed.toSorted()).toEqual(started.toSorted());
  // Each call has one result, delivered or declared lost.
  const calls = of('toolCall.requested').map(({ call }) => call.id);
  expect(
    of('toolCall.resultSent')
      .map(({ callId }) => callId)
      .toSorted(),
  ).toEqual(calls.toSorted());
  expect(new Set(calls).size).toBe(calls.length);
  checkOrder(events);
}

// The model speaks of every result it was asked to speak of, unless somebody wanted silence.
function checkReplies({ events, wanted, hasInterrupted }: Conversation): void {
  if (hasInterrupted) return;
  const cut = new Set(
    events.flatMap((event) =>
      event.type === 'response.completed' && event.status === 'cancelled' ? [event.responseId] : [],
    ),
  );
  const silenced = new Set(
    events.flatMap((event) =>
      event.type === 'toolCall.requested' && cut.has(event.responseId) ? [event.call.id] : [],
    ),
  );
  const sent = events.findLastIndex(
    (event) => event.type === 'toolCall.resultSent' && wanted.has(event.callId) && !silenced.has(event.callId),
  );
  if (sent < 0) return;
  // It may have been confirmed after the answer that speaks of it began.
  const replies = events.filter((event) => event.type === 'response.started' && event.origin !== 'outOfBand').length;
  const asked = new Set(
    events.flatMap((event) =>
      event.type === 'toolCall.requested' && wanted.has(event.call.id) && !silenced.has(event.call.id)
        ? [event.responseId]
        : [],
    ),
  );
  const last = events.findLastIndex((event) => event.type === 'response.started' && event.origin !== 'outOfBand');
  const lastAsked = events.findLastIndex((event) => event.type === 'response.started' && asked.has(event.responseId));
  if (replies === 0 || last <= lastAsked) throw new Error('the model never spoke of a result');
}

// Nothing of an answer before it began, after it was interrupted, or after its end.
function checkOrder(events: readonly RealtimeEvent[]): void {
  const live = new Set<string>();
  const silenced = new Set<string>();
  for (const event of events) {
    if (event.type === 'response.started') live.add(event.responseId);
    if (event.type === 'response.completed') live.delete(event.responseId);
    if (event.type === 'response.interrupted' && event.responseId !== undefined) silenced.add(event.responseId);
    if (event.type !== 'audio.delta' && event.type !== 'text.delta' && event.type !== 'audio.done') continue;
    if (!live.has(event.responseId)) throw new Error(`${event.type} of ${event.responseId}, which is not live`);
    if (silenced.has(event.responseId)) throw new Error(`${event.type} after the interruption of ${event.responseId}`);
  }
}

function checkTranscripts(events: readonly RealtimeEvent[]): void {
  const texts = new Map<string, string>();
  for (const event of events) {
    if (event.type !== 'transcript.delta') continue;
    const text = (texts.get(event.itemId) ?? '') + event.text;
    texts.set(event.itemId, text);
    if (event.final && event.transcript !== text) throw new Error(`"${text}" is not "${event.transcript ?? ''}"`);
  }
}

const runs = 100 * Number(process.env['TURNCHART_RUNS'] ?? 1);

describe('random conversations', () => {
  test('keep every invariant, come to rest, and leave nothing behind', async () => {
    await fc.assert(
      fc.asyncProperty(
        servers,
        fc.array(steps, { minLength: 30, maxLength: 90, size: 'max' }),
        fc.boolean(),
        async (server, program, hasPlayer) => {
          const talk = new Conversation(server, hasPlayer);
          await talk.connect();
          for (const step of program) await talk.take(step);
          await talk.comeToRest();
          // Whatever was asked for has happened: nothing is owed, nobody waits.
          expect({ phase: talk.session.phase, unsettled: talk.unsettled }).toEqual({
            phase: expect.stringMatching(/^(ready|listening)$/),
            unsettled: 0,
          });
          checkReplies(talk);
          await talk.end();
          checkEvents(talk);
          expect(talk.host.pendingTimers()).toBe(0);
        },
      ),
      { numRuns: runs },
    );
  });

  test('of nothing but speech and tools: the model speaks of every result', async () => {
    const told = fc.oneof(
      steps.filter((step) => step.do !== 'send' && step.do !== 'report'),
      fc.constantFrom<Step>(
        { do: 'server', action: 'callTool', ms: 1 },
        { do: 'server', action: 'finish', ms: 1 },
        { do: 'result', which: 0, respond: 'auto' },
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        servers,
        fc.array(told, { minLength: 20, maxLength: 60, size: 'max' }),
        async (server, program) => {
          const talk = new Conversation(server);
          await talk.connect();
          for (const step of program) await talk.take(step);
          await talk.comeToRest();
          checkReplies(talk);
          await talk.end();
          checkEvents(talk);
        },
      ),
      { numRuns: Math.ceil(runs / 2) },
    );
  });

  const lossy = fc.oneof(
    { weight: 3, arbitrary: steps },
    { weight: 1, arbitrary: fc.constant<Step>({ do: 'deliver', how: 'lost' }) },
  );

  test('in which any event of the server may be lost: nothing waits for one forever', async () => {
    await fc.assert(
      fc.asyncProperty(
        servers,
        fc.array(lossy, { minLength: 30, maxLength: 90, size: 'max' }),
        fc.boolean(),
        fc.boolean(),
        async (server, program, hasPlayer, isMute) => {
          const talk = new Conversation(server, hasPlayer, false);
          await talk.connect();
          for (const step of program) await talk.take(step);
          if (!isMute) await talk.comeToRest();
          await talk.fallSilent();
          expect({ phase: talk.session.phase, unsettled: talk.unsettled }).toEqual({
            phase: expect.stringMatching(/^(ready|listening)$/),
            unsettled: 0,
          });
          expect(talk.host.pendingTimers()).toBe(0);
          await talk.end();
          checkGrammar(talk);
        },
      ),
      { numRuns: runs },
    );
  });

  test('keep every invariant when the line is cut after any fact', async () => {
    await fc.assert(
      fc.asyncProperty(
        servers,
        fc.array(steps, { minLength: 30, maxLength: 60, size: 'max' }),
        async (server, program) => {
          const facts = await lengthOf(server, program);
          for (let cut = 0; cut <= facts; cut++) await cutBehind(server, program, cut);
        },
      ),
      { numRuns: Math.ceil(runs / 15) },
    );
  });
});

async function lengthOf(server: ModelServerOptions, program: readonly Step[]): Promise<number> {
  const talk = new Conversation(server);
  await talk.connect();
  for (const step of program) await talk.take(step);
  await talk.end();
  return talk.server.delivery.length;
}

async function cutBehind(server: ModelServerOptions, program: readonly Step[], cut: number): Promise<void> {
  const talk = new Conversation(server);
  const cutWhenDue = () => {
    if (talk.server.delivery.length >= cut) talk.server.cut();
  };
  cutWhenDue();
  await talk.connect();
  for (const step of program) {
    cutWhenDue();
    await talk.take(step);
  }
  talk.server.cut();
  await talk.host.settle();
  expect(talk.session.phase).toBe('closed');
  await talk.end();
  checkEvents(talk);
  expect({ unsettled: talk.unsettled, timers: talk.host.pendingTimers() }).toEqual({ unsettled: 0, timers: 0 });
}
