// What was said in a voice session as messages: what the user said, and what of the model's answer was heard. Called by the
// operative for each event; tools read it through their context.

import type { RealtimeEvent } from '../contracts/realtime.ts';
import { assistantMessage, userMessage, type Message } from '../conversation/message.ts';
import type { Conversation } from '../conversation/conversation.ts';

const mostPlaces = 256;

/** Appends to a conversation as transcripts become final. */
export class SpokenTranscript {
  readonly #conversation: Conversation;
  // Item ids behind messages: transcripts of the user's speech come late and belong before the answer.
  readonly #places = new Map<string, Message>();
  readonly #partial = new Map<string, string>();

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  take(event: RealtimeEvent): void {
    switch (event.type) {
      case 'speech.committed':
        this.#reserve(event.itemId);
        return;
      case 'transcript.delta':
        if (event.final) this.#put(event.role, event.itemId, event.transcript ?? event.text);
        else this.#partial.set(event.itemId, (this.#partial.get(event.itemId) ?? '') + event.text);
        return;
      case 'text.delta': {
        const text = (this.#partial.get(event.itemId) ?? '') + event.text;
        if (event.final) this.#put('assistant', event.itemId, text);
        else this.#partial.set(event.itemId, text);
        return;
      }
      case 'response.interrupted':
        if (event.itemId !== undefined) this.#cut(event.itemId, event.heardText ?? '');
        this.#partial.clear();
        return;
      default:
    }
  }

  // The user's turn has its place from the moment it is over, whatever is written down first.
  #reserve(itemId: string): void {
    this.#remember(itemId, userMessage([], { meta: { itemId } }));
  }

  #put(role: 'user' | 'assistant', itemId: string, text: string): void {
    this.#partial.delete(itemId);
    if (text === '') return;
    const known = this.#places.get(itemId);
    const meta = { itemId };
    if (known === undefined) {
      this.#remember(itemId, role === 'user' ? userMessage(text, { meta }) : assistantMessage(text, { meta }));
    } else if (known.meta?.['cut'] === undefined) {
      this.#replace(itemId, known, { ...known, content: [{ type: 'text', text }] });
    }
  }

  #cut(itemId: string, heardText: string): void {
    const known = this.#places.get(itemId);
    const meta = { itemId, cut: 'interrupted' };
    if (known === undefined) this.#remember(itemId, assistantMessage(heardText, { meta }));
    else this.#replace(itemId, known, { ...known, content: [{ type: 'text', text: heardText }], meta });
  }

  #remember(itemId: string, message: Message): void {
    if (this.#places.has(itemId)) return;
    this.#conversation.messages.push(message);
    this.#places.set(itemId, message);
    if (this.#places.size <= mostPlaces) return;
    const oldest = this.#places.keys().next();
    if (oldest.done !== true) this.#places.delete(oldest.value);
  }

  #replace(itemId: string, known: Message, message: Message): void {
    const index = this.#conversation.messages.lastIndexOf(known);
    if (index < 0) return;
    this.#conversation.messages[index] = message;
    this.#places.set(itemId, message);
  }
}
