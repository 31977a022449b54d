// Invoked actors that do nothing until a test ends them, and a log of everything a chart does to the outside.

import type { ActorLogic, AnyActorRef, EventObject, Snapshot } from 'xstate';

type ScriptedSnapshot = Snapshot<unknown> & { readonly label: string };

/** What a chart did, in order: calls of its scope, services started, stopped and sent to. */
export class OutsideWorld {
  #log: string[] = [];
  readonly #live = new Map<string, { readonly label: string; readonly actor: AnyActorRef }>();

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
  end(id: string, how: { readonly output: unknown } | { readonly error: unknown }): boolean {
    const found = this.#live.get(id);
    found?.actor.send({ type: 'script.end', ...how });
    return found !== undefined;
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
        this.#live.set(self.id, { label, actor: self });
      },
      transition: (snapshot, event, { self }) => {
        const { label } = snapshot;
        if (event.type === 'script.end') {
          this.#live.delete(self.id);
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

  /** A scope whose every method only notes its name and its arguments, and returns its answer; `values` are no methods. */
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
