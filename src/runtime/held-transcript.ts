// The transcript of an operative: what it had before the operative knew it, what a reload puts in its place, and whether
// there is anything in it for a model to answer.

import type { Conversation } from '../conversation/conversation.ts';
import type { Message } from '../conversation/message.ts';
import { putContents } from '../services/transcript.ts';
import { makeValid, noteValid } from './claim.ts';

/** One conversation as its operative holds it. */
export class HeldTranscript {
  readonly conversation: Conversation;
  /** The id of a cut answer at the end of the transcript that no turn of this operative made. */
  #cutElsewhere: string | undefined;
  #storedIds: ReadonlySet<string> | undefined;

  constructor(conversation: Conversation) {
    this.conversation = conversation;
    this.#noteCut(conversation);
  }

  /** It had this id before the ledger knew it: a host may store a message before it submits it. */
  has(messageId: string): boolean {
    const { messages } = this.conversation;
    // Read once: what this operative accepts later is in its ledger, and by hand one can only append.
    this.#storedIds ??= new Set(messages.map(({ id }) => id));
    return this.#storedIds.has(messageId) || messages.at(-1)?.id === messageId;
  }

  /** Puts what a store gave in its place, repaired, and returns its ids. Throws on what is no conversation. */
  replace(loaded: unknown): ReadonlySet<string> {
    const contents = contentsOf(loaded);
    const scratch: Conversation = { system: contents.system, messages: [...contents.messages] };
    makeValid(scratch);
    const stored = new Set(scratch.messages.map(({ id }) => id));
    if (scratch.messages.at(-1)?.id !== this.conversation.messages.at(-1)?.id) this.#noteCut(scratch);
    putContents(this.conversation, scratch);
    noteValid(this.conversation);
    this.#storedIds = stored;
    return stored;
  }

  /**
   * A model has something to answer: a user or tool message at the end, or a cut answer that left messages unanswered.
   * `owes`: the ledger knows of such messages.
   */
  isAnswerable(owes: boolean): boolean {
    const last = lastSaid(this.conversation.messages);
    if (last === undefined) return false;
    if (last.role !== 'assistant') return true;
    return isCut(last) && (owes || last.id === this.#cutElsewhere);
  }

  /** Why there is nothing to answer; undefined where there is. */
  whyNothing(owes: boolean): string | undefined {
    if (this.isAnswerable(owes)) return undefined;
    const isEmpty = this.conversation.messages.length === 0;
    return isEmpty ? 'The transcript is empty.' : 'The last message is an answer already.';
  }

  // What a cut answer left unanswered is known to the operative whose turn was cut. From another one's transcript, as after
  // a restart, only the cut itself can be read: it is taken for something to answer.
  #noteCut({ messages }: Conversation): void {
    const last = lastSaid(messages);
    this.#cutElsewhere = isCut(last) ? last?.id : undefined;
  }
}

function contentsOf(loaded: unknown): Pick<Conversation, 'system' | 'messages'> {
  if (typeof loaded === 'object' && loaded !== null && 'messages' in loaded && Array.isArray(loaded.messages)) {
    const system = 'system' in loaded && Array.isArray(loaded.system) ? loaded.system : [];
    return { system, messages: loaded.messages };
  }
  throw new TypeError('it returned no conversation (an object with "system" and "messages" arrays)');
}

// A compaction is nothing that anybody said.
function lastSaid(messages: readonly Message[]): Message | undefined {
  return messages.findLast(({ content }) => content[0]?.type !== 'boundary');
}

function isCut(message: Message | undefined): boolean {
  return message?.role === 'assistant' && message.meta?.['cut'] !== undefined;
}
