// What the server still has to answer: by what it will say, and by the event an error would name. Called by the session.

/** One thing that waits. */
interface Waiting {
  readonly eventId: string;
  readonly settle: (error: unknown) => void;
}

/** Open questions, oldest first for each answer. */
export class Acknowledgements {
  readonly #byAnswer = new Map<string, Waiting[]>();
  readonly #byEvent = new Map<string, string>();

  /** The event that has waited longest. */
  get oldest(): string | undefined {
    return this.#byEvent.keys().next().value;
  }

  /** `settle` is called once: without an error when `answer` comes, with one when it never will. */
  expect(answer: string, eventId: string, settle: (error: unknown) => void): void {
    const waiting = this.#byAnswer.get(answer);
    if (waiting === undefined) this.#byAnswer.set(answer, [{ eventId, settle }]);
    else waiting.push({ eventId, settle });
    this.#byEvent.set(eventId, answer);
  }

  /** The answer came: whoever has waited longest for it is settled. False when nobody has. */
  settle(answer: string): boolean {
    return this.#end(answer, 0, undefined);
  }

  /** The event was refused; `error` undefined where that is as good as done. False when nobody waits for it. */
  refuse(eventId: string, error: unknown): boolean {
    const answer = this.#byEvent.get(eventId);
    if (answer === undefined) return false;
    const index = (this.#byAnswer.get(answer) ?? []).findIndex((one) => one.eventId === eventId);
    return this.#end(answer, index, error);
  }

  /** No answer will come any more. */
  fail(error: unknown): void {
    const all = [...this.#byAnswer.values()].flat();
    this.#byAnswer.clear();
    this.#byEvent.clear();
    for (const { settle } of all) settle(error);
  }

  #end(answer: string, index: number, error: unknown): boolean {
    const waiting = this.#byAnswer.get(answer);
    const one = waiting?.[index];
    if (waiting === undefined || one === undefined) return false;
    waiting.splice(index, 1);
    if (waiting.length === 0) this.#byAnswer.delete(answer);
    this.#byEvent.delete(one.eventId);
    one.settle(error);
    return true;
  }
}
