// Two ways to report a running turn: text for people, JSON lines for programs. Chosen by main.ts.

import type { OperativeEvent } from '../index.ts';
import { noProgress, progressAfter, statusLine } from './progress.ts';
import { createRender } from './render.ts';
import { createScreen } from './terminal/screen.ts';

/** Gets every event of a turn, in order, then the end. */
export interface Reporter {
  readonly report: (event: OperativeEvent) => void;
  /** Prints text that is not part of the turn; nothing in JSON output. */
  readonly print: (text: string) => void;
  /** While held, nothing is redrawn in place, because something else writes to the terminal. */
  readonly hold: (isHeld: boolean) => void;
  /** Removes the status line and stops timers. */
  readonly end: () => void;
}

/** One JSON event per line; errors by their `toJSON`. */
export function jsonReporter(write: (text: string) => void): Reporter {
  const nothing = () => {};
  return { report: (event) => write(`${JSON.stringify(event)}\n`), print: nothing, hold: nothing, end: nothing };
}

/** Where and how text is written. */
export interface TextTarget {
  readonly write: (text: string) => void;
  readonly color: boolean;
  /** The terminal's width, called at each use. Undefined without a terminal: then there is no status line. */
  readonly columns?: () => number;
  /** Errors of turns are shown elsewhere, such as on standard error. */
  readonly leavesOutErrors?: boolean;
}

const redrawMs = 100;

/** Streamed text, a line for each tool call, and a status line on a terminal. */
export function textReporter({ write, color, columns, leavesOutErrors = false }: TextTarget): Reporter {
  let begun = performance.now();
  const elapsed = () => performance.now() - begun;
  const render = createRender({ color, columns: columns ?? (() => Number.POSITIVE_INFINITY) });
  const rendered = (event: OperativeEvent): string => {
    if (event.type === 'turn.started') begun = performance.now();
    if (event.type !== 'turn.completed' || !leavesOutErrors) return render(event, elapsed());
    const { error: _, ...rest } = event;
    return render(rest, elapsed());
  };
  if (columns === undefined)
    return { report: (event) => write(rendered(event)), print: write, hold: () => {}, end: () => {} };

  const screen = createScreen(columns, color ? (status) => `\u001B[2m${status}\u001B[22m` : undefined);
  let progress = noProgress;
  let isHeld = false;
  const redraw = () => {
    if (!isHeld) write(screen.show({ status: statusLine(progress, elapsed()) }));
  };
  const timer = setInterval(redraw, redrawMs);
  return {
    report(event) {
      progress = progressAfter(progress, event);
      write(screen.print(rendered(event)));
    },
    print: (text) => write(screen.print(text)),
    hold(held) {
      isHeld = held;
      if (held) write(screen.show({}));
    },
    end() {
      clearInterval(timer);
      write(screen.show({}));
    },
  };
}
