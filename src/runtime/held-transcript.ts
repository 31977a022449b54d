// The transcript of an operative: which messages it holds, how a reload replaces it, and whether there is anything in
// it for a model to answer.

import { TurnchartError } from '../contracts/errors.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Message } from '../conversation/message.ts';
import { quote } from '../conversation/pairing.ts';
import { putContents } from '../services/transcript.ts';
import { beginsWith, hasEndsOf, letGo, makeValid, noteValid, releaseConversation } from './claim.ts';

/** One conversation as its operative holds it. */
export class HeldTranscript {
  readonly conversation: Conversation;
  /** The id of a cut answer at the end of the transcript that was not made by a turn of this operative. */
  #cutElsewhere: string | undefined;
  /** Messages in order and by id, as far as they were read: they are read only when an id is looked up. */
  readonly #read: Message[] = [];
  readonly #known = new Map<string, Message>();
  #isReleased = false;

  constructor(conversation: Conversation) {
    this.conversation = conversation;
    this.#noteCut(conversation);
  }

  /**
   * The message of this id, whoever put it there: a host may store a message before it submits it. None once released.
   */
  find(messageId: string): Message | undefined {
    if (this.#isReleased) return undefined; // nothing is accepted any more
    const { messages } = this.conversation;
    if (!beginsWith(messages, this.#read)) this.#forget();
    for (const message of messages.slice(this.#read.length)) {
      this.#read.push(message);
      this.#known.set(message?.id, message);
    }
    return this.#known.get(messageId);
  }

  /**
   * Keeps no message in memory that is gone from the transcript. Called when a turn or a compaction ends, so without a
   * walk: one that was replaced between others stays until the next turn looks at all of them.
   */
  tidy(): void {
    letGo(this.conversation, hasEndsOf);
    if (!hasEndsOf(this.conversation.messages, this.#read)) this.#forget();
  }

  /** Gives the claim back and keeps no message in memory. */
  release(): void {
    this.#isReleased = true;
    this.#forget();
    letGo(this.conversation, () => false);
    releaseConversation(this.conversation);
  }

  /**
   * Replaces the contents by what a store gave, repaired, and returns its ids. Throws if that is not a conversation.
   */
  replace(loaded: unknown): ReadonlySet<string> {
    const contents = contentsOf(loaded);
    const scratch: Conversation = { system: contents.system, messages: [...contents.messages] };
    makeValid(scratch);
    const stored = new Set(scratch.messages.map(({ id }) => id));
    if (scratch.messages.at(-1)?.id !== this.conversation.messages.at(-1)?.id) this.#noteCut(scratch);
    putContents(this.conversation, scratch);
    noteValid(this.conversation);
    this.#forget();
    return stored;
  }

  /**
   * A model has something to answer: a user or tool message at the end, or a cut answer that left messages unanswered.
   * `owes`: the ledger knows of such messages.
   */
  isAnswerable(owes: boolean): boolean {
    const last = lastSaid(this.conversation.messages);
    if (last === undefined) return false;
    if (last?.role !== 'assistant') return true; // by hand anything may be put there: the turn fails of it
    return isCut(last) && (owes || last.id === this.#cutElsewhere);
  }

  /** Why there is nothing to answer; undefined if there is something. */
  whyNothing(owes: boolean): string | undefined {
    if (this.isAnswerable(owes)) return undefined;
    const isEmpty = this.conversation.messages.length === 0;
    return isEmpty ? 'The transcript is empty.' : 'The last message is an answer already.';
  }

  #forget(): void {
    this.#known.clear();
    this.#read.length = 0;
  }

  // The operative whose turn was cut knows which messages the cut answer left unanswered. In a transcript of another
  // one, such as after a restart, only the cut itself can be seen: it counts as something to answer.
  #noteCut({ messages }: Conversation): void {
    const last = lastSaid(messages);
    this.#cutElsewhere = isCut(last) ? last?.id : undefined;
  }
}

/**
 * True if a submitted message is in the transcript already, given what was found there under its id. Throws
 * `message.invalid` if that is not a user message.
 */
export function isStored(found: Message | undefined): boolean {
  if (found === undefined || found.role === 'user') return found !== undefined;
  throw new TurnchartError(
    'message.invalid',
    `The message cannot be submitted: its id ${quote(found.id)} is that of a message of role "${found.role}" in the transcript. Give it another id.`,
  );
}

function contentsOf(loaded: unknown): Pick<Conversation, 'system' | 'messages'> {
  if (typeof loaded === 'object' && loaded !== null && 'messages' in loaded && Array.isArray(loaded.messages)) {
    const system = 'system' in loaded && Array.isArray(loaded.system) ? loaded.system : [];
    return { system, messages: loaded.messages };
  }
  throw new TypeError('it did not return a conversation (an object with "system" and "messages" arrays)');
}

// The boundary of a compaction is not something that was said.
function lastSaid(messages: readonly Message[]): Message | undefined {
  return messages.findLast((message) => message?.content?.[0]?.type !== 'boundary');
}

function isCut(message: Message | undefined): boolean {
  return message?.role === 'assistant' && message.meta?.['cut'] !== undefined;
}
