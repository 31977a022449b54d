// Yes-or-no questions outside of a chat: asked on the terminal if there is one, else answered no. Called by main.ts.

import { createInterface } from 'node:readline/promises';
import type { Readable } from 'node:stream';
import type { AskPerson } from './approval.ts';

/** Where a question is asked and answered. */
export interface QuestionParts {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
  /** Called when nobody can be asked. */
  readonly onUnasked: (question: string) => void;
  /** Removes what is redrawn in place while the question is shown, then restores it. */
  readonly hold: (isHeld: boolean) => void;
}

/** Asks one question at a time. */
export function askOnTerminal({ input, output, onUnasked, hold }: QuestionParts): AskPerson {
  let last: Promise<boolean> = Promise.resolve(false);
  const ask: AskPerson = async (question, signal) => {
    if (signal.aborted) return false;
    if (input.isTTY !== true || output.isTTY !== true) {
      onUnasked(question);
      return false;
    }
    hold(true);
    const lines = createInterface({ input, output, terminal: false });
    try {
      return /^y(?:es)?$/i.test((await lines.question(`? ${question} y/n `, { signal })).trim());
    } catch {
      return false; // the signal was aborted, or the terminal is gone
    } finally {
      lines.close();
      hold(false);
    }
  };
  return (question, signal) => {
    last = last.then(() => ask(question, signal));
    return last;
  };
}
