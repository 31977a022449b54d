// Relays messages: programs send, pages and other inspectors listen, and the history is kept.

import type { InspectorMessage } from '../inspector-message.ts';
import { readMessage } from './incoming-message.ts';
import { MessageHistory, type StoredMessage } from './message-history.ts';

/** A connection, as far as the room uses it. */
export interface Listener {
  readonly bufferedAmount: number;
  send(text: string): void;
  terminate(): void;
}

// A listener that does not read is disconnected; a page reconnects and says what it saw last.
const mostBuffered = 32 * 1024 * 1024;
const bounds = { messages: 50_000, size: 64 * 1024 * 1024 };
// Names of programs that are remembered.
const mostPrograms = 1_000;

/** All messages, in one order. */
export class RelayRoom {
  #history = new MessageHistory(bounds);
  /** The listeners, with what each may have in its buffer: a new one has not read the history yet. */
  readonly #listeners = new Map<Listener, number>();
  readonly #programs = new Map<string, string>();
  readonly #epoch: string;
  #sequence = 0;
  #sources = 0;
  #isClosed = false;

  /** `epoch` distinguishes this server's messages from those of another one. */
  constructor(epoch: string) {
    this.#epoch = epoch;
  }

  /** A name for a new program; the same name for one that reconnects and says who it is. */
  nameSource(program?: string): string {
    const known = program === undefined ? undefined : this.#programs.get(program);
    if (known !== undefined) return known;
    const name = `p${this.#sources++}`;
    if (program !== undefined && this.#programs.size < mostPrograms) this.#programs.set(program, name);
    return name;
  }

  /** Forgets everything and ignores further messages. */
  close(): void {
    this.#isClosed = true;
    this.#history = new MessageHistory(bounds);
    this.#listeners.clear();
  }

  /** Passes a message on; drops anything that is not a message. */
  take(given: unknown, source: string, from?: Listener): void {
    if (this.#isClosed) return;
    const message = this.#read(given, source);
    if (message === undefined) return;
    this.#sequence++;
    this.#history.add(message);
    for (const listener of this.#listeners.keys()) if (listener !== from) this.#tell(listener, message.text);
  }

  /** Like `take`, for text from the network. */
  takeText(text: string, source: string, from: Listener): void {
    let given: unknown;
    try {
      given = JSON.parse(text);
    } catch {
      return; // not a message of the protocol
    }
    this.take(given, source, from);
  }

  /** Like `take`, for messages of this program. */
  takeOwn(message: InspectorMessage, source: string): void {
    this.take(message, source);
  }

  /** Sends everything after the message with this id, and all further messages. */
  listen(listener: Listener, after: string | null): void {
    const [epoch, sequence = ''] = after?.split('-') ?? [];
    const seen = epoch === this.#epoch && /^\d+$/.test(sequence) ? Number(sequence) : -1;
    for (const { text } of this.#history.after(seen)) listener.send(text);
    this.#listeners.set(listener, listener.bufferedAmount + mostBuffered);
  }

  leave(listener: Listener): void {
    this.#listeners.delete(listener);
  }

  #read(given: unknown, source: string): StoredMessage | undefined {
    try {
      return readMessage(given, source, this.#epoch, this.#sequence);
    } catch {
      return undefined; // so deep that it can be parsed but not serialised
    }
  }

  #tell(listener: Listener, text: string): void {
    const buffered = listener.bufferedAmount;
    const most = this.#listeners.get(listener) ?? mostBuffered;
    if (buffered <= most) {
      if (most > mostBuffered && buffered < mostBuffered) this.#listeners.set(listener, mostBuffered);
      return listener.send(text);
    }
    this.#listeners.delete(listener);
    listener.terminate();
  }
}
