// What the server still has to answer: by what it will say, and by the event an error would name. Called by the session.

/** What the questions are made with. */
export interface AcknowledgementParts {
  /** For as long as the server may take. */
  readonly startTimer: (then: () => void) => unknown;
  readonly stopTimer: (timer: unknown) => void;
  /** The event still waits for its turn to be sent. */
  readonly isUnsent: (eventId: string) => boolean;
  /** The socket has not taken everything yet. */
  readonly isSending: () => boolean;
  /** What somebody hears whose event was never answered. */
  readonly unanswered: () => unknown;
}

/**
 * How it went: no error when the answer came. `isRefused`: the server does not have it; otherwise an error only says that
 * nobody knows.
 */
export type SettleAnswer = (error: unknown, isRefused: boolean) => void;

/** One thing that waits. */
interface Waiting {
  readonly answer: string;
  readonly eventId: string;
  readonly settle: SettleAnswer;
  timer: unknown;
}

// A large picture on a slow line: so many times its time, while the socket has not taken everything.
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

  /** `settle` is called once. How long to wait is the caller's business. */
  expect(answer: string, eventId: string, settle: SettleAnswer): void {
    this.#add({ answer, eventId, settle, timer: undefined });
  }

  /** As `expect`, and settled with an error when the answer takes too long from the moment in which the event is sent. */
  expectInTime(answer: string, eventId: string, settle: SettleAnswer): void {
    const waiting: Waiting = { answer, eventId, settle, timer: undefined };
    this.#add(waiting);
    this.#watch(waiting, 1);
  }

  /** The answer came: whoever has waited longest for it is settled. False when nobody has. */
  settle(answer: string): boolean {
    return this.#end(this.#byAnswer.get(answer)?.[0], undefined, false);
  }

  /** The event was refused; `error` undefined where that is as good as done. False when nobody waits for it. */
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
