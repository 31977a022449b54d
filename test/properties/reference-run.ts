// A bare turn as the design has it: the reference turn with a ledger of its own. The other side of what `Engine.run`
// does.

import { ReferenceModelEnd, type ModelMove } from './reference-model-end.ts';
import { ReferenceTurn, type ReferenceEnd, type Surroundings } from './reference-turn.ts';
import type { GateKind, Release, TurnSetup } from './world-terms.ts';

/** What a command may do to a running turn, also from inside user code. */
export type RunAction =
  | { readonly do: 'steer'; readonly id: string }
  | { readonly do: 'cancel'; readonly graceMs: number | undefined };

/** One bare turn. */
export class ReferenceRun implements Surroundings {
  now = 0;
  readonly setup: TurnSetup;
  readonly transcript: string[];
  readonly requests: string[] = [];
  readonly events: string[] = ['turn.started'];
  readonly answers: string[] = [];
  readonly turn: ReferenceTurn;
  readonly model = new ReferenceModelEnd(this);
  end: (ReferenceEnd & { readonly undrained: readonly string[] }) | undefined;
  line = this.model.line;
  readonly #gates: Record<GateKind, ((how: Release) => void)[]> = {
    tool: [],
    transformer: [],
    approval: [],
    reload: [],
    compact: [],
  };
  readonly #accepted = new Set<string>();
  readonly #armed = new Map<string, RunAction>();
  #waiting: string[] = [];

  constructor(setup: TurnSetup, transcript: readonly string[]) {
    this.setup = setup;
    this.transcript = [...transcript];
    this.turn = new ReferenceTurn(this);
    this.turn.start();
  }

  /** What the test can see of it. */
  view(): unknown {
    return {
      transcript: this.transcript,
      requests: this.requests,
      events: this.events,
      answers: this.answers,
      end: this.end,
    };
  }

  act(action: RunAction): void {
    if (action.do === 'cancel') return this.turn.cancel(action.graceMs);
    const isKnown = this.#accepted.has(action.id);
    this.answers.push(`${action.id} ${isKnown || !this.turn.isSealed ? 'accepted' : 'sealed'}`);
    if (isKnown || this.turn.isSealed) return;
    this.#accepted.add(action.id);
    this.#waiting.push(action.id);
  }

  /** The next user code called in this place will do this. */
  arm(place: string, action: RunAction): void {
    this.#armed.set(place, action);
  }

  move(move: ModelMove): void {
    if (move.do !== 'release') return this.model.issue(move);
    const gates = this.#gates[move.gate];
    const [opened] = gates.splice(move.index % Math.max(1, gates.length), 1);
    if (opened !== undefined) this.model.send(() => opened(move.how));
  }

  /** Nothing is stored for a bare run. */
  lastWaiting(): undefined {
    return undefined;
  }

  advance(ms: number): void {
    const until = this.now + ms;
    while (this.turn.dueAt <= until) {
      this.now = this.turn.dueAt;
      this.turn.fire();
    }
    this.now = until;
  }

  log(...events: readonly string[]): void {
    this.events.push(...events);
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
    return this.#waiting.length;
  }

  drain(): readonly string[] {
    return this.#waiting.splice(0).map((id) => `u:${id}`);
  }

  answered(): void {
    // A bare run does not report what became of a steer.
  }

  sealed(): void {
    // Seen by steer through the turn itself.
  }

  ended(end: ReferenceEnd): void {
    this.end = { ...end, undrained: this.#waiting.splice(0) };
    this.events.push(`turn.completed ${end.reason}`);
  }
}
