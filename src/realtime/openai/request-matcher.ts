// Which `response.create` an answer belongs to. OpenAI echoes the metadata we send along; servers that imitate it often do
// not, and then order has to do: a server answers by itself only after it has taken the user's speech in. One a link,
// told by the link what is sent and by the decoder what comes.

import { recordOf, textAt, type JsonRecord } from '../../adapters/json-reading.ts';
import { requestIdKey } from './encode-command.ts';

/** Remembers what was asked and not answered yet. */
export class RequestMatcher {
  readonly #asked = new Set<string>();
  #ownCommits = 0;
  #isServersTurn = false;
  #serverAnswers = true;

  /** A `response.create` goes out. */
  asked(eventId: string): void {
    this.#asked.add(eventId);
  }

  /** It was refused. `isRequest`: only a request can be meant, also where none is named: the oldest then. */
  refused(eventId: string | undefined, isRequest = false): void {
    const [oldest] = this.#asked;
    const meant = eventId ?? (isRequest ? oldest : undefined);
    if (meant !== undefined) this.#asked.delete(meant);
  }

  /** A commit of ours goes out: no speech the server found, so nothing it answers by itself. */
  committing(): void {
    this.#ownCommits++;
  }

  /** The server took audio in. */
  committed(): void {
    if (this.#ownCommits > 0) this.#ownCommits--;
    else this.#isServersTurn = this.#serverAnswers;
  }

  /** The server will speak up after a silence. */
  waited(): void {
    this.#isServersTurn = true;
  }

  /** Whether the server answers by itself. */
  configured(createsResponse: boolean | undefined): void {
    this.#serverAnswers = createsResponse ?? this.#serverAnswers;
    if (!this.#serverAnswers) this.#isServersTurn = false;
  }

  /** The request that this answer, just begun, belongs to; undefined for one of the server's own. */
  match(response: JsonRecord): string | undefined {
    const echoed = textAt(recordOf(response['metadata']), requestIdKey);
    if (echoed !== undefined) {
      this.#asked.delete(echoed);
      return echoed;
    }
    if (this.#isServersTurn) {
      this.#isServersTurn = false;
      return undefined;
    }
    const [oldest] = this.#asked;
    if (oldest !== undefined) this.#asked.delete(oldest);
    return oldest;
  }
}
