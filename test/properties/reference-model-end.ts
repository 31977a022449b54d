// The model's side in the reference: a move becomes single events, so that a test can put something between any two.

import type { Line, ReferenceTurn } from './reference-turn.ts';
import type { Answer, Failure, GateKind, Release } from './world-terms.ts';

/** What the outside world does next. */
export type ModelMove =
  | { readonly do: 'say' }
  | { readonly do: 'answer'; readonly answer: Answer }
  | { readonly do: 'fail'; readonly failure: Failure; readonly said: boolean }
  | { readonly do: 'release'; readonly gate: GateKind; readonly index: number; readonly how: Release };

/** Holds the events that were sent and not yet heard. */
export class ReferenceModelEnd {
  line: Line = { number: 0, isStarted: true, hasSaid: true, isOver: true };
  readonly #world: { readonly line: Line; readonly turn: ReferenceTurn | undefined };
  readonly #sent: (() => void)[] = [];

  constructor(world: { readonly line: Line; readonly turn: ReferenceTurn | undefined }) {
    this.#world = world;
  }

  issue(move: Exclude<ModelMove, { do: 'release' }>): void {
    const { line } = this.#world;
    if (line.isOver) return;
    const send = (event: Parameters<ReferenceTurn['hear']>[1]) => this.send(() => this.#world.turn?.hear(line, event));
    const says = move.do === 'say' || (move.do === 'fail' ? move.said : move.answer.text);
    if (says || move.do === 'answer') {
      if (!line.isStarted) send('start');
      line.isStarted = true;
    }
    if (says && !line.hasSaid) {
      line.hasSaid = true;
      send('text');
    }
    if (move.do === 'say') return;
    line.isOver = true;
    if (move.do === 'fail') return send({ failure: move.failure });
    send('end');
    send({ answer: move.answer });
  }

  /** Anything else that takes its time to arrive. */
  send(arrival: () => void): void {
    this.#sent.push(arrival);
  }

  /** Lets one event be heard; false when none is on its way. */
  hearOne(): boolean {
    const heard = this.#sent.shift();
    heard?.();
    return heard !== undefined;
  }

  hearAll(): void {
    while (this.hearOne());
  }
}
