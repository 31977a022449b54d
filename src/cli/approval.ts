// Asks the person whether a tool call may run. main.ts gives it to the engine; chat and one-shot mode bring the question.

import type { Approve } from '../index.ts';
import { callText } from './render.ts';

/** Asks a yes-or-no question. False when nobody can be asked, and once the signal is aborted. */
export type AskPerson = (question: string, signal: AbortSignal) => Promise<boolean>;

/** Approvals by a person. A call nobody allows is denied with a sentence the model can read. */
export function approveBy(ask: AskPerson): Approve {
  return async ({ call }, { signal }) =>
    (await ask(`Allow ${callText(call)}?`, signal))
      ? { allow: true }
      : { allow: false, message: 'The user did not allow this call.' };
}
