// The output items of one answer by their places, those that are open in order. Owned by the Responses decoder.

import type { JsonObject } from '../json-fields.ts';
import type { ItemWriter } from './item-writer.ts';

/** An item that has begun and not ended. */
export interface OpenItem {
  writer: ItemWriter | undefined;
  first: JsonObject | undefined;
  /** Events that came before this item's turn. */
  readonly waiting: JsonObject[];
}

/** Every place is open at most once; one that was finished stays so. */
export class ItemPlaces {
  readonly #open = new Map<number, OpenItem>();
  readonly #finished = new Set<number>();
  // All places in order of their numbers, from `head` on those that may still be open.
  readonly #order: number[] = [];
  #head = 0;
  #last = -1;

  /** The place behind all others. */
  get next(): number {
    return this.#last + 1;
  }

  get(place: number): OpenItem | undefined {
    return this.#open.get(place);
  }

  isFinished(place: number): boolean {
    return this.#finished.has(place);
  }

  /** Opens a place that has never been. */
  open(place: number): OpenItem {
    const item: OpenItem = { writer: undefined, first: undefined, waiting: [] };
    this.#open.set(place, item);
    // Servers number their items upwards: nearly always the new one comes last.
    let at = this.#order.length;
    while (at > this.#head && (this.#order[at - 1] ?? place) > place) at--;
    this.#order.splice(at, 0, place);
    this.#last = Math.max(this.#last, place);
    return item;
  }

  /** Ends an item that said something. */
  finish(place: number): void {
    this.#finished.add(place);
    this.#open.delete(place);
  }

  /** Forgets an item that said nothing. */
  drop(place: number): void {
    this.#open.delete(place);
  }

  /** The lowest open place. */
  first(): number | undefined {
    while (this.#head < this.#order.length && !this.#open.has(this.#order[this.#head] ?? NaN)) this.#head++;
    return this.#order[this.#head];
  }

  /** How many of the items that were ever seen come before each, for comparing them with a list of all. */
  ranks(): ReadonlyMap<number, number> {
    const seen = [...this.#finished, ...this.#open.keys()].sort((left, right) => left - right);
    return new Map(seen.map((place, rank) => [place, rank]));
  }
}
