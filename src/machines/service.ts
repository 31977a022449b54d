// The shape of every invoked service: actor logic that begins work when started and settles once, synchronously, with
// facts.

import type { ActorLogic, EventObject, Snapshot } from 'xstate';
import { relay } from './relay.ts';

/** A service actor's snapshot. The work itself lives outside it: the snapshot shows only the outcome. */
export type ServiceSnapshot<Facts> = Snapshot<Facts> & { readonly work: ServiceWork };

/** What an inspector must not serialise: the input, and the way to stop. */
interface ServiceWork {
  readonly input: unknown;
  stop: (() => void) | undefined;
  isStopped: boolean;
  readonly toJSON: () => string;
}

/** What a service's own mailbox takes: the settlement it sends itself, and XState's stop. */
export type ServiceEvent<Facts> =
  | { readonly type: 'service.settled'; readonly facts: Facts }
  | { readonly type: 'service.failed'; readonly error: unknown }
  | { readonly type: 'xstate.stop' };

/** What running work can do to its actor. */
export interface ServiceActor<Facts> {
  /** Ends the actor with facts; the chart moves before this returns, unless it is in a step already. Call it once. */
  settle(facts: Facts): void;
  /** Ends the actor with an error: the invoke's `onError`. For what may throw after `begin` has returned. */
  fail(error: unknown): void;
  /** Sends an event to the chart that invoked the service. */
  report<Event extends EventObject>(event: Event): void;
  /** The actor itself, as a parent for flat actors. */
  readonly self: unknown;
}

/** Begins the work; the returned function abandons it and is called at most once, never after it has settled. */
export type BeginWork<Input, Facts> = (input: Input, actor: ServiceActor<Facts>) => (() => void) | undefined;

/** What an inspector shows of a service. */
export interface ServiceConfig {
  readonly id: string;
  readonly description: string;
}

/** Actor logic of a service, with the function it was made from. */
export type ServiceLogic<Input, Facts> = ActorLogic<ServiceSnapshot<Facts>, ServiceEvent<Facts>, Input> & {
  readonly begin: BeginWork<Input, Facts>;
  readonly config?: ServiceConfig;
};

/**
 * Makes actor logic from a function. Unlike a promise it settles in the same tick as the fact it reports, so that the
 * facts still hold when the chart acts on them. A throw in `begin` becomes the invoke's `onError`.
 */
export function serviceLogic<Input, Facts>(
  begin: BeginWork<Input, Facts>,
  config?: ServiceConfig,
): ServiceLogic<Input, Facts> {
  return {
    ...(config === undefined ? {} : { config }),
    begin,
    getInitialSnapshot: (_scope, input) => ({
      status: 'active',
      output: undefined,
      error: undefined,
      work: { input, stop: undefined, isStopped: false, toJSON: () => 'work' },
    }),
    start: (snapshot, { self }) => {
      snapshot.work.stop = begin(snapshot.work.input as Input, {
        settle: (facts) => {
          // A listener of the service's last event may have made the chart leave this service.
          if (!snapshot.work.isStopped) relay(self, self, { type: 'service.settled', facts });
        },
        fail: (error) => {
          if (!snapshot.work.isStopped) relay(self, self, { type: 'service.failed', error });
        },
        report: (event) => {
          if (self._parent !== undefined) relay(self, self._parent, event);
        },
        self,
      });
    },
    transition: (snapshot, event) => {
      switch (event.type) {
        case 'service.settled':
          return { status: 'done', output: event.facts, error: undefined, work: snapshot.work };
        case 'service.failed':
          return { status: 'error', output: undefined, error: event.error, work: snapshot.work };
        case 'xstate.stop':
          snapshot.work.isStopped = true;
          snapshot.work.stop?.();
          return { status: 'stopped', output: undefined, error: undefined, work: snapshot.work };
        default:
          return snapshot; // a flat child's done event, which changes nothing here
      }
    },
    getPersistedSnapshot: (snapshot) => snapshot,
  };
}

/**
 * A service that runs without an actor: the same function, the same events to the chart, a fraction of the cost. Used
 * when nobody inspects; a turn starts two services per iteration.
 */
export class BareService implements ServiceActor<unknown> {
  /** Only a service that is an actor can be the parent of one. */
  readonly self = undefined;
  /** It has reported its end: there is nothing left to stop. */
  hasSettled = false;
  readonly #begin: BeginWork<unknown, unknown>;
  readonly #input: unknown;
  readonly #id: string;
  readonly #chart: { send(event: EventObject): void };
  #stop: (() => void) | undefined;
  #isStopped = false;

  constructor(
    begin: BeginWork<unknown, unknown>,
    id: string,
    input: unknown,
    chart: { send(event: EventObject): void },
  ) {
    this.#begin = begin;
    this.#id = id;
    this.#input = input;
    this.#chart = chart;
  }

  start(): void {
    if (this.#isStopped) return;
    try {
      this.#stop = this.#begin(this.#input, this);
    } catch (error) {
      return this.fail(error);
    }
    if (this.#isStopped) this.#stop?.(); // the chart left it while it was starting
  }

  settle(output: unknown): void {
    this.#tell({ type: `xstate.done.actor.${this.#id}`, output, actorId: this.#id });
  }

  fail(error: unknown): void {
    this.#tell({ type: `xstate.error.actor.${this.#id}`, error, actorId: this.#id });
  }

  report<Event extends EventObject>(event: Event): void {
    if (!this.hasSettled && !this.#isStopped) this.#chart.send(event);
  }

  stop(): void {
    if (this.hasSettled || this.#isStopped) return;
    this.#isStopped = true;
    this.#stop?.();
  }

  #tell<Event extends EventObject>(event: Event): void {
    if (this.hasSettled || this.#isStopped) return;
    this.hasSettled = true;
    this.#chart.send(event);
  }
}

/** A typed stand-in for a service that `.provide()` has to replace: it fails when started. */
export function serviceStub<Input, Facts>(name: string): ServiceLogic<Input, Facts> {
  return serviceLogic(() => {
    throw new Error(`The service "${name}" is not provided: give it with .provide({ actors: { ${name} } }).`);
  });
}
