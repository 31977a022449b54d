// The actor `transcript`, beside an inspected turn: it does nothing but receive what the turn tells, so that every
// inspector shows it. The runtime makes it through an observer that has `showTranscript`.

import { createActor, type ActorLogic, type AnyActorRef, type EventObject, type Snapshot } from 'xstate';
import { isStreamEvent, type OperativeEvent } from '../contracts/events.ts';
import type { Inspect, InspectFunction, ShowTranscript } from '../contracts/inspect.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { JsonValue } from '../conversation/json.ts';
import { relay } from '../machines/relay.ts';
import { boundedJson } from './bounded-json.ts';

/**
 * Adds the transcript to what an inspector shows: an actor `transcript` that receives messages, steering, tool calls and
 * token counts as events, each in short. For `inspector.inspect` of @statelyai/inspect; ours have it.
 */
export function withTranscript(inspect: Inspect): InspectFunction {
  const tell = (event: unknown): void => (typeof inspect === 'function' ? inspect(event) : inspect.next?.(event));
  return Object.assign(tell, { showTranscript });
}

// How often a streamed text is shown.
const progressMs = 100;
// How many messages are shown of a transcript that is there already.
const shownMessages = 50;

/** Makes the actor; what the returned function is given it receives. */
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

/** What an inspector gets: in short as JSON, and at length for one that asks. */
class Shown {
  readonly #conversation: Conversation;
  readonly #told: object;

  constructor(conversation: Conversation, told: object) {
    this.#conversation = conversation;
    this.#told = told;
  }

  /** For an inspector that has bounds of its own. */
  atLength(): object {
    return { ...this.#told, messages: this.#conversation.messages.length };
  }

  /** Only how many messages there are. */
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

// A message is told when it is new; later events name it.
function toldOf(event: OperativeEvent): object {
  if (!('message' in event) || event.type === 'message.appended' || event.type === 'message.queued') return event;
  const { message, ...rest } = event;
  return { ...rest, messageId: message?.id };
}
