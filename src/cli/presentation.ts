// Shows steps in order, and shows a stored fact only after it is on the disk. Chat and one-shot mode pass every event
// through it.

import type { OperativeEvent } from '../index.ts';

/** An ordered queue to the screen. */
export interface Presentation {
  /** Shows the step after all earlier ones. */
  readonly show: (step: () => void, when?: ShowWhen) => void;
  /** Resolves when everything so far has been shown. Never rejects. */
  readonly shown: () => Promise<void>;
}

/** What a step, and everything after it, waits for. */
export interface ShowWhen {
  /** It shows something that a session stores: it waits for the disk, but not for long. */
  readonly isRecord?: boolean;
  /** Must settle, without rejecting. */
  readonly after?: Promise<unknown>;
}

/** Whether the event reports something that a session stores. */
export function isRecord({ type }: OperativeEvent): boolean {
  return records.has(type);
}

const records: ReadonlySet<OperativeEvent['type']> = new Set<OperativeEvent['type']>([
  'turn.started', // with the message that started it
  'message.appended',
  'message.injected',
  'message.queued',
  'toolCall.settled',
  'turn.completed',
]);

/** Longest wait for the disk, in milliseconds: a stalled disk must not block the screen forever. */
const patienceMs = 1_000;

/** `saved` resolves when everything so far is stored; without it nothing waits for the disk. */
export function createPresentation(saved?: () => Promise<void>): Presentation {
  const steps: { readonly step: () => void; readonly waits: Promise<unknown> | undefined }[] = [];
  let pump: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    for (let next = steps[0]; next !== undefined; next = steps[0]) {
      if (next.waits !== undefined) await next.waits;
      steps.shift();
      next.step();
    }
    pump = undefined;
  };

  return {
    show(step, { isRecord = false, after } = {}) {
      const stored = isRecord && saved !== undefined ? bounded(saved()) : undefined;
      const waits = stored === undefined ? after : after === undefined ? stored : Promise.all([stored, after]);
      if (waits === undefined && pump === undefined) return step();
      steps.push({ step, waits });
      pump ??= run();
    },
    shown: async () => {
      while (pump !== undefined) await pump;
    },
  };
}

async function bounded(wait: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patienceMs);
  });
  await Promise.race([wait, patience]);
  clearTimeout(timer);
}
