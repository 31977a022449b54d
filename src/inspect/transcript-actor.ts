// The actor `transcript`, next to an inspected turn: it only receives the turn's events, so that every inspector shows
// them. The runtime creates it if the observer has `showTranscript`.

import { createActor, type ActorLogic, type AnyActorRef, type EventObject, type Snapshot } from 'xstate';
import { isStreamEvent, type OperativeEvent } from '../contracts/events.ts';
import type { Inspect, InspectFunction, ShowTranscript } from '../contracts/inspect.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { JsonValue } from '../conversation/json.ts';
import { relay } from '../machines/relay.ts';
import { boundedJson } from './bounded-json.ts';

/**
 * Adds the transcript to an inspector: an actor `transcript` that receives messages, steering, tool calls and token
 * counts as short events. For `inspector.inspect` of @statelyai/inspect; ours already have it.
 */
export function withTranscript(inspect: Inspect): InspectFunction {
  const tell = (event: unknown): void => (typeof inspect === 'function' ? inspect(event) : inspect.next?.(event));
  return Object.assign(tell, { showTranscript });
}

// How often a streamed text is shown.
const progressMs = 100;
// How many messages of an existing transcript are shown.
const shownMessages = 50;

/** Makes the actor, and returns a function that passes it events. */
const showTranscript: ShowTranscript = ({ parent: given, conversation, now }) => {
  const parent = given as AnyActorRef; // the contract keeps XState's types out
  const last = () => ({ last: conversation.messages.slice(-shownMessages) });
  const actor = createActor(logic, { id: 'transcript', parent, input: new Shown(conversation, last()) }).start();
  let streamed = '';
  let usage: OperativeEvent | undefined;
  let shownAt = -Infinity;
  const tell = (type: string, told: object) => {
    streamed = '';
    const { turn = parent } = (parent.getSnapshot() as { children: { turn?: AnyActorRef } }).children;
    relay(turn, actor, new ShownEvent(conversation, type, told));
  };
  return (event) => {
    if (!isStreamEvent(event)) {
      if (event.type === 'assistant.settled' && usage !== undefined) {
        tell('usage', usage);
        usage = undefined;
      }
      const isOther = event.type === 'transcript.replaced' || event.type === 'turn.reloaded';
      return tell(event.type, isOther ? { ...event, ...last() } : toldOf(event));
    }
    if (event.type === 'usage') usage = event; // a running total: the last one counts
    if (event.type !== 'text.delta') return;
    streamed += event.text;
    const at = now();
    if (at - shownAt < progressMs) return;
    shownAt = at;
    tell('message.streaming', { text: streamed });
  };
};

/** What an inspector gets: a short form as JSON, the full form on request. */
class Shown {
  readonly #conversation: Conversation;
  readonly #told: object;

  constructor(conversation: Conversation, told: object) {
    this.#conversation = conversation;
    this.#told = told;
  }

  /** For an inspector with its own bounds. */
  atLength(): object {
    return { ...this.#told, messages: this.#conversation.messages.length };
  }

  /** Only the number of messages. */
  briefly(): Shown {
    return new Shown(this.#conversation, {});
  }

  toJSON(): JsonValue {
    return boundedJson(this.atLength());
  }
}

class ShownEvent extends Shown implements EventObject {
  readonly type: string;

  constructor(conversation: Conversation, type: string, told: object) {
    super(conversation, { ...told, type });
    this.type = type;
  }
}

type TranscriptSnapshot = Snapshot<undefined> & { readonly context: Shown };

const logic: ActorLogic<TranscriptSnapshot, EventObject, Shown> & { readonly config: object } = {
  config: { id: 'transcript', description: 'What happens to the transcript; it only listens.' },
  getInitialSnapshot: (_scope, input) => ({
    status: 'active',
    context: input.briefly(),
    output: undefined,
    error: undefined,
  }),
  transition: (snapshot) => snapshot,
  getPersistedSnapshot: (snapshot) => snapshot,
};

// A message is shown once, when it is new; later events name it.
function toldOf(event: OperativeEvent): object {
  if (!('message' in event) || event.type === 'message.appended' || event.type === 'message.queued') return event;
  const { message, ...rest } = event;
  return { ...rest, messageId: message?.id };
}
