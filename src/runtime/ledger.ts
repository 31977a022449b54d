// The ordered record of accepted messages: the one place a message waits until a turn drains it or ends without it.

import type { Message } from '../conversation/message.ts';
import type { Inbox } from '../services/turn-record.ts';

/** The ledger of a bare `Engine.run`: steers wait until they are drained; what is left at the end is handed back. */
export class SteerLedger implements Inbox {
  readonly #waiting: Message[] = [];
  readonly #accepted = new Set<string>();

  get pending(): number {
    return this.#waiting.length;
  }

  /** Takes a message in; one whose id was accepted before is not taken twice. */
  accept(message: Message): void {
    if (this.#accepted.has(message.id)) return;
    this.#accepted.add(message.id);
    this.#waiting.push(message);
  }

  drain(): readonly Message[] {
    return this.#waiting.splice(0);
  }

  answered(): void {
    // Nobody asks a bare run what became of a steer: its result tells.
  }
}
