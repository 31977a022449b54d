// The output items of one answer by their places, and which of them are still open. Owned by the item sequence.

import type { JsonObject } from '../json-fields.ts';
import type { ItemWriter } from './item-writer.ts';

/** An item that has begun and not ended. */
export interface OpenItem {
  writer: ItemWriter | undefined;
  first: JsonObject | undefined;
  /** Events that came before this item's turn. */
  readonly waiting: JsonObject[];
}

/** Every place is opened at most once; a finished one stays finished. */
export class ItemPlaces {
  readonly #open = new Map<number, OpenItem>();
  readonly #finished = new Set<number>();
  // All places in order of their numbers. Those from `head` on may still be open.
  readonly #order: number[] = [];
  #head = 0;
  #last = -1;

  /** The first place after all others. */
  get next(): number {
    return this.#last + 1;
  }

  get(place: number): OpenItem | undefined {
    return this.#open.get(place);
  }

  isFinished(place: number): boolean {
    return this.#finished.has(place);
  }

  /** Opens a place that was never opened. */
  open(place: number): OpenItem {
    const item: OpenItem = { writer: undefined, first: undefined, waiting: [] };
    this.#open.set(place, item);
    // Servers count upwards: the new item is nearly always the last.
    let at = this.#order.length;
    while (at > this.#head && (this.#order[at - 1] ?? place) > place) at--;
    this.#order.splice(at, 0, place);
    this.#last = Math.max(this.#last, place);
    return item;
  }

  /** Ends an item that was written. */
  finish(place: number): void {
    this.#finished.add(place);
    this.#open.delete(place);
  }

  /** Forgets an item that was not written. */
  drop(place: number): void {
    this.#open.delete(place);
  }

  /** The lowest open place. */
  first(): number | undefined {
    while (this.#head < this.#order.length && !this.#open.has(this.#order[this.#head] ?? NaN)) this.#head++;
    return this.#order[this.#head];
  }

  /** For each place, how many of the items seen so far come before it: its index in a list of all items. */
  ranks(): ReadonlyMap<number, number> {
    const seen = [...this.#finished, ...this.#open.keys()].sort((left, right) => left - right);
    return new Map(seen.map((place, rank) => [place, rank]));
  }
}
