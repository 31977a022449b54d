// What the design says an operative does, written down a second time around the reference turn: lanes, claims, order.

import { ReferenceModelEnd, type ModelMove } from './reference-model-end.ts';
import { ReferenceTurn, type ReferenceEnd, type Surroundings } from './reference-turn.ts';
import type { GateKind, Release, TurnSetup } from './world-terms.ts';

/** How an operative of a test is set up. */
export interface LifeSetup {
  readonly turn: TurnSetup;
  /** `sync` = a store that answers at once with what it holds; `mixed` = every other time. */
  readonly reload: 'none' | 'sync' | 'gated' | 'mixed';
  readonly late: 'hold' | 'start';
}

/** What a test may ask of an operative, also from inside listeners and user code. */
export type LifeAction =
  | { readonly do: 'submit'; readonly id: string; readonly policy: 'steer' | 'queue' | 'reject' | 'preempt' }
  | { readonly do: 'resume' }
  | { readonly do: 'cancel'; readonly graceMs: number | undefined }
  | { readonly do: 'withdraw'; readonly id: string }
  | { readonly do: 'compact' }
  | { readonly do: 'invalid'; readonly kind: 'blank' | 'empty' | 'answer' | 'result' }
  | { readonly do: 'close' };

interface Channel {
  readonly events: string[];
  hasEnded: boolean;
}

interface Reader {
  readonly channel: Channel | undefined;
  readonly from: number;
}

interface Call {
  readonly id: string;
  readonly ticket: Ticket;
  outcome: string | undefined;
  reader: Reader | undefined;
}

interface Ticket {
  readonly id: string;
  sequence: number;
  outcome: string | undefined;
  delivery: string | undefined;
  isLanded: boolean;
  isAnnounced: boolean;
  readonly undecided: Call[];
}

interface Compaction {
  hasGained: boolean;
}

interface Claim {
  readonly turnId: string;
  readonly channel: Channel;
  readonly resumes: { readonly index: number; readonly reader: Reader }[];
  isAnnounced: boolean;
  reloaded: { readonly messages: number; readonly missing: readonly Ticket[] } | undefined;
}

type State =
  | 'idle'
  | 'reloading'
  | 'running'
  | 'settling'
  | 'cancelling'
  | 'preempting'
  | 'compacting'
  | 'closing'
  | 'closed';

const startsLateAfter: ReadonlySet<string> = new Set(['completed', 'maxIterations', 'maxTokens', 'refused']);

/** One operative. */
export class ReferenceOperative implements Surroundings {
  now = 0;
  state: State = 'idle';
  readonly setup: TurnSetup;
  readonly transcript: string[] = [];
  readonly requests: string[] = [];
  readonly heard: string[] = [];
  readonly calls: Call[] = [];
  readonly resumes: (string | undefined)[] = [];
  readonly resumeReaders: (Reader | undefined)[] = [];
  readonly cancels: (string | undefined)[] = [];
  readonly withdrawals: boolean[] = [];
  readonly compactions: string[] = [];
  readonly refusals: string[] = [];
  closed = 0;
  turn: ReferenceTurn | undefined;
  line = { number: 0, isStarted: true, hasSaid: true, isOver: true };
  readonly model = new ReferenceModelEnd(this);
  readonly #life: LifeSetup;
  readonly #gates: Record<GateKind, ((how: Release) => void)[]> = {
    tool: [],
    transformer: [],
    approval: [],
    reload: [],
    compact: [],
  };
  readonly #reloads: ((how: Release, stored: readonly string[]) => void)[] = [];
  readonly #armed = new Map<string, LifeAction>();
  readonly #mail: (() => void)[] = [];
  #isStepping = false;
  readonly #held: { readonly channel: Channel | undefined; readonly event: string | undefined }[] = [];
  #isHolding = false;
  #isDelivering = false;
  #claim: Claim | undefined;
  #ended: string | undefined;
  readonly #waitingCancels: number[] = [];
  #waitingCloses = 0;
  #turns = 0;
  #cutElsewhere: string | undefined;
  #compaction: Compaction | undefined;
  #compactions = 0;
  #loads = 0;
  #sequence = 0;
  readonly #known = new Map<string, Ticket>();
  #starters: Ticket[] = [];
  #steers: Ticket[] = [];
  #next: Ticket[] = [];
  #preempts: Ticket[] = [];
  #asked: Ticket[] = [];
  #landed: Ticket[] = [];
  #owed: Ticket[] = [];

  constructor(life: LifeSetup) {
    this.#life = life;
    this.setup = life.turn;
  }

  /** What the test can see of it. */
  view(): unknown {
    const told = (reader: Reader | undefined) => {
      if (reader === undefined) return undefined;
      const { channel, from } = reader;
      return channel === undefined ? ['end'] : [...channel.events.slice(from), ...(channel.hasEnded ? ['end'] : [])];
    };
    return {
      state: this.state,
      transcript: this.transcript,
      requests: this.requests,
      heard: this.heard,
      calls: this.calls.map(({ id, outcome, ticket, reader }) => ({
        id,
        outcome,
        delivery: outcome === undefined ? undefined : ticket.delivery,
        events: told(reader),
      })),
      resumes: this.resumes.map((answer, index) => ({ answer, events: told(this.resumeReaders[index]) })),
      cancels: this.cancels,
      withdrawals: this.withdrawals,
      compactions: this.compactions,
      refusals: this.refusals,
      closed: this.closed,
    };
  }

  arm(place: string, action: LifeAction): void {
    this.#armed.set(place, action);
  }

  act(action: LifeAction): void {
    switch (action.do) {
      case 'submit':
        return this.#submit(action.id, action.policy);
      case 'resume':
        return this.#resume();
      case 'cancel':
        return this.#cancel(action.graceMs);
      case 'withdraw':
        return this.#withdraw(action.id);
      case 'compact':
        return this.#compact();
      case 'invalid':
        this.refusals.push('message.invalid');
        return;
      case 'close':
        return this.#close();
    }
  }

  move(move: ModelMove, submitted: string | undefined): void {
    if (move.do !== 'release') return this.model.issue(move);
    const { gate, index, how } = move;
    if (gate === 'reload') return this.#reload(how, index, submitted);
    const gates = this.#gates[gate];
    const [opened] = gates.splice(index % Math.max(1, gates.length), 1);
    if (opened !== undefined) this.model.send(() => opened(how));
  }

  advance(ms: number): void {
    const until = this.now + ms;
    for (let due = this.turn?.dueAt; due !== undefined && due <= until; due = this.turn?.dueAt) {
      this.now = due;
      this.turn?.fire();
      this.model.hearAll(); // what it causes at once happens before the clock goes on
    }
    this.now = until;
  }

  log(...events: readonly string[]): void {
    this.#tell(this.#claim?.channel, ...events);
  }

  hit(place: string): void {
    const action = this.#armed.get(place);
    this.#armed.delete(place);
    if (action !== undefined) this.act(action);
  }

  gate(kind: GateKind, opened: (how: Release) => void): void {
    this.#gates[kind].push(opened);
  }

  pending(): number {
    return this.#steers.length;
  }

  drain(): readonly string[] {
    const drained = this.#steers;
    this.#steers = [];
    const fresh = drained.filter((ticket) => !ticket.isLanded);
    for (const ticket of drained) {
      ticket.isLanded = true;
      this.#asked.push(ticket);
    }
    return fresh.map((ticket) => {
      this.hit('frame');
      return `u:${ticket.id}~`;
    });
  }

  answered(iteration: number): void {
    const turnId = this.#claim?.turnId ?? '';
    for (const ticket of this.#asked) ticket.delivery = `answered ${turnId} ${iteration}`;
    this.#asked = [];
    this.#owed = [];
  }

  sealed(): void {
    this.#send(() => {
      if (this.state === 'running') this.state = 'settling';
    });
  }

  ended(end: ReferenceEnd): void {
    this.#send(() => this.#turnEnded(end));
  }

  // Steps: one command at a time; what comes from inside one waits for its end

  #send(step: () => void): void {
    this.#mail.push(step);
    if (this.#isStepping) return;
    this.#isStepping = true;
    for (let next = this.#mail.shift(); next !== undefined; next = this.#mail.shift()) {
      next();
      this.#afterStep();
    }
    this.#isStepping = false;
  }

  #afterStep(): void {
    if (this.#claim === undefined) {
      for (const ticket of this.#landed) ticket.delivery = 'queued';
      this.#owed.push(...this.#landed);
      this.#landed = [];
    }
    const ended = this.#ended;
    this.#ended = undefined;
    this.#isHolding = false;
    this.#deliver();
    if (ended === undefined) return;
    for (const index of this.#waitingCancels.splice(0)) this.cancels[index] = ended;
    this.closed += this.#waitingCloses;
    this.#waitingCloses = 0;
  }

  #tell(channel: Channel | undefined, ...events: readonly string[]): void {
    this.#held.push(...events.map((event) => ({ channel, event })));
    this.#deliver();
  }

  #deliver(): void {
    while (!this.#isHolding && !this.#isDelivering) {
      const next = this.#held.shift();
      if (next === undefined) return;
      const { channel, event } = next;
      if (event === undefined) {
        if (channel !== undefined) channel.hasEnded = true;
        continue;
      }
      this.#isDelivering = true;
      channel?.events.push(event);
      this.heard.push(`${event} @${this.state}`);
      this.hit(event.split(' ')[0] ?? event);
      this.#isDelivering = false;
    }
  }

  #read(): Reader {
    const channel = this.#claim?.channel;
    return { channel, from: channel?.events.length ?? 0 };
  }

  #submit(id: string, policy: string): void {
    const known = this.#known.get(id);
    const ticket: Ticket = known ?? {
      id,
      sequence: 0,
      outcome: undefined,
      delivery: undefined,
      isLanded: false,
      isAnnounced: false,
      undecided: [],
    };
    const call: Call = { id, ticket, outcome: known?.outcome, reader: undefined };
    this.calls.push(call);
    if (known?.outcome !== undefined) call.reader = this.#read();
    else ticket.undecided.push(call);
    if (known !== undefined) return;
    this.#known.set(id, ticket);
    this.#send(() => this.#take(ticket, policy));
  }

  #take(ticket: Ticket, policy: string): void {
    if (this.state === 'closing' || this.state === 'closed') return this.#reject(ticket, 'closed');
    if (this.state === 'idle') return this.#start(ticket);
    if (this.state === 'compacting' && this.#claim === undefined && policy !== 'reject') return this.#start(ticket);
    if (policy === 'queue') return this.#hold(ticket);
    if (policy === 'reject') return this.#reject(ticket, 'busy');
    if (policy === 'preempt') return this.#preempt(ticket);
    this.#accept(ticket);
    this.#steers.push(ticket);
    if (this.state === 'reloading' || this.state === 'running' || this.state === 'compacting') {
      this.#decide(ticket, `injected ${this.#claim?.turnId}`);
      this.#announceSoon();
    } else this.#decide(ticket, 'queued');
  }

  #start(ticket: Ticket): void {
    const claim = this.#open();
    this.#accept(ticket);
    this.#starters.push(ticket);
    this.#decide(ticket, `startedTurn ${claim.turnId}`);
    this.#announceSoon();
    this.#begin();
  }

  #hold(ticket: Ticket): void {
    this.#accept(ticket);
    this.#next.push(ticket);
    this.#decide(ticket, 'queued');
    this.#announceSoon();
    ticket.isAnnounced = true;
    this.#tell(this.#begunChannel(), `message.queued ${ticket.id}`);
  }

  // What happens to waiting messages is for the readers of a turn only once it was announced: theirs begin with its start.
  #begunChannel(): Channel | undefined {
    return this.#claim?.isAnnounced === true ? this.#claim.channel : undefined;
  }

  #preempt(ticket: Ticket): void {
    this.#accept(ticket);
    this.#preempts.push(ticket);
    if (this.state === 'reloading' || this.state === 'compacting') {
      this.#endClaim('aborted');
      this.#claimWaiting();
    } else {
      const wasAsked = this.state === 'cancelling' || this.state === 'preempting';
      this.state = 'preempting';
      if (!wasAsked) this.turn?.cancel(undefined);
    }
  }

  #reject(ticket: Ticket, why: string): void {
    this.#known.delete(ticket.id);
    ticket.delivery = 'rejected';
    this.#decide(ticket, `rejected ${why}`);
  }

  #accept(ticket: Ticket): void {
    if (ticket.sequence === 0) ticket.sequence = ++this.#sequence;
  }

  #decide(ticket: Ticket, outcome: string): void {
    ticket.outcome = outcome;
    for (const call of ticket.undecided.splice(0)) {
      call.outcome = outcome;
      call.reader = outcome.startsWith('rejected') ? { channel: undefined, from: 0 } : this.#read();
    }
  }

  #resume(): void {
    const index = this.resumes.push(undefined) - 1;
    this.resumeReaders.push(undefined);
    const answer = (text: string, reader: Reader) => {
      this.resumes[index] = text;
      this.resumeReaders[index] = reader;
    };
    const nothing = { channel: undefined, from: 0 };
    this.#send(() => {
      if (this.state === 'closing' || this.state === 'closed') this.resumes[index] = 'operative.closed';
      else if (this.state !== 'idle' && (this.state !== 'compacting' || this.#claim !== undefined)) {
        const others = this.#claim?.resumes ?? [];
        if (others.length > 0) others.push({ index, reader: this.#read() });
        else answer('alreadyRunning', this.#read());
      } else if (this.#life.reload !== 'none') {
        this.#open().resumes.push({ index, reader: this.#read() });
        this.#begin();
      } else if (this.#isAnswerable()) {
        this.#open();
        answer('startedTurn', this.#read());
        this.#announceSoon();
        this.#begin();
      } else answer('nothingToDo', nothing);
    });
  }

  #cancel(graceMs: number | undefined): void {
    const index = this.cancels.push(undefined) - 1;
    this.#send(() => {
      if (this.state === 'idle' || this.state === 'closed') {
        this.cancels[index] = 'nothing';
        return;
      }
      this.#waitingCancels.push(index);
      if (this.state === 'reloading' || this.state === 'compacting') {
        const holds = this.#next.length > 0;
        if (!holds) this.#giveUpCompaction();
        this.#endClaim('aborted');
        if (holds) return this.#claimWaiting();
        this.state = 'idle';
        if (this.#ended === undefined)
          for (const each of this.#waitingCancels.splice(0)) this.cancels[each] = 'nothing';
        return;
      }
      if (this.state === 'preempting') for (const ticket of this.#preempts.splice(0)) this.#keepLate(ticket);
      if (this.state !== 'closing') this.state = 'cancelling';
      this.turn?.cancel(graceMs);
    });
  }

  #keepLate(ticket: Ticket): void {
    this.#steers.push(ticket);
    this.#decide(ticket, 'queued');
  }

  #withdraw(id: string): void {
    const index = this.withdrawals.push(false) - 1;
    for (const lane of [this.#steers, this.#next]) {
      const place = lane.findIndex((ticket) => ticket.id === id && !ticket.isLanded);
      const [ticket] = place < 0 ? [] : lane.splice(place, 1);
      if (ticket === undefined) continue;
      ticket.delivery = 'withdrawn';
      this.withdrawals[index] = true;
      this.#tell(this.#begunChannel(), `message.withdrawn ${id}`);
      return;
    }
  }

  #close(): void {
    this.#send(() => {
      if (this.state === 'closed') {
        this.closed++;
        return;
      }
      this.#waitingCloses++;
      if (this.state === 'closing') return;
      if (this.state === 'idle' || this.state === 'reloading' || this.state === 'compacting') {
        this.#giveUpCompaction();
        this.#endClaim('aborted');
        this.#shut();
        return;
      }
      this.state = 'closing';
      this.turn?.cancel(undefined);
    });
  }

  #shut(): void {
    this.state = 'closed';
    for (const ticket of this.#preempts.splice(0)) this.#reject(ticket, 'closed');
    this.#isHolding = true;
    this.#tell(undefined, 'operative.closed');
    if (this.#ended !== undefined) return;
    this.closed += this.#waitingCloses;
    this.#waitingCloses = 0;
  }

  // Who could compact is known to the engine, which is asked at the call and again when the work begins.
  #compact(): void {
    const isPossible = this.state === 'idle';
    if (isPossible) this.hit('engine');
    this.#send(() => {
      if (this.state === 'closing' || this.state === 'closed') return void this.compactions.push('operative.closed');
      const { compactor } = this.setup;
      if (!isPossible || this.state !== 'idle' || compactor === 'none') return void this.compactions.push('false');
      this.state = 'compacting';
      const compaction: Compaction = { hasGained: false };
      this.#compaction = compaction;
      this.hit('engine');
      const number = ++this.#compactions;
      this.hit('compact');
      const settle = (how: Release) => this.#compacted(compaction, number, how);
      if (compactor === 'gated') this.gate('compact', settle);
      else settle(compactor === 'gains' ? 'ok' : compactor === 'throws' ? 'throws' : 'other');
    });
  }

  #compacted(compaction: Compaction, number: number, how: Release): void {
    if (compaction !== this.#compaction) return;
    if (how === 'ok') {
      compaction.hasGained = true;
      this.transcript.push(`b:${number}`);
      this.#tell(undefined, `message.appended b:${number}`);
    } else if (how === 'throws') this.#tell(undefined, 'transformer.failed compact');
    if (compaction !== this.#compaction) return; // a listener has given it up
    this.#send(() => {
      if (compaction !== this.#compaction) return;
      this.#compaction = undefined;
      this.compactions.push(String(compaction.hasGained));
      if (this.#claim === undefined) this.state = 'idle';
      else {
        this.#isHolding = true;
        this.state = 'idle'; // in between: the claimed turn begins
        const isWaitedFor = this.#steers.length + this.#next.length > 0;
        if (this.#claim.resumes.length === 0 || isWaitedFor) this.#announce();
        this.#begin();
      }
    });
  }

  #giveUpCompaction(): void {
    if (this.#compaction !== undefined) this.compactions.push('false');
    this.#compaction = undefined;
  }

  // The events of a compaction come between turns: a turn that is claimed meanwhile is announced after it.
  #announceSoon(): void {
    if (this.#compaction === undefined) this.#announce();
  }

  #open(): Claim {
    this.#isHolding = true;
    const claim: Claim = {
      turnId: `turn_${this.#turns + 1}`,
      channel: { events: [], hasEnded: false },
      resumes: [],
      isAnnounced: false,
      reloaded: undefined,
    };
    this.hit('engine');
    this.#claim = claim;
    return claim;
  }

  #announce(): void {
    const claim = this.#claim;
    if (claim === undefined) return;
    if (!claim.isAnnounced) {
      claim.isAnnounced = true;
      this.#turns++;
      this.#tell(claim.channel, 'turn.started');
      for (const [place, { index, reader }] of claim.resumes.splice(0).entries()) {
        this.resumes[index] = place === 0 ? 'startedTurn' : 'alreadyRunning';
        this.resumeReaders[index] = reader;
      }
    }
    const { reloaded } = claim;
    if (reloaded === undefined) return;
    claim.reloaded = undefined;
    this.#tell(claim.channel, `turn.reloaded ${reloaded.messages}`);
    for (const ticket of reloaded.missing) this.#append(`u:${ticket.id}`);
  }

  #begin(): void {
    if (this.#compaction !== undefined) return;
    if (this.#life.reload === 'none') return this.#run();
    this.state = 'reloading';
    const claim = this.#claim;
    this.#loads++;
    const isSync = this.#life.reload === 'sync' || (this.#life.reload === 'mixed' && this.#loads % 2 === 1);
    this.hit('reload');
    const take = (how: Release, stored: readonly string[]) => {
      if (claim !== this.#claim || this.state !== 'reloading') return;
      if (how === 'throws') {
        this.#send(() => {
          if (claim !== this.#claim || this.state !== 'reloading') return;
          this.#endClaim('failed');
          this.state = 'idle';
        });
      } else this.#load(stored);
    };
    const stored = [...this.transcript];
    if (isSync) this.model.send(() => take('ok', stored));
    else this.#reloads.push(take);
  }

  // What the store held when it was asked arrives later.
  #reload(how: Release, index: number, submitted: string | undefined): void {
    const take = this.#reloads.shift();
    if (take === undefined) return;
    const stored = storedBy(how, index, this.transcript, submitted === undefined ? undefined : `u:${submitted}`);
    this.model.send(() => take(how, stored));
  }

  /** The message accepted last that waits and is in no transcript yet. */
  lastWaiting(): string | undefined {
    const waiting = [...this.#starters, ...this.#steers, ...this.#next].filter(({ isLanded }) => !isLanded);
    return waiting.toSorted((left, right) => right.sequence - left.sequence)[0]?.id;
  }

  #load(contents: readonly string[]): void {
    const claim = this.#claim;
    if (claim === undefined) return;
    const loaded = repaired(contents);
    const stored = new Set(loaded.filter((shape) => shape.startsWith('u:')).map(idOf));
    const missing = bySequence(this.#owed).filter(({ id }) => !stored.has(id));
    const newest = lastSaid(loaded);
    if (loaded.at(-1) !== this.transcript.at(-1))
      this.#cutElsewhere = newest?.endsWith('!') === true ? newest : undefined;
    this.transcript.splice(0, Infinity, ...loaded);
    for (const ticket of [...this.#starters, ...this.#steers, ...this.#next]) ticket.isLanded = stored.has(ticket.id);
    claim.reloaded = { messages: loaded.length, missing };
    const isAnswerable = missing.length > 0 || this.#isAnswerable();
    if (claim.isAnnounced && this.#starters.length === 0 && this.#steers.length === 0 && !isAnswerable) {
      this.#starters.push(...this.#next.splice(0));
    }
    const runs = claim.isAnnounced || isAnswerable;
    this.#send(() => {
      if (claim !== this.#claim || this.state !== 'reloading') return;
      if (runs) return this.#run();
      this.#claim = undefined;
      this.state = 'idle';
      claim.channel.hasEnded = true;
      this.#tell(undefined, 'transcript.replaced');
      for (const { index } of claim.resumes) {
        this.resumes[index] = 'nothingToDo';
        this.resumeReaders[index] = { channel: undefined, from: 0 };
      }
    });
  }

  #run(): void {
    this.state = 'running';
    this.#isHolding = true;
    this.#announce();
    const starters = this.#starters;
    this.#starters = [];
    for (const ticket of starters) {
      if (!ticket.isLanded) this.#append(`u:${ticket.id}`);
      ticket.isLanded = true;
      this.#asked.push(ticket);
    }
    this.turn = new ReferenceTurn(this);
    this.turn.start();
  }

  #turnEnded(end: ReferenceEnd): void {
    const { state } = this;
    const queued = this.#next.length > 0;
    const late = this.#life.late === 'start' && this.#steers.length > 0 && startsLateAfter.has(end.reason);
    this.turn = undefined;
    for (const ticket of this.#asked) ticket.delivery = `unanswered ${this.#claim?.turnId}`;
    this.#owed.push(...this.#asked);
    this.#asked = [];
    this.#finish(end.reason, [...this.#steers, ...this.#next]);
    if (state === 'closing') this.#shut();
    else if (state === 'preempting' || queued || late) this.#claimWaiting();
    else this.state = 'idle';
  }

  #endClaim(reason: string): void {
    if (this.#claim === undefined) return;
    this.#isHolding = true;
    this.#announce();
    const starters = this.#starters;
    this.#starters = [];
    this.#finish(reason, [...starters, ...this.#steers, ...this.#next]);
  }

  // What no drain took is appended in order of acceptance and announced, and then the end is published.
  #finish(reason: string, left: readonly Ticket[]): void {
    const channel = this.#claim?.channel;
    this.#isHolding = true;
    this.#steers = [];
    this.#next = [];
    const landing = bySequence(left);
    for (const ticket of landing) {
      if (!ticket.isLanded) this.#append(`u:${ticket.id}`);
      ticket.isLanded = true;
    }
    for (const ticket of landing) {
      if (!ticket.isAnnounced) this.#tell(channel, `message.queued ${ticket.id}`);
      ticket.isAnnounced = true;
    }
    this.#landed.push(...landing);
    this.#tell(channel, `turn.completed ${reason}`);
    this.#held.push({ channel, event: undefined });
    this.#ended = reason;
    this.#claim = undefined;
  }

  #claimWaiting(): void {
    const preempts = this.#preempts;
    this.#preempts = [];
    this.#starters = [...this.#landed, ...preempts];
    this.#landed = [];
    const { turnId } = this.#open();
    for (const ticket of preempts) this.#decide(ticket, `startedTurn ${turnId}`);
    this.#announceSoon();
    this.#begin();
  }

  #append(shape: string): void {
    this.transcript.push(shape);
    this.#tell(this.#claim?.channel, `message.appended ${shape}`);
  }

  #isAnswerable(): boolean {
    const last = lastSaid(this.transcript);
    if (last === undefined) return false;
    // A cut answer that this operative did not make is taken for something to answer.
    return !last.startsWith('a:') || (last.endsWith('!') && (this.#owed.length > 0 || last === this.#cutElsewhere));
  }
}

/** What a store brings: all, all but the newest, or also what was submitted last. */
export function storedBy<Kind>(
  how: Release,
  index: number,
  transcript: readonly Kind[],
  submitted: Kind | undefined,
): readonly Kind[] {
  if (how === 'other') return transcript.slice(0, Math.max(0, transcript.length - 1 - index));
  return how === 'stored' && submitted !== undefined ? [...transcript, submitted] : [...transcript];
}

function repaired(contents: readonly string[]): readonly string[] {
  const last = contents.at(-1) ?? '';
  const open = /^a:.*\[(?<calls>.*)\]$/.exec(last)?.groups?.['calls'];
  if (open === undefined) return contents;
  return [
    ...contents,
    `t:${open
      .split(',')
      .map(() => 'interrupted')
      .join(',')}`,
  ];
}

// A compaction is nothing that anybody said.
function lastSaid(transcript: readonly string[]): string | undefined {
  return transcript.findLast((shape) => !shape.startsWith('b:'));
}

function idOf(shape: string): string {
  return shape.slice(2).replace('~', '');
}

function bySequence(tickets: readonly Ticket[]): readonly Ticket[] {
  return tickets.toSorted((left, right) => left.sequence - right.sequence);
}
