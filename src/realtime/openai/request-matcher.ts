// Which `response.create` an answer belongs to. OpenAI echoes the metadata we send; compatible servers often do not,
// and then the order decides: a server answers by itself only after it has committed the user's speech. One per link;
// the link reports what is sent, the decoder what arrives.

import { recordOf, textAt, type JsonRecord } from '../../adapters/json-reading.ts';
import { requestIdKey } from './encode-command.ts';

/** Remembers the requests that were not answered yet. */
export class RequestMatcher {
  // Oldest first, with whether each is out-of-band.
  readonly #asked = new Map<string, boolean>();
  readonly #ownCommits = new Set<string>();
  #isServersTurn = false;
  #serverAnswers = true;

  /**
   * A `response.create` is sent. A session requests one answer in the conversation at a time: a previous request that
   * was never answered was given up.
   */
  asked(eventId: string, isBeside = false): void {
    if (!isBeside) for (const [other, wasBeside] of this.#asked) if (!wasBeside) this.#asked.delete(other);
    this.#asked.set(eventId, isBeside);
  }

  /** It was refused. `isRequest`: a request must be meant; if none is named, the oldest. */
  refused(eventId: string | undefined, isRequest = false): void {
    const [oldest] = this.#asked.keys();
    const meant = eventId ?? (isRequest ? oldest : undefined);
    if (meant === undefined) return;
    this.#asked.delete(meant);
    this.#ownCommits.delete(meant);
  }

  /** Our own commit is sent: the server did not detect this speech, so it does not answer it by itself. */
  committing(eventId: string): void {
    this.#ownCommits.add(eventId);
  }

  /** The server has committed audio. */
  committed(): void {
    const [own] = this.#ownCommits;
    if (own === undefined) this.#isServersTurn = this.#serverAnswers;
    else this.#ownCommits.delete(own);
  }

  /** The server will speak after a silence. */
  waited(): void {
    this.#isServersTurn = true;
  }

  /** Whether the server answers by itself. */
  configured(createsResponse: boolean | undefined): void {
    this.#serverAnswers = createsResponse ?? this.#serverAnswers;
    if (!this.#serverAnswers) this.#isServersTurn = false;
  }

  /** The request of an answer that has just begun; undefined if the server started it. */
  match(response: JsonRecord): string | undefined {
    const echoed = textAt(recordOf(response['metadata']), requestIdKey);
    if (echoed !== undefined) {
      this.#asked.delete(echoed);
      return echoed;
    }
    // Null: out-of-band. Some servers do not report it.
    const conversation = response['conversation_id'];
    if (this.#isServersTurn && conversation !== null) {
      this.#isServersTurn = false;
      return undefined;
    }
    const fits = (isBeside: boolean): boolean => conversation === undefined || isBeside === (conversation === null);
    const [meant] = [...this.#asked].find(([, isBeside]) => fits(isBeside)) ?? [];
    if (meant !== undefined) this.#asked.delete(meant);
    return meant;
  }
}
