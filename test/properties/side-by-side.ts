// Commands that move a real thing and its reference side by side, and the references that may explain what was seen.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { shown, waitTurns } from './arbitrary-moves.ts';
import type { ModelMove, ReferenceModelEnd } from './reference-model-end.ts';

/** A reference. */
export interface ReferenceSide<Action> {
  readonly model: ReferenceModelEnd;
  /** What a test could see of the real thing, as plain data. */
  view(): unknown;
  /** `submitted` = a message the host stored before it submitted it. */
  move(move: ModelMove, submitted: string | undefined): void;
  act(action: Action): void;
  arm(place: string, action: Action): void;
  advance(ms: number): void;
  lastWaiting(): string | undefined;
}

/** The real thing. */
export interface RealSide<Action> {
  move(move: ModelMove, submitted: string | undefined): void;
  act(action: Action): void;
  arm(place: string, action: Action): void;
  advance(ms: number): Promise<void>;
  /** Lets everything happen that can happen now, throws on what must never be, and returns what can be seen. */
  look(): Promise<unknown>;
}

// False: nothing was left to arrive, so that this history is one that is there already.
type Atom<Action> = (reference: ReferenceSide<Action>) => void | boolean;

// All that is on its way arrives.
const settle = ({ model }: { readonly model: ReferenceModelEnd }) => model.hearAll();

// More than this many explanations of one run have not been seen.
const most = 8;

/** Every history that explains what was seen so far: one, unless a command came in the middle of something. */
export class Histories<Action> {
  #histories: readonly (readonly Atom<Action>[])[] = [[]];
  readonly #begin: () => ReferenceSide<Action>;

  constructor(begin: () => ReferenceSide<Action>) {
    this.#begin = begin;
  }

  /** Each of these ways to go on may be what happened. */
  goOn(ways: readonly (readonly Atom<Action>[])[]): void {
    this.#histories = this.#histories.flatMap((history) => ways.map((way) => [...history, ...way]));
  }

  /** Keeps the histories that lead to what is seen; fails when there is none. */
  compare(seen: unknown): void {
    const text = JSON.stringify(seen);
    const fits: (readonly Atom<Action>[])[] = [];
    let view: unknown;
    for (const history of this.#histories) {
      const reference = this.#play(history);
      if (reference === undefined) continue;
      view = reference.view();
      if (JSON.stringify(view) === text) fits.push(history);
    }
    if (fits.length === 0) assert.deepEqual(seen, view);
    this.#histories = fits.slice(0, most);
  }

  /** The one that explains it so far. */
  current(): ReferenceSide<Action> {
    const reference = this.#play(this.#histories[0] ?? []);
    assert.ok(reference !== undefined);
    return reference;
  }

  #play(history: readonly Atom<Action>[]): ReferenceSide<Action> | undefined {
    const reference = this.#begin();
    for (const atom of history) if (atom(reference) === false) return undefined;
    return reference;
  }
}

class Command<Action> implements fc.AsyncCommand<Histories<Action>, RealSide<Action>> {
  readonly #text: string;
  readonly #run: (histories: Histories<Action>, real: RealSide<Action>) => Promise<void> | void;

  constructor(text: string, run: (histories: Histories<Action>, real: RealSide<Action>) => Promise<void> | void) {
    this.#text = text;
    this.#run = run;
  }

  check(): boolean {
    return true;
  }

  async run(histories: Histories<Action>, real: RealSide<Action>): Promise<void> {
    await this.#run(histories, real);
    histories.compare(await real.look());
  }

  toString(): string {
    return this.#text;
  }
}

/** Commands of every kind, of these moves and actions; an action is armed in one of the places. */
export function commandsOf<Action extends { readonly do: string }>(
  moves: fc.Arbitrary<ModelMove>,
  actions: fc.Arbitrary<Action>,
  places: readonly string[],
): fc.Arbitrary<fc.AsyncCommand<Histories<Action>, RealSide<Action>>>[] {
  const move = moves.map(
    (next) =>
      new Command<Action>(shown(next), (histories, real) => {
        const submitted = histories.current().lastWaiting();
        histories.goOn([[(reference) => reference.move(next, submitted), settle]]);
        real.move(next, submitted);
      }),
  );
  const act = actions.map(
    (action) =>
      new Command<Action>(shown(action), (histories, real) => {
        histories.goOn([[(reference) => reference.act(action), settle]]);
        real.act(action);
      }),
  );
  const twice = fc.tuple(actions, actions).map(
    ([first, second]) =>
      new Command<Action>(`${shown(first)} and at once ${shown(second)}`, (histories, real) => {
        histories.goOn([[(reference) => reference.act(first), (reference) => reference.act(second), settle]]);
        real.act(first);
        real.act(second);
      }),
  );
  // The action comes this many microtasks after the move, wherever the turn is then.
  const race = fc.tuple(moves, fc.nat(16), actions).map(
    ([next, turns, action]) =>
      new Command<Action>(`${shown(next)}, after ${turns} microtasks ${shown(action)}`, async (histories, real) => {
        const submitted = histories.current().lastWaiting();
        const ways = [0, 1, 2, 3, 4, 5, 6].map((heard): Atom<Action>[] => [
          (reference) => reference.move(next, submitted),
          ...Array.from(
            { length: heard },
            (): Atom<Action> =>
              ({ model }) =>
                void model.hearOne(),
          ),
          (reference) => reference.act(action),
          settle,
        ]);
        histories.goOn(ways);
        real.move(next, submitted);
        await waitTurns(turns);
        real.act(action);
      }),
  );
  const armed = fc.tuple(fc.constantFrom(...(places.length > 0 ? places : ['nowhere'])), actions).map(
    ([place, action]) =>
      new Command<Action>(`next ${place}: ${shown(action)}`, (histories, real) => {
        histories.goOn([[(reference) => reference.arm(place, action)]]);
        real.arm(place, action);
      }),
  );
  const advance = fc.constantFrom(20, 60, 100, 250, 500, 1_000).map(
    (ms) =>
      new Command<Action>(`advance ${ms} ms`, (histories, real) => {
        histories.goOn([[(reference) => reference.advance(ms), settle]]);
        return real.advance(ms);
      }),
  );
  return [move, move, act, act, twice, race, advance, ...(places.length > 0 ? [armed, armed] : [])];
}
