// The interface that turns the events of one output item into events of our blocks. One implementation per type of item.

import type { JsonObject } from '../json-fields.ts';

/** Writes the blocks of one item. */
export interface ItemWriter {
  /** Folds an event of the item other than its first and last. False if it does not concern the blocks. */
  read(event: JsonObject, type: string): boolean;
  /** Ends the item. `item` is undefined if the server never sent it whole. */
  finish(item: JsonObject | undefined): void;
}
