// Which `response.create` an answer belongs to. OpenAI echoes the metadata we send along; servers that imitate it often do
// not, and then order has to do: a server answers by itself only after it has taken the user's speech in. One a link,
// told by the link what is sent and by the decoder what comes.

import { recordOf, textAt, type JsonRecord } from '../../adapters/json-reading.ts';
import { requestIdKey } from './encode-command.ts';

/** Remembers what was asked and not answered yet. */
export class RequestMatcher {
  // Oldest first; whether each is for an answer beside the conversation.
  readonly #asked = new Map<string, boolean>();
  readonly #ownCommits = new Set<string>();
  #isServersTurn = false;
  #serverAnswers = true;

  /**
   * A `response.create` goes out. A session asks for one answer in the conversation at a time: the one before, where it was
   * never answered, was given up, and no answer is its any more.
   */
  asked(eventId: string, isBeside = false): void {
    if (!isBeside) for (const [other, wasBeside] of this.#asked) if (!wasBeside) this.#asked.delete(other);
    this.#asked.set(eventId, isBeside);
  }

  /** It was refused. `isRequest`: only a request can be meant, also where none is named: the oldest then. */
  refused(eventId: string | undefined, isRequest = false): void {
    const [oldest] = this.#asked.keys();
    const meant = eventId ?? (isRequest ? oldest : undefined);
    if (meant === undefined) return;
    this.#asked.delete(meant);
    this.#ownCommits.delete(meant);
  }

  /** A commit of ours goes out: no speech the server found, so nothing it answers by itself. */
  committing(eventId: string): void {
    this.#ownCommits.add(eventId);
  }

  /** The server took audio in. */
  committed(): void {
    const [own] = this.#ownCommits;
    if (own === undefined) this.#isServersTurn = this.#serverAnswers;
    else this.#ownCommits.delete(own);
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
    // Null: beside the conversation. Some servers say nothing of it.
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
