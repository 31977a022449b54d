// Ctrl-C and termination signals: the first one cancels, the second one exits. Called by main.ts.

import type { EventEmitter } from 'node:events';

/** Exit codes by signal, like those of shells: 128 plus the signal's number. */
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/** What to do about interrupts. */
export interface InterruptHandlers {
  /** Called at the first signal. */
  readonly cancel: (exitCode: number) => void;
  /** Called at each further one. */
  readonly leave: (exitCode: number) => void;
}

/** Listens until the process ends. `source` emits signals by name; default: the process. */
export function listenForInterrupts({ cancel, leave }: InterruptHandlers, source: EventEmitter = process): void {
  let interrupted = false;
  for (const [signal, exitCode] of Object.entries(exitCodes)) {
    source.on(signal, () => {
      if (interrupted) leave(exitCode);
      else cancel(exitCode);
      interrupted = true;
    });
  }
}
