// The room in which messages are passed on: programs send, pages and other inspectors listen, and what was said is
// remembered.

import type { InspectorMessage } from '../inspector-message.ts';
import { readMessage } from './incoming-message.ts';
import { MessageHistory, type StoredMessage } from './message-history.ts';

/** A connection, as far as the room uses it. */
export interface Listener {
  readonly bufferedAmount: number;
  send(text: string): void;
  terminate(): void;
}

// A listener that does not read is sent away; a page comes back and says what it saw last.
const mostBuffered = 32 * 1024 * 1024;

/** All that is sent, in one order. */
export class RelayRoom {
  readonly #history = new MessageHistory({ messages: 50_000, size: 64 * 1024 * 1024 });
  readonly #listeners = new Set<Listener>();
  readonly #epoch: string;
  #sequence = 0;
  #sources = 0;

  /** `epoch` tells the messages of this server from those of another one. */
  constructor(epoch: string) {
    this.#epoch = epoch;
  }

  /** A name for one more program. */
  nameSource(): string {
    return `p${this.#sources++}`;
  }

  /** Passes a message on; what is none is dropped. */
  take(given: unknown, source: string, from?: Listener): void {
    const message = this.#read(given, source);
    if (message === undefined) return;
    this.#sequence++;
    this.#history.add(message);
    for (const listener of this.#listeners) if (listener !== from) this.#tell(listener, message.text);
  }

  /** As `take`, for text off the wire. */
  takeText(text: string, source: string, from: Listener): void {
    let given: unknown;
    try {
      given = JSON.parse(text);
    } catch {
      return; // no message of the protocol
    }
    this.take(given, source, from);
  }

  /** As `take`, for messages of this program. */
  takeOwn(message: InspectorMessage, source: string): void {
    this.take(message, source);
  }

  /** Tells everything after the message of this id, and what comes. */
  listen(listener: Listener, after: string | null): void {
    const [epoch, sequence = ''] = after?.split('-') ?? [];
    const seen = epoch === this.#epoch && /^\d+$/.test(sequence) ? Number(sequence) : -1;
    for (const { text } of this.#history.after(seen)) listener.send(text);
    this.#listeners.add(listener);
  }

  leave(listener: Listener): void {
    this.#listeners.delete(listener);
  }

  #read(given: unknown, source: string): StoredMessage | undefined {
    try {
      return readMessage(given, source, this.#epoch, this.#sequence);
    } catch {
      return undefined; // so deep that it can be read and not written
    }
  }

  #tell(listener: Listener, text: string): void {
    if (listener.bufferedAmount <= mostBuffered) return listener.send(text);
    this.#listeners.delete(listener);
    listener.terminate();
  }
}
