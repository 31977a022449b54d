// What the inspector remembers for pages that open or reconnect later: the last messages in order and, of older actors,
// their registration and last snapshot.

/** A message in the order of the server. */
export interface StoredMessage {
  readonly sequence: number;
  readonly sessionId: string;
  readonly type: string;
  readonly text: string;
  /** The actor has ended with this snapshot. */
  readonly isEnd: boolean;
}

/** The limits of the history. */
export interface HistoryBounds {
  readonly messages: number;
  /** UTF-16 units of all texts. */
  readonly size: number;
}

interface LivingActor {
  readonly actor: StoredMessage;
  snapshot: StoredMessage | undefined;
}

/** A ring of messages. What leaves it is forgotten, except the registration and last snapshot of running actors. */
export class MessageHistory {
  readonly #bounds: HistoryBounds;
  readonly #living = new Map<string, LivingActor>();
  #messages: StoredMessage[] = [];
  /** How many of `#messages` have left: shift() would move a long list for each. */
  #gone = 0;
  #size = 0;
  /** The size of `#living`. */
  #livingSize = 0;

  constructor(bounds: HistoryBounds) {
    this.#bounds = bounds;
  }

  add(message: StoredMessage): void {
    this.#messages.push(message);
    this.#size += message.text.length;
    while (this.#messages.length - this.#gone > this.#bounds.messages || this.#size > this.#bounds.size) {
      const oldest = this.#messages[this.#gone];
      if (oldest === undefined) break;
      this.#gone++;
      this.#size -= oldest.text.length;
      this.#forget(oldest);
    }
    if (this.#gone > 1_000 && this.#gone > this.#messages.length / 2) {
      this.#messages = this.#messages.slice(this.#gone);
      this.#gone = 0;
    }
  }

  /** What a page still needs that has seen everything up to `sequence`; -1: nothing yet. */
  after(sequence: number): readonly StoredMessage[] {
    const kept: StoredMessage[] = [];
    for (const { actor, snapshot } of this.#living.values()) {
      if (actor.sequence > sequence) kept.push(actor);
      if (snapshot !== undefined && snapshot.sequence > sequence) kept.push(snapshot);
    }
    kept.sort((left, right) => left.sequence - right.sequence);
    let from = this.#messages.length;
    while (from > this.#gone && (this.#messages[from - 1]?.sequence ?? -1) > sequence) from--;
    return [...kept, ...this.#messages.slice(from)];
  }

  #forget(message: StoredMessage): void {
    const { sessionId, type, isEnd } = message;
    if (type === '@xstate.actor') {
      this.#drop(sessionId);
      this.#living.set(sessionId, { actor: message, snapshot: undefined });
      this.#livingSize += message.text.length;
    } else if (type === '@xstate.snapshot') {
      const living = this.#living.get(sessionId);
      if (living === undefined) return;
      if (isEnd) return this.#drop(sessionId);
      this.#livingSize += message.text.length - (living.snapshot?.text.length ?? 0);
      living.snapshot = message;
    }
    // Actors whose end is never reported, such as those of a program that crashed, must not fill the memory.
    for (const oldest of this.#living.keys()) {
      if (this.#living.size <= this.#bounds.messages / 10 && this.#livingSize <= this.#bounds.size) break;
      this.#drop(oldest);
    }
  }

  #drop(sessionId: string): void {
    const living = this.#living.get(sessionId);
    if (living === undefined) return;
    this.#livingSize -= living.actor.text.length + (living.snapshot?.text.length ?? 0);
    this.#living.delete(sessionId);
  }
}
