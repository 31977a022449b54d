// Writes the output items of one answer one after the other, in the order of their places. Owned by the Responses
// decoder.

import type { JsonValue } from '../../../conversation/json.ts';
import { writeRaw, type Output } from '../answer-decoder.ts';
import { numberAt, objectAt, optional, type JsonObject } from '../json-fields.ts';
import { ItemPlaces, type OpenItem } from './item-places.ts';
import type { ItemWriter } from './item-writer.ts';
import { itemImpliedBy, openItem } from './open-item.ts';

/**
 * The items of one answer. They are keyed by `output_index` only (some servers change `item_id` with every event).
 * Where a server interleaves them, events of the later ones wait.
 */
export class ItemSequence {
  readonly #output: Output;
  readonly #customTools: ReadonlySet<string>;
  readonly #places = new ItemPlaces();
  readonly #written: JsonObject[] = [];
  // The place of the item that is being written: the only one whose events do not wait.
  #current: number | undefined;
  #hasReasoning = false;

  constructor(output: Output, customTools: ReadonlySet<string>) {
    this.#output = output;
    this.#customTools = customTools;
  }

  /** Takes an event of the current item at once; false if it belongs elsewhere or says nothing about the blocks. */
  readCurrent(event: JsonObject, type: string): boolean {
    if (this.#current === undefined || event['output_index'] !== this.#current) return false;
    return this.#places.get(this.#current)?.writer?.read(event, type) === true;
  }

  /** Takes an event of any item. */
  read(event: JsonObject, type: string): void {
    const place = numberAt(event, 'output_index') ?? this.#impliedPlace(type);
    if (this.#places.isFinished(place)) {
      if (!isRepetition.test(type) && !belongsToBlock.test(type)) writeRaw(this.#output, event);
      return;
    }
    const item = this.#places.get(place) ?? this.#places.open(place);
    this.#current ??= place;
    if (this.#current === place) {
      this.#apply(place, item, event, type);
      this.#advance();
    } else item.waiting.push(event);
  }

  /** Takes from the final list what the stream did not bring whole; what it did bring stays as it is. */
  finishFrom(final: readonly JsonObject[]): void {
    const ranks = this.#places.ranks();
    for (;;) {
      this.#advance();
      const place = this.#current ?? this.#places.first();
      const item = place === undefined ? undefined : this.#places.get(place);
      if (place === undefined || item === undefined) break;
      const whole = final[ranks.get(place) ?? -1];
      const isSame = whole !== undefined && (item.first === undefined || whole['type'] === item.first['type']);
      this.#finish(place, item, isSame ? whole : undefined);
      this.#places.drop(place);
      this.#current = undefined;
    }
    for (const whole of final.slice(ranks.size)) {
      const place = this.#places.next;
      this.#finish(place, this.#places.open(place), whole);
    }
  }

  /** The finished items in order, by id and type, if one of them is reasoning; else undefined. */
  orderAroundReasoning(): readonly JsonValue[] | undefined {
    return this.#hasReasoning ? this.#written : undefined;
  }

  // For servers that send no `output_index`: the current item, or a new one.
  #impliedPlace(type: string): number {
    if (this.#current !== undefined && type !== 'response.output_item.added') return this.#current;
    return this.#places.next;
  }

  #apply(place: number, item: OpenItem, event: JsonObject, type: string): void {
    const sent = objectAt(event, 'item');
    if (type === 'response.output_item.done') return this.#finish(place, item, sent);
    if (type === 'response.output_item.added') {
      if (item.writer === undefined && sent !== undefined) this.#begin(item, sent);
      return;
    }
    if (item.writer?.read(event, type) === true) return;
    if (item.writer === undefined && belongsToBlock.test(type))
      this.#begin(item, itemImpliedBy(event, type)).read(event, type);
    else if (!isRepetition.test(type)) writeRaw(this.#output, event);
  }

  // Once the current item is finished: the next one takes its waiting events, and so on until one is still open.
  #advance(): void {
    while (this.#current === undefined) {
      const place = this.#places.first();
      const item = place === undefined ? undefined : this.#places.get(place);
      if (place === undefined || item === undefined) return;
      this.#current = place;
      for (const event of item.waiting.splice(0)) {
        if (this.#places.get(place) !== undefined) this.#apply(place, item, event, String(event['type']));
      }
    }
  }

  #begin(item: OpenItem, first: JsonObject): ItemWriter {
    item.first = first;
    item.writer = openItem(first, this.#output, this.#customTools);
    if (first['type'] === 'reasoning') this.#hasReasoning = true;
    return item.writer;
  }

  #finish(place: number, item: OpenItem, final: JsonObject | undefined): void {
    const known = final ?? item.first;
    if (known === undefined) return;
    (item.writer ?? this.#begin(item, known)).finish(final);
    this.#written.push({ ...optional('id', known['id']), ...optional('type', known['type']) });
    this.#places.finish(place);
    if (this.#current === place) this.#current = undefined;
  }
}

/** Events that say something about a block, also when no item was announced. */
const belongsToBlock =
  /^response\.(content_part\.added|output_text\.delta|refusal\.delta|reasoning_\w+\.delta|function_call_arguments\.\w+)$/;
/** Events that only repeat what was said or will be said whole. */
const isRepetition =
  /^response\.(output_item\.\w+|content_part\.\w+|output_text\.done|refusal\.done|reasoning_\w+\.(done|added))$/;
