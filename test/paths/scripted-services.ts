// Invoked actors that do nothing until a test ends them, and a log of everything a chart does to the outside.

import type { ActorLogic, EventObject, Snapshot } from 'xstate';
import { serviceLogic } from '../../src/machines/service.ts';

type ScriptedSnapshot = Snapshot<unknown> & { readonly label: string };

type Outcome = { readonly output: unknown } | { readonly error: unknown };

/** What a chart did, in order: calls of its scope, services started, stopped and sent to. */
export class OutsideWorld {
  #log: string[] = [];
  readonly #live = new Map<string, { readonly label: string; readonly end: (how: Outcome) => void }>();

  /** Services that were started and neither ended nor stopped. */
  get live(): readonly string[] {
    return [...this.#live.values()].map(({ label }) => label).toSorted();
  }

  note(line: string): void {
    this.#log.push(line);
  }

  takeLog(): readonly string[] {
    return this.#log.splice(0);
  }

  /** Ends a live service from within; false when none of that id lives. */
  end(id: string, how: Outcome): boolean {
    const found = this.#live.get(id);
    this.#live.delete(id);
    found?.end(how);
    return found !== undefined;
  }

  /** As `service`, for running without an actor: such a service does not know its id. */
  bareService(idOf: (input: unknown) => string, labelOf: (id: string, input: unknown) => string) {
    return serviceLogic<unknown, unknown>((input, actor) => {
      const id = idOf(input);
      const label = labelOf(id, input);
      this.note(`start ${label}`);
      this.#live.set(id, {
        label,
        // Only beginning can break a bare service, so what it would tell the chart then is told here.
        end: (how) =>
          'error' in how
            ? actor.report({ type: `xstate.error.actor.${id}`, error: how.error })
            : actor.settle(how.output),
      });
      return () => {
        if (this.#live.delete(id)) this.note(`stop ${label}`);
      };
    });
  }

  /** Logic of one service. `labelOf` shows what it was started with. */
  service(labelOf: (id: string, input: unknown) => string): ActorLogic<ScriptedSnapshot, EventObject, unknown> {
    return {
      getInitialSnapshot: ({ self }, input) => ({
        status: 'active',
        output: undefined,
        error: undefined,
        label: labelOf(self.id, input),
      }),
      start: ({ label }, { self }) => {
        this.note(`start ${label}`);
        this.#live.set(self.id, { label, end: (how) => self.send({ type: 'script.end', ...how }) });
      },
      transition: (snapshot, event, { self }) => {
        const { label } = snapshot;
        if (event.type === 'script.end') {
          const ended = event as EventObject & { readonly output?: unknown; readonly error?: unknown };
          return 'error' in ended
            ? { status: 'error', output: undefined, error: ended.error, label }
            : { status: 'done', output: ended.output, error: undefined, label };
        }
        if (event.type === 'xstate.stop') {
          this.note(`stop ${label}`);
          this.#live.delete(self.id);
          return { status: 'stopped', output: undefined, error: undefined, label };
        }
        const { type, ...rest } = event;
        this.note(`${label} gets ${type}${Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`}`);
        return snapshot;
      },
      getPersistedSnapshot: (snapshot) => snapshot,
    };
  }

  /**
   * A scope whose every method only notes its name and its arguments, and returns its answer; `values` are not methods.
   */
  scope<Scope extends object>(
    answers: Readonly<Record<string, unknown>> = {},
    values: Readonly<Record<string, unknown>> = {},
  ): Scope {
    const note = (line: string) => this.note(line);
    return new Proxy(
      {},
      {
        get: (_target, name) => {
          if (typeof name !== 'string') return undefined;
          if (name === 'toJSON') return () => null;
          if (name in values) return values[name];
          return (...given: unknown[]) => {
            note([name, ...given.filter((one) => one !== undefined).map(shown)].join(' '));
            return answers[name];
          };
        },
      },
    ) as Scope; // whatever a chart calls on it is noted
  }
}

function shown(value: unknown): string {
  if (value instanceof Error) return value.message;
  if (typeof value !== 'object' || value === null) return String(value);
  return 'name' in value ? String(value.name) : JSON.stringify(value);
}
