// What turns the events of one output item into the events of our blocks. One implementation a kind of item.

import type { JsonObject } from '../json-fields.ts';

/** Writes the blocks of one item. */
export interface ItemWriter {
  /** Folds an event of the item other than its first and last. False: it says nothing about the blocks. */
  read(event: JsonObject, type: string): boolean;
  /** Ends the item. Undefined where the server never sent it whole. */
  finish(item: JsonObject | undefined): void;
}
