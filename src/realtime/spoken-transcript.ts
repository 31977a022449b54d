// What was said in a voice session as messages: the user's words, and the part of the model's answer that was heard.
// Called by the operative for each event; tools read it through their context.

import type { RealtimeEvent } from '../contracts/realtime.ts';
import { assistantMessage, userMessage, type Message } from '../conversation/message.ts';
import type { Conversation } from '../conversation/conversation.ts';

const mostPlaces = 256;

/** Where an item stands. */
interface Place {
  /** Undefined: it has no transcript, or nothing of it was heard. */
  message: Message | undefined;
  /** It was interrupted: only what was heard counts, whatever arrives later. */
  isCut: boolean;
  /** The model said it aloud. */
  isSpoken: boolean;
}

/** Appends to a conversation as transcripts become final. An item without words does not become a message. */
export class SpokenTranscript {
  readonly #conversation: Conversation;
  // In the order of the items: transcripts of the user's speech come late and belong before the answer.
  readonly #places = new Map<string, Place>();
  readonly #partial = new Map<string, string>();
  // Out-of-band answers: their text is for the program, the user does not hear it.
  readonly #beside = new Set<string>();

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  take(event: RealtimeEvent): void {
    switch (event.type) {
      case 'speech.committed':
        this.#placeOf(event.itemId); // its place is fixed when the speech ends, whichever transcript comes first
        return;
      case 'transcript.delta':
        if (event.role === 'assistant') this.#placeOf(event.itemId).isSpoken = true;
        if (event.final) this.#put(event.role, event.itemId, event.transcript ?? event.text);
        else this.#partial.set(event.itemId, (this.#partial.get(event.itemId) ?? '') + event.text);
        return;
      case 'text.delta': {
        if (this.#beside.has(event.responseId)) return;
        const text = (this.#partial.get(event.itemId) ?? '') + event.text;
        if (event.final) this.#put('assistant', event.itemId, text);
        else this.#partial.set(event.itemId, text);
        return;
      }
      case 'response.started':
        if (event.origin === 'outOfBand') this.#beside.add(event.responseId);
        return;
      case 'response.completed':
        this.#beside.delete(event.responseId);
        return;
      case 'response.interrupted':
        if (event.itemId !== undefined) this.#cut(event.itemId, event.heardText ?? '');
        this.#partial.clear();
        return;
      default:
    }
  }

  #put(role: 'user' | 'assistant', itemId: string, text: string): void {
    this.#partial.delete(itemId);
    if (text === '') return;
    const place = this.#placeOf(itemId);
    if (!place.isCut) this.#write(itemId, place, role, text);
  }

  // What the model said after it was still to be heard.
  #cut(itemId: string, heardText: string): void {
    const place = this.#placeOf(itemId);
    const unheard = this.#behind(itemId).filter(([, { isSpoken }]) => isSpoken);
    for (const [id, cut] of [[itemId, place] as const, ...unheard]) {
      cut.isCut = true;
      this.#write(id, cut, 'assistant', id === itemId ? heardText : '');
    }
  }

  #write(itemId: string, place: Place, role: 'user' | 'assistant', text: string): void {
    const { messages } = this.#conversation;
    const meta = { itemId, ...(place.isCut ? { cut: 'interrupted' } : {}) };
    const known = place.message;
    const index = known === undefined ? -1 : messages.lastIndexOf(known);
    if (known !== undefined && index < 0) return; // the program removed it
    if (text === '') place.message = undefined;
    else if (known !== undefined) place.message = { ...known, content: [{ type: 'text', text }], meta };
    else place.message = role === 'user' ? userMessage(text, { meta }) : assistantMessage(text, { meta });
    const written = place.message === undefined ? [] : [place.message];
    if (index < 0) messages.splice(this.#indexFor(itemId), 0, ...written);
    else messages.splice(index, 1, ...written);
  }

  #placeOf(itemId: string): Place {
    const known = this.#places.get(itemId);
    if (known !== undefined) return known;
    const place = { message: undefined, isCut: false, isSpoken: false };
    this.#places.set(itemId, place);
    const oldest = this.#places.keys().next();
    if (this.#places.size > mostPlaces && oldest.done !== true) this.#places.delete(oldest.value);
    return place;
  }

  // Before the first later item that has a message.
  #indexFor(itemId: string): number {
    const { messages } = this.#conversation;
    for (const [, { message }] of this.#behind(itemId)) {
      const index = message === undefined ? -1 : messages.lastIndexOf(message);
      if (index >= 0) return index;
    }
    return messages.length;
  }

  #behind(itemId: string): (readonly [string, Place])[] {
    const places = [...this.#places];
    return places.slice(places.findIndex(([id]) => id === itemId) + 1);
  }
}
