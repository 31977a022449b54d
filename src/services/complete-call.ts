// Model calls that transformers make, besides the turn's own: same retries, watchdog, cancel and usage accounting.

import type { Completion, Model, ModelRequest } from '../contracts/model.ts';
import { callModel, cancelReason, type ModelCall } from './call-model.ts';
import { nextTry } from './retry.ts';
import type { TurnRecord } from './turn-record.ts';

/** This many late calls are rejected; the promises of further ones never settle. */
const mostLate = 100;

/** Calls under way, so that leaving the stage can end them. */
export class SideCalls {
  #isOver = false;
  #late = 0;
  readonly #live = new Set<() => void>();

  /** Ends what is under way: each call rejects with the cancel reason. */
  abandon(): void {
    this.#isOver = true;
    for (const leave of [...this.#live]) leave();
    this.#live.clear();
  }

  /** Rejects with the model's error once no attempt is left, or with the cancel reason. */
  complete(record: TurnRecord, request: ModelRequest, model: Model | undefined): Promise<Completion> {
    const completion = new Promise<Completion>((resolve, reject) => {
      // A transformer that retries in a loop would otherwise block the process.
      if (this.#isOver) return this.#late++ < mostLate ? reject(cancelReason) : undefined;
      const { host, idleTimeoutMs } = record.settings;
      const settings = {
        ...record.settings,
        models: model === undefined ? record.settings.models : ([model] as const),
      };
      let state = { settings, modelIndex: model === undefined ? record.modelIndex : 0, attempt: 0 };
      let call: ModelCall | undefined;
      let timer: unknown;
      const leave = () => {
        call?.abandon();
        host.clearTimeout(timer);
        reject(cancelReason);
      };
      const end = (settle: () => void) => {
        this.#live.delete(leave);
        settle();
      };
      // Nothing else would report a throw in a callback, such as that of a host that gives no id.
      const safely = (work: () => void) => {
        try {
          work();
        } catch (thrown) {
          end(() => reject(thrown));
        }
      };
      const attempt = () => {
        const target = settings.models[state.modelIndex] ?? settings.models[0];
        const messageId = host.createId('message');
        call = callModel(target, request, { host, idleTimeoutMs, messageId }, (outcome) =>
          safely(() => {
            record.count(outcome.fold.usage);
            if (outcome.kind === 'answered') {
              const completion = completionOf(outcome.fold);
              return end(() => resolve(completion));
            }
            const next = nextTry(state, outcome.error);
            if (next === undefined) return end(() => reject(outcome.error));
            state = { ...state, ...next };
            timer = host.setTimeout(() => safely(attempt), next.delayMs);
          }),
        );
      };
      this.#live.add(leave);
      safely(attempt);
    });
    // An abandoned transformer no longer awaits this: a rejection must not count as unhandled.
    completion.catch(() => undefined);
    return completion;
  }
}

/** A finished fold as a completion. */
export function completionOf(fold: ModelCall['fold']): Completion {
  const { stopReason, rawStopReason, usage } = fold;
  return {
    message: fold.message(),
    stopReason,
    ...(rawStopReason === undefined ? {} : { rawStopReason }),
    ...(usage === undefined ? {} : { usage }),
  };
}
