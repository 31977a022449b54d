// Two ways to report a turn while it runs: text for people, JSON lines for programs. main.ts picks one.

import type { OperativeEvent } from '../index.ts';
import { noProgress, progressAfter, statusLine } from './progress.ts';
import { createRender } from './render.ts';
import { createScreen } from './terminal/screen.ts';

/** Gets every event of a turn, in order, then the end. */
export interface Reporter {
  readonly report: (event: OperativeEvent) => void;
  /** Prints words of the command's own, where there is room for them. */
  readonly print: (text: string) => void;
  /** While held nothing is redrawn in place: somebody else writes on the terminal. */
  readonly hold: (isHeld: boolean) => void;
  /** Takes away what is not meant to stay, and stops timers. */
  readonly end: () => void;
}

/** One event a line as JSON; errors as their `toJSON` says. */
export function jsonReporter(write: (text: string) => void): Reporter {
  const nothing = () => {};
  return { report: (event) => write(`${JSON.stringify(event)}\n`), print: nothing, hold: nothing, end: nothing };
}

/** Where text goes. */
export interface TextTarget {
  readonly write: (text: string) => void;
  readonly color: boolean;
  /** The terminal's width, asked at each use; undefined where there is no terminal, which has no status line. */
  readonly columns?: () => number;
  /** Why a turn failed is told elsewhere, as on standard error. */
  readonly leavesOutErrors?: boolean;
}

const redrawMs = 100;

/** Streamed text, a line for each tool call and, on a terminal, a status line below. */
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
