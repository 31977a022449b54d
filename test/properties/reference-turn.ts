// What the design says one turn does, written down a second time: no statechart, no services, no promises. Whatever wakes
// the real turn (a model event, a gate, a timer, a call) is a method here, and what it causes is done when it returns.

import {
  bounds,
  type Answer,
  type CallName,
  type Failure,
  type GateKind,
  type Release,
  type StageName,
  type TurnSetup,
} from './world-terms.ts';

/** The model's side of one call: what it has sent so far. */
export interface Line {
  readonly number: number;
  isStarted: boolean;
  hasSaid: boolean;
  isOver: boolean;
}

/** How a turn ends. */
export interface ReferenceEnd {
  readonly reason: string;
  readonly iterations: number;
  /** Shape of the last assistant message of this turn. */
  readonly message: string | undefined;
  readonly error: string | undefined;
}

/** What a turn finds around it. `log` and `hit` may re-enter. */
export interface Surroundings {
  now: number;
  line: Line;
  readonly setup: TurnSetup;
  readonly transcript: string[];
  readonly requests: string[];
  /** Events of one fact come in one call: nobody who hears the first can end the turn before the last is out. */
  log(...events: readonly string[]): void;
  hit(place: string): void;
  gate(kind: GateKind, opened: (how: Release) => void): void;
  pending(): number;
  /** Takes the waiting messages, in order, as they should stand in the transcript. */
  drain(iteration: number): readonly string[];
  answered(iteration: number): void;
  sealed(): void;
  ended(end: ReferenceEnd): void;
}

type Phase =
  | 'idle'
  | 'preparing'
  | 'shaping'
  | 'streaming'
  | 'waiting'
  | 'reviewing'
  | 'dispatching'
  | 'interrupting'
  | 'sealed'
  | 'ended';

const phaseOf: Readonly<Record<StageName, Phase>> = {
  beforeTurn: 'preparing',
  beforeIteration: 'shaping',
  afterIteration: 'reviewing',
  afterTurn: 'sealed',
};

const codes: Readonly<Record<Failure | 'idle', string>> = {
  lost: 'model.connection',
  rejected: 'model.rejected',
  overflow: 'model.contextOverflow',
  foreign: 'model.failed',
  cut: 'stream.incomplete',
  idle: 'stream.idle',
};

const retryable: ReadonlySet<string> = new Set(['lost', 'cut', 'idle']);

/** The calls of one message on their way. */
interface Batch {
  readonly calls: readonly CallName[];
  readonly stop: Answer['stop'];
  readonly groups: readonly (readonly number[])[];
  readonly statuses: (string | undefined)[];
  readonly live: Map<number, 'asking' | 'running'>;
  group: number;
  position: number;
  isGoing: boolean;
  isOver: boolean;
  isInterrupted: boolean;
}

/** One turn. */
export class ReferenceTurn {
  phase: Phase = 'idle';
  iteration = 0;
  isSealed = false;
  readonly #around: Surroundings;
  // Commands that come while a step is made wait for its end.
  readonly #steps: (() => void)[] = [];
  #isStepping = false;
  // Changes when a phase is left: what was begun in it and replies later finds another number here.
  #stay = 0;
  #attempt = 0;
  #isReshaped = false;
  #isShown = false;
  #hasSaid = false;
  #dueAt = Infinity;
  #answer: Answer = { text: true, calls: [], stop: 'natural' };
  #cuts = 0;
  #batch: Batch | undefined;
  #message: string | undefined;
  #error: string | undefined;
  #reason = 'completed';

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** When time alone would change something. */
  get dueAt(): number {
    return this.#dueAt;
  }

  start(): void {
    this.#step(() => (this.#around.setup.stages.beforeTurn.length > 0 ? this.#run('beforeTurn') : this.#iterate()));
  }

  cancel(graceMs: number | undefined): void {
    this.#step(() => this.#cancel(graceMs ?? bounds.graceMs));
  }

  /** The time of `dueAt` has come. */
  fire(): void {
    this.#dueAt = Infinity;
    if (this.phase === 'streaming') this.#fail('idle');
    else if (this.phase === 'waiting') this.#step(() => this.#call());
    else if (this.#batch !== undefined) this.#expire(this.#batch);
  }

  /** An event of a model call; those of calls that were left are not heard. */
  hear(
    line: Line,
    event: 'start' | 'text' | 'end' | { readonly answer: Answer } | { readonly failure: Failure },
  ): void {
    if (this.phase !== 'streaming' || line !== this.#around.line) return;
    this.#dueAt = this.#around.now + bounds.idleMs;
    if (event === 'start') {
      this.#isShown = true;
      this.#around.log('message.start');
    } else if (event === 'text') {
      this.#hasSaid = true;
      this.#around.log('text.delta');
    } else if (event === 'end') this.#around.log('message.end');
    else if ('answer' in event) this.#settleAnswer(event.answer);
    else this.#fail(event.failure);
  }

  #step(work: () => void): void {
    this.#steps.push(work);
    if (this.#isStepping) return;
    this.#isStepping = true;
    for (let next = this.#steps.shift(); next !== undefined; next = this.#steps.shift()) next();
    this.#isStepping = false;
  }

  // What was begun in this phase has settled: the turn goes on, unless it left the phase meanwhile.
  #settle(goOn: () => void): void {
    const stay = this.#stay;
    this.#step(() => {
      if (stay === this.#stay) goOn();
    });
  }

  // False when a listener has made the turn leave where it was.
  #told(...events: readonly string[]): boolean {
    const stay = this.#stay;
    this.#around.log(...events);
    return stay === this.#stay;
  }

  #enter(phase: Phase, dueAt = Infinity): void {
    this.phase = phase;
    this.#stay++;
    this.#dueAt = dueAt;
  }

  #run(stage: StageName): void {
    this.#enter(phaseOf[stage]);
    this.#transform(stage, 0);
  }

  #transform(stage: StageName, index: number): void {
    const mode = this.#around.setup.stages[stage][index];
    if (mode === undefined) return this.#settle(() => this.#afterStage(stage));
    const stay = this.#stay;
    const take = (how: 'ok' | 'rewrites' | 'throws') => {
      if (stay === this.#stay) this.#take(stage, how);
      if (stay === this.#stay) this.#transform(stage, index + 1);
    };
    this.#around.hit('transformer');
    if (mode !== 'gated') return take(mode);
    this.#around.gate('transformer', (how) => take(how === 'ok' || how === 'throws' ? how : 'rewrites'));
  }

  #take(stage: StageName, how: 'ok' | 'rewrites' | 'throws'): void {
    if (how === 'throws') return this.#around.log(`transformer.failed ${stage}`);
    if (how === 'ok') return;
    this.#around.log(...(stage === 'beforeIteration' ? [] : ['transcript.replaced']), `transformer.applied ${stage}`);
  }

  #afterStage(stage: StageName): void {
    if (stage === 'beforeTurn') this.#iterate();
    else if (stage === 'beforeIteration') this.#call();
    else if (stage === 'afterIteration') this.#afterReview();
    else this.#end(this.#reason);
  }

  #iterate(): void {
    this.iteration++;
    this.#attempt = 0;
    this.#isReshaped = false;
    this.#batch = undefined;
    for (const shape of this.#around.drain(this.iteration)) {
      this.#append(shape);
      this.#around.log(`message.injected ${shape.slice(2).replace('~', '')}`);
    }
    if (this.#around.setup.stages.beforeIteration.length > 0) this.#run('beforeIteration');
    else this.#call();
  }

  #call(): void {
    const around = this.#around;
    this.#enter('streaming', around.now + bounds.idleMs);
    this.#isShown = false;
    this.#hasSaid = false;
    around.requests.push(around.transcript.join(' '));
    around.line = { number: around.requests.length, isStarted: false, hasSaid: false, isOver: false };
    around.hit('model');
  }

  #settleAnswer(answer: Answer): void {
    const around = this.#around;
    const calls = answer.calls.length === 0 ? '' : `[${answer.calls.map(nameOf).join(',')}]`;
    const shape = `a:${answer.text || this.#hasSaid ? around.line.number : ''}${calls}`;
    this.#hasSaid = false;
    this.#isShown = false;
    this.#answer = answer;
    this.#message = shape;
    this.#error = undefined;
    this.#cuts = answer.stop === 'maxTokens' ? this.#cuts + 1 : 0;
    around.transcript.push(shape);
    around.answered(this.iteration);
    const stay = this.#stay;
    this.#around.log(`message.appended ${shape}`, `assistant.settled ${shape}`);
    if (stay !== this.#stay) return;
    this.#settle(() => {
      if (around.setup.stages.afterIteration.length > 0) this.#run('afterIteration');
      else this.#afterReview();
    });
  }

  #afterReview(): void {
    if (this.#answer.calls.length > 0) this.#dispatch(this.#answer);
    else this.#decide();
  }

  #decide(): void {
    const { calls, stop } = this.#answer;
    const isLast = this.iteration >= this.#around.setup.maxIterations;
    if (stop === 'refusal') return this.#close('refused');
    if (stop === 'maxTokens' && (calls.length === 0 || this.#cuts > 1)) return this.#close('maxTokens');
    const wantsMore = calls.length > 0 || stop === 'pause';
    if (!wantsMore && (this.#around.pending() === 0 || isLast)) return this.#close('completed');
    if (isLast) return this.#close('maxIterations');
    this.#iterate();
  }

  #fail(failure: Failure | 'idle'): void {
    const reset = this.#isShown ? ['stream.reset'] : [];
    this.#isShown = false;
    this.#hasSaid = false;
    const { setup } = this.#around;
    if (failure === 'overflow') {
      this.#error = codes[failure];
      if (!this.#told(...reset)) return;
      return this.#settle(() => {
        if (this.#isReshaped || setup.stages.beforeIteration.length === 0) return this.#close('contextOverflow');
        this.#isReshaped = true;
        this.#error = undefined;
        this.#run('beforeIteration');
      });
    }
    if (!retryable.has(failure) || this.#attempt >= setup.retries) {
      this.#error = codes[failure];
      if (!this.#told(...reset)) return;
      return this.#settle(() => this.#end('failed'));
    }
    const waitMs = bounds.retryMs * 2 ** this.#attempt;
    this.#attempt++;
    if (!this.#told(`stream.retrying ${this.#attempt}`, ...reset)) return;
    this.#settle(() => this.#enter('waiting', this.#around.now + waitMs));
  }

  #dispatch({ calls, stop }: Answer): void {
    this.#enter('dispatching');
    const batch: Batch = {
      calls,
      stop,
      groups: groupsOf(calls),
      statuses: calls.map(() => undefined),
      live: new Map(),
      group: 0,
      position: 0,
      isGoing: false,
      isOver: false,
      isInterrupted: false,
    };
    this.#batch = batch;
    this.#go(batch);
  }

  #go(batch: Batch): void {
    if (batch.isGoing) return;
    batch.isGoing = true;
    while (this.#startNext(batch));
    batch.isGoing = false;
    if (batch.isOver || batch.statuses.includes(undefined)) return;
    batch.isOver = true;
    this.#dueAt = Infinity;
    const shape = `t:${batch.statuses.join(',')}`;
    this.#around.transcript.push(shape);
    if (!this.#told(`message.appended ${shape}`, 'toolResults.settled')) return;
    this.#settle(() => (batch.isInterrupted ? this.#end('aborted') : this.#decide()));
  }

  #startNext(batch: Batch): boolean {
    const group = batch.groups[batch.group];
    if (group === undefined) return false;
    const index = group[batch.position];
    if (index === undefined) {
      if (batch.live.size > 0) return false;
      batch.group++;
      batch.position = 0;
      return true;
    }
    batch.position++;
    batch.live.set(index, 'asking');
    this.#perform(batch, index);
    return true;
  }

  #perform(batch: Batch, index: number): void {
    const name = batch.calls[index];
    const { approve } = this.#around.setup;
    if (batch.isInterrupted || batch.stop === 'refusal') this.#settleCall(batch, index, 'notStarted');
    else if (batch.stop === 'maxTokens') this.#settleCall(batch, index, 'truncated');
    else if (name === 'ghost') this.#settleCall(batch, index, 'unknownTool');
    else if (name === 'bad') this.#settleCall(batch, index, 'invalidArguments');
    else if (approve === 'none') this.#runTool(batch, index);
    else this.#ask(batch, index);
  }

  #ask(batch: Batch, index: number): void {
    const { approve } = this.#around.setup;
    const answer = (how: Release) => {
      if (batch.live.get(index) !== 'asking') return;
      if (how === 'ok') this.#runTool(batch, index);
      else this.#settleCall(batch, index, 'denied');
    };
    this.#around.hit('approval');
    if (approve !== 'gated') return answer(approve === 'allows' ? 'ok' : 'other');
    this.#around.gate('approval', answer);
    if (batch.live.has(index)) this.#around.log(`toolCall.awaitingApproval ${batch.calls[index]}`);
  }

  #runTool(batch: Batch, index: number): void {
    const name = batch.calls[index];
    batch.live.set(index, 'running');
    this.#around.log(`toolCall.started ${name}`);
    if (!batch.live.has(index)) return;
    this.#around.hit('tool');
    if (name === 'quick') this.#settleCall(batch, index, 'completed');
    else if (name === 'broken') this.#settleCall(batch, index, 'failed');
    else this.#around.gate('tool', (how) => this.#settleCall(batch, index, how === 'throws' ? 'failed' : 'completed'));
  }

  // What settles after its call was given up changes nothing.
  #settleCall(batch: Batch, index: number, status: string): void {
    if (!batch.live.delete(index)) return;
    batch.statuses[index] = status;
    this.#go(batch);
  }

  #interrupt(batch: Batch, graceMs: number): void {
    if (batch.isOver) return;
    batch.isInterrupted = true;
    for (const [index, stage] of [...batch.live]) {
      if (stage === 'asking') this.#settleCall(batch, index, 'notStarted');
    }
    this.#go(batch);
    if (batch.isOver) return;
    this.#dueAt = Math.min(this.#dueAt, this.#around.now + graceMs);
    if (graceMs <= 0) this.#expire(batch);
  }

  #expire(batch: Batch): void {
    for (const index of [...batch.live.keys()]) this.#settleCall(batch, index, 'interrupted');
  }

  #cancel(graceMs: number): void {
    const batch = this.#batch;
    if (this.phase === 'ended') return;
    if (batch === undefined || (this.phase !== 'dispatching' && this.phase !== 'interrupting'))
      return this.#end('aborted');
    this.phase = 'interrupting';
    batch.isInterrupted = true;
    this.#seal();
    this.#interrupt(batch, graceMs);
  }

  #close(reason: string): void {
    this.#reason = reason;
    if (this.#around.setup.stages.afterTurn.length === 0) return this.#end(reason);
    this.#seal();
    this.#run('afterTurn');
  }

  #seal(): void {
    if (this.isSealed) return;
    this.isSealed = true;
    this.#around.sealed();
  }

  #end(reason: string): void {
    const { transcript, line } = this.#around;
    const hasSaid = this.phase === 'streaming' && this.#hasSaid;
    this.#enter('ended');
    this.#seal();
    if (reason === 'aborted' && hasSaid) {
      this.#message = `a:${line.number}!`;
      this.#append(this.#message);
    }
    const last = transcript.at(-1) ?? '';
    if (/^a:.*\[/.test(last)) {
      const statuses = last
        .slice(last.indexOf('['))
        .split(',')
        .map(() => 'notStarted');
      const shape = `t:${statuses.join(',')}`;
      transcript.push(shape);
      this.#around.log(`message.appended ${shape}`, 'toolResults.settled');
    }
    const error = reason === 'completed' ? undefined : this.#error;
    this.#around.ended({ reason, iterations: this.iteration, message: this.#message, error });
  }

  #append(shape: string): void {
    this.#around.transcript.push(shape);
    this.#around.log(`message.appended ${shape}`);
  }
}

function nameOf(call: CallName): string {
  return call === 'bad' ? 'quick' : call;
}

/** Neighbours that may run side by side; `alone` runs alone. */
function groupsOf(calls: readonly CallName[]): readonly (readonly number[])[] {
  const groups: number[][] = [];
  let open: number[] | undefined;
  for (const [index, call] of calls.entries()) {
    if (call === 'alone' || open === undefined) groups.push((open = []));
    open.push(index);
    if (call === 'alone') open = undefined;
  }
  return groups;
}
