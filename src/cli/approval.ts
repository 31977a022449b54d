// Asks the person whether a tool call may run. main.ts passes it to the engine; chat and one-shot mode ask.

import type { Approve, JsonValue, ToolCallBlock } from '../index.ts';
import { callText } from './render.ts';
import { plainLine } from './terminal/plain-text.ts';

/** Asks a yes-or-no question. False when nobody can be asked, and once the signal is aborted. */
export type AskPerson = (question: string, signal: AbortSignal) => Promise<boolean>;

/** Approvals by a person. A call that is not allowed is denied with a sentence for the model. */
export function approveBy(ask: AskPerson): Approve {
  return async ({ call, preview }, { signal }) =>
    (await ask(questionOf(call, preview), signal))
      ? { allow: true }
      : { allow: false, message: 'It was not allowed: the user said no, or nobody could be asked.' };
}

// A command is shown whole, because any part of it may matter.
function questionOf(call: ToolCallBlock, preview: JsonValue | undefined): string {
  if (typeof preview === 'object' && preview !== null && 'command' in preview && 'folder' in preview) {
    return `Allow ${plainLine(call.name)} in ${plainLine(String(preview['folder']))}: ${plainLine(String(preview['command']))} ?`;
  }
  return `Allow ${callText(call)}?`;
}
