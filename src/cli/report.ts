// Two ways to report a turn while it runs: text for people, JSON lines for programs. main.ts picks one.

import type { EngineEvent } from '../index.ts';
import { noProgress, progressAfter, statusLine } from './progress.ts';
import { createRender } from './render.ts';
import { createScreen } from './terminal/screen.ts';

/** Gets every event of a turn, in order, then the end. */
export interface Reporter {
  readonly report: (event: EngineEvent) => void;
  /** Takes away what is not meant to stay, and stops timers. */
  readonly end: () => void;
}

/** One event a line as JSON; errors as their `toJSON` says. */
export function jsonReporter(write: (text: string) => void): Reporter {
  return { report: (event) => write(`${JSON.stringify(event)}\n`), end: () => {} };
}

/** Where text goes. */
export interface TextTarget {
  readonly write: (text: string) => void;
  readonly color: boolean;
  /** The terminal's width, asked at each use; undefined where there is no terminal, which has no status line. */
  readonly columns?: () => number;
}

const redrawMs = 100;

/** Streamed text, a line for each tool call and, on a terminal, a status line below. */
export function textReporter({ write, color, columns }: TextTarget): Reporter {
  const begun = performance.now();
  const elapsed = () => performance.now() - begun;
  const render = createRender({ color, columns: columns ?? (() => Number.POSITIVE_INFINITY) });
  if (columns === undefined) return { report: (event) => write(render(event, elapsed())), end: () => {} };

  const screen = createScreen(columns, color ? (status) => `\u001B[2m${status}\u001B[22m` : undefined);
  let progress = noProgress;
  const redraw = () => write(screen.show(statusLine(progress, elapsed())));
  const timer = setInterval(redraw, redrawMs);
  return {
    report(event) {
      progress = progressAfter(progress, event);
      const text = render(event, elapsed());
      if (text !== '') write(screen.print(text));
    },
    end() {
      clearInterval(timer);
      write(screen.show(undefined));
    },
  };
}
