// An operative as actor logic, for a host machine to invoke or spawn.

import { fromCallback, type CallbackActorLogic, type EventObject } from 'xstate';
import type { Engine } from '../contracts/engine.ts';
import { TurnchartError } from '../contracts/errors.ts';
import type { OperativeEvent } from '../contracts/events.ts';
import type { OperativeOptions, SubmitPolicy } from '../contracts/operative.ts';
import type { Message } from '../conversation/message.ts';
import { createOperative } from '../runtime/operative.ts';

/** The events the actor receives. */
export type OperativeLogicEvent<TurnContext = unknown> =
  | {
      readonly type: 'message.submit';
      readonly message: string | Message;
      readonly policy?: SubmitPolicy;
      readonly turnContext?: TurnContext;
    }
  | { readonly type: 'message.withdraw'; readonly messageId: string }
  | { readonly type: 'turn.resume'; readonly turnContext?: TurnContext }
  | { readonly type: 'turn.cancel'; readonly graceMs?: number }
  | { readonly type: 'operative.close' };

/** The actor's input: an operative's options without the engine. */
export type OperativeLogicInput<TurnContext = unknown> = Omit<OperativeOptions<TurnContext>, 'engine'>;

/**
 * What the actor emits: the milestones of a conversation, never the pieces of a stream. `operative.refused` answers an
 * event that could not be carried out: an invalid message, one that was rejected (`conversation.busy`,
 * `operative.closed`), or a resume after close.
 */
export type OperativeEmitted =
  | Milestone
  | { readonly type: 'operative.refused'; readonly event: string; readonly error: unknown };

type Milestone = Extract<
  OperativeEvent,
  {
    readonly type:
      | 'turn.started'
      | 'message.injected'
      | 'message.queued'
      | 'assistant.settled'
      | 'turn.completed'
      | 'operative.closed';
  }
>;

const milestones: ReadonlySet<string> = new Set([
  'turn.started',
  'message.injected',
  'message.queued',
  'assistant.settled',
  'turn.completed',
  'operative.closed',
] satisfies Milestone['type'][]);

/** How the actor communicates with the machine around it. */
export interface OperativeLogicOptions {
  /**
   * True: everything emitted is also sent to the machine that invoked or spawned the actor, which can then react with
   * `on: { 'turn.completed': … }`. Default false: it is only emitted, for `actor.on(…)`.
   */
  readonly tellParent?: boolean;
}

/**
 * Actor logic that owns an operative: send it commands as events and listen to what it emits. Stopping the actor closes
 * the operative. If the conversation is in use, the actor fails (`onError` of the invoke).
 */
export function operativeLogic<TurnContext = unknown>(
  engine: Engine<TurnContext> | (() => Engine<TurnContext>),
  { tellParent = false }: OperativeLogicOptions = {},
): CallbackActorLogic<OperativeLogicEvent<TurnContext>, OperativeLogicInput<TurnContext>, OperativeEmitted> {
  return fromCallback<OperativeLogicEvent<TurnContext>, OperativeLogicInput<TurnContext>, OperativeEmitted>(
    ({ input, receive, emit, sendBack }) => {
      const operative = createOperative<TurnContext>({ ...input, engine });
      const tell = (event: OperativeEmitted): void => {
        emit(event);
        if (tellParent) sendBack(event);
      };
      operative.subscribe((event) => {
        if (isMilestone(event)) tell(event);
      });
      receive((event) => {
        handle(event).catch((error: unknown) => tell({ type: 'operative.refused', event: event.type, error }));
      });
      return () => void operative.close().catch(() => undefined); // a broken operative has ended

      async function handle(event: OperativeLogicEvent<TurnContext> | EventObject): Promise<void> {
        const call = event as OperativeLogicEvent<TurnContext>; // XState types what is received as any event
        switch (call.type) {
          case 'message.submit': {
            const { message, policy, turnContext } = call;
            const submitted = await operative.submit(message, {
              ...(policy === undefined ? {} : { policy }),
              ...(turnContext === undefined ? {} : { turnContext }),
            });
            if (submitted.outcome === 'rejected') throw refusals[submitted.why]();
            return;
          }
          case 'message.withdraw':
            operative.withdraw(call.messageId);
            return;
          case 'turn.resume':
            await operative.resume(call.turnContext === undefined ? {} : { turnContext: call.turnContext });
            return;
          case 'turn.cancel':
            await operative.cancel(call.graceMs === undefined ? {} : { graceMs: call.graceMs });
            return;
          case 'operative.close':
            await operative.close();
        }
      }
    },
  );
}

const refusals = {
  busy: () =>
    new TurnchartError(
      'conversation.busy',
      'The message was rejected: a turn is running and its policy is "reject". Send it again when the turn has ended, or with another policy.',
    ),
  closed: () =>
    new TurnchartError(
      'operative.closed',
      'The message was rejected: the operative is closed. Start another actor on its conversation.',
    ),
};

function isMilestone(event: OperativeEvent): event is Milestone {
  return milestones.has(event.type);
}
