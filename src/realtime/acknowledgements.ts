// What the server has not answered yet, by the expected answer and by the event an error would name. Called by the
// session.

/** What `Acknowledgements` needs. */
export interface AcknowledgementParts {
  /** How long the server may take, in milliseconds. */
  readonly startTimer: (then: () => void) => unknown;
  readonly stopTimer: (timer: unknown) => void;
  /** Whether the event still waits to be sent. */
  readonly isUnsent: (eventId: string) => boolean;
  /** The socket has not taken everything yet. */
  readonly isSending: () => boolean;
  /** The error for an event that was never answered. */
  readonly unanswered: () => unknown;
}

/**
 * The outcome: no error if the answer came. `isRefused`: the server does not have it; otherwise an error means that
 * this is unknown.
 */
export type SettleAnswer = (error: unknown, isRefused: boolean) => void;

/** One open question. */
interface Waiting {
  readonly answer: string;
  readonly eventId: string;
  readonly settle: SettleAnswer;
  timer: unknown;
}

// For a large image on a slow connection: this many times the usual time while the socket has not taken everything.
const mostTries = 6;

/** Open questions, oldest first. */
export class Acknowledgements {
  readonly #parts: AcknowledgementParts;
  readonly #all = new Set<Waiting>();
  readonly #byAnswer = new Map<string, Waiting[]>();

  constructor(parts: AcknowledgementParts) {
    this.#parts = parts;
  }

  /** The event that has waited longest. */
  get oldest(): string | undefined {
    return this.#all.values().next().value?.eventId;
  }

  /** `settle` is called once. The caller decides how long to wait. */
  expect(answer: string, eventId: string, settle: SettleAnswer): void {
    this.#add({ answer, eventId, settle, timer: undefined });
  }

  /** Like `expect`, but settled with an error if the answer takes too long after the event was sent. */
  expectInTime(answer: string, eventId: string, settle: SettleAnswer): void {
    const waiting: Waiting = { answer, eventId, settle, timer: undefined };
    this.#add(waiting);
    this.#watch(waiting, 1);
  }

  /** The answer came: settles the oldest question that expects it. False if there is none. */
  settle(answer: string): boolean {
    return this.#end(this.#byAnswer.get(answer)?.[0], undefined, false);
  }

  /** The event was refused; `error` is undefined if that counts as success. False if no question waits for it. */
  refuse(eventId: string, error: unknown): boolean {
    return this.#end(
      [...this.#all].find((one) => one.eventId === eventId),
      error,
      true,
    );
  }

  /** No answer will come any more. */
  fail(error: unknown): void {
    for (const waiting of [...this.#all]) this.#end(waiting, error, false);
  }

  #add(one: Waiting): void {
    this.#all.add(one);
    const waiting = this.#byAnswer.get(one.answer);
    if (waiting === undefined) this.#byAnswer.set(one.answer, [one]);
    else waiting.push(one);
  }

  #watch(waiting: Waiting, attempt: number): void {
    const { startTimer, isUnsent, isSending, unanswered } = this.#parts;
    waiting.timer = startTimer(() => {
      if (isUnsent(waiting.eventId)) return this.#watch(waiting, 1);
      if (isSending() && attempt < mostTries) return this.#watch(waiting, attempt + 1);
      this.#end(waiting, unanswered(), false);
    });
  }

  #end(waiting: Waiting | undefined, error: unknown, isRefused: boolean): boolean {
    if (waiting === undefined || !this.#all.delete(waiting)) return false;
    const same = this.#byAnswer.get(waiting.answer) ?? [];
    same.splice(same.indexOf(waiting), 1);
    if (same.length === 0) this.#byAnswer.delete(waiting.answer);
    this.#parts.stopTimer(waiting.timer);
    waiting.settle(error, isRefused);
    return true;
  }
}
