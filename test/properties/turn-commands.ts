// Programs for a bare turn: commands that move the real turn and its reference side by side and compare them.

import fc from 'fast-check';
import { expect } from 'vitest';
import type { TurnRun } from '../../src/contracts/engine.ts';
import type { EngineEvent } from '../../src/contracts/events.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import { userMessage } from '../../src/conversation/message.ts';
import { verifyEvents, verifyTranscript } from '../../src/testing/index.ts';
import { arbitraryMoves, shown, waitTurns } from './arbitrary-moves.ts';
import { GatedWorld, logOf, shapeOf } from './gated-world.ts';
import type { ModelMove } from './reference-model-end.ts';
import { ReferenceRun, type RunAction } from './reference-run.ts';
import type { TurnSetup } from './world-terms.ts';

type Atom = (reference: ReferenceRun) => void;

/** The reference: every run that explains what was seen so far. One, unless a command came in the middle of something. */
export class TurnModel {
  #histories: readonly (readonly Atom[])[] = [[]];
  readonly #setup: TurnSetup;

  constructor(setup: TurnSetup) {
    this.#setup = setup;
  }

  /** Each of these ways to go on may be what happened. */
  goOn(ways: readonly (readonly Atom[])[]): void {
    this.#histories = this.#histories.flatMap((history) => ways.map((way) => [...history, ...way]));
  }

  /** Keeps the runs that look like the real one; fails when there is none. */
  compare(real: unknown): void {
    const views = this.#histories.map((history) => this.#play(history).view());
    const text = JSON.stringify(real);
    const fits = this.#histories.filter((_, index) => JSON.stringify(views[index]) === text);
    if (fits.length === 0) expect(real).toEqual(views.at(-1));
    this.#histories = fits.slice(0, 8);
  }

  #play(history: readonly Atom[]): ReferenceRun {
    const reference = new ReferenceRun(this.#setup, ['u:first']);
    for (const atom of history) atom(reference);
    return reference;
  }
}

/** The real turn. */
export class RealTurn {
  readonly world: GatedWorld;
  readonly conversation = createConversation({ messages: [userMessage('first', { id: 'first' })] });
  readonly run: TurnRun;
  readonly events: EngineEvent[] = [];
  readonly answers: string[] = [];
  readonly #armed = new Map<string, RunAction>();
  #isRead = false;
  end: unknown;

  constructor(setup: TurnSetup) {
    this.world = new GatedWorld(setup);
    this.run = this.world.engine.run(this.conversation);
    this.world.onHit = (place) => {
      const action = this.#armed.get(place);
      this.#armed.delete(place);
      if (action !== undefined) this.act(action);
    };
    void this.#read();
    void this.run.result.then((result) => {
      const { reason, iterations, message, error, undrained } = result;
      this.end = {
        reason,
        iterations,
        message: message === undefined ? undefined : shapeOf(message),
        error: error?.code,
        undrained: undrained?.map(({ id }) => id) ?? [],
      };
    });
  }

  act(action: RunAction): void {
    if (action.do === 'cancel') {
      void this.run.cancel(action.graceMs === undefined ? {} : { graceMs: action.graceMs });
      return;
    }
    this.answers.push(`${action.id} ${this.run.steer(userMessage('more', { id: action.id }))}`);
  }

  arm(place: string, action: RunAction): void {
    this.#armed.set(place, action);
  }

  move(move: ModelMove): void {
    if (move.do === 'say') this.world.say();
    else if (move.do === 'answer') this.world.answer(move.answer);
    else if (move.do === 'fail') this.world.fail(move.failure);
    else this.world.release(move.gate, move.index, move.how);
  }

  /** What the reference predicts, and what must hold at any time. */
  async check(model: TurnModel): Promise<void> {
    await this.world.host.settle();
    const seen = {
      transcript: this.conversation.messages.map(shapeOf),
      requests: this.world.requests,
      events: this.events.flatMap((event) => logOf(event) ?? []),
      answers: this.answers,
      end: this.end,
    };
    model.compare(seen);
    expect(this.world.faults).toEqual([]);
    verifyEvents(this.events, { complete: this.end !== undefined });
    if (this.end !== undefined) verifyTranscript(this.conversation);
    expect(this.#isRead).toBe(this.end !== undefined);
  }

  async #read(): Promise<void> {
    for await (const event of this.run) this.events.push(event);
    this.#isRead = true;
  }
}

type TurnCommand = fc.AsyncCommand<TurnModel, RealTurn>;

abstract class Command implements TurnCommand {
  check(): boolean {
    return true;
  }

  abstract run(model: TurnModel, real: RealTurn): Promise<void>;
  abstract toString(): string;
}

class Move extends Command {
  readonly #move: ModelMove;

  constructor(move: ModelMove) {
    super();
    this.#move = move;
  }

  async run(model: TurnModel, real: RealTurn): Promise<void> {
    model.goOn([[(reference) => reference.move(this.#move), (reference) => reference.model.hearAll()]]);
    real.move(this.#move);
    await real.check(model);
  }

  toString(): string {
    return shown(this.#move);
  }
}

class Act extends Command {
  readonly #action: RunAction;

  constructor(action: RunAction) {
    super();
    this.#action = action;
  }

  async run(model: TurnModel, real: RealTurn): Promise<void> {
    model.goOn([[(reference) => reference.act(this.#action)]]);
    real.act(this.#action);
    await real.check(model);
  }

  toString(): string {
    return shown(this.#action);
  }
}

/** The action comes so many microtasks after the move, wherever the turn is then. */
class Race extends Command {
  readonly #move: ModelMove;
  readonly #turns: number;
  readonly #action: RunAction;

  constructor(move: ModelMove, turns: number, action: RunAction) {
    super();
    this.#move = move;
    this.#turns = turns;
    this.#action = action;
  }

  async run(model: TurnModel, real: RealTurn): Promise<void> {
    const act: Atom = (reference) => reference.act(this.#action);
    const move: Atom = (reference) => reference.move(this.#move);
    const rest: Atom = (reference) => reference.model.hearAll();
    // A gate opens some microtasks after it is released; the events of a model arrive one by one.
    const ways =
      this.#move.do === 'release'
        ? [
            [act, move, rest],
            [move, act, rest],
          ]
        : [0, 1, 2, 3, 4].map((heard): Atom[] => [
            move,
            ...Array.from({ length: heard }, (): Atom => (reference) => void reference.model.hearOne()),
            act,
            rest,
          ]);
    model.goOn(ways);
    real.move(this.#move);
    await waitTurns(this.#turns);
    real.act(this.#action);
    await real.check(model);
  }

  toString(): string {
    return `${shown(this.#move)}, after ${this.#turns} microtasks ${shown(this.#action)}`;
  }
}

class Arm extends Command {
  readonly #place: string;
  readonly #action: RunAction;

  constructor(place: string, action: RunAction) {
    super();
    this.#place = place;
    this.#action = action;
  }

  async run(model: TurnModel, real: RealTurn): Promise<void> {
    model.goOn([[(reference) => reference.arm(this.#place, this.#action)]]);
    real.arm(this.#place, this.#action);
    await real.check(model);
  }

  toString(): string {
    return `next ${this.#place}: ${shown(this.#action)}`;
  }
}

class Advance extends Command {
  readonly #ms: number;

  constructor(ms: number) {
    super();
    this.#ms = ms;
  }

  async run(model: TurnModel, real: RealTurn): Promise<void> {
    model.goOn([[(reference) => reference.advance(this.#ms)]]);
    await real.world.host.advance(this.#ms);
    await real.check(model);
  }

  toString(): string {
    return `advance ${this.#ms} ms`;
  }
}

const actions: fc.Arbitrary<RunAction> = fc.oneof(
  {
    arbitrary: fc.record({ do: fc.constant('steer' as const), id: fc.constantFrom('s1', 's2', 's3', 's4') }),
    weight: 3,
  },
  {
    arbitrary: fc.record({ do: fc.constant('cancel' as const), graceMs: fc.constantFrom(undefined, 0, 40, 150) }),
    weight: 1,
  },
);

/** Commands for a bare turn. */
export const turnCommands = [
  arbitraryMoves.map((move) => new Move(move)),
  arbitraryMoves.map((move) => new Move(move)),
  actions.map((action) => new Act(action)),
  fc.tuple(arbitraryMoves, fc.nat(16), actions).map(([move, turns, action]) => new Race(move, turns, action)),
  fc
    .tuple(fc.constantFrom('tool', 'transformer', 'approval', 'model'), actions)
    .map(([place, action]) => new Arm(place, action)),
  fc.constantFrom(20, 60, 100, 250, 500, 1_000).map((ms) => new Advance(ms)),
];
