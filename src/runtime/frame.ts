// How a message that was steered into a running turn is marked for the model.

import type { Message } from '../conversation/message.ts';
import { atOnce } from '../contracts/at-once.ts';
import { submittable } from './accept-message.ts';
import type { Frame } from './ledger.ts';

/** The default mark: an extra text block in front; `meta.frame` counts the blocks it added. */
export const defaultFrame: Frame = (message) => ({
  ...message,
  content: [{ type: 'text', text: '(Sent while you were working on the previous request.)' }, ...message.content],
  meta: { ...message.meta, frame: 1 },
});

/** Makes the host's frame safe: if it throws, or does not return the same user message, the message stays as it is. */
export function frameWith(
  frame: ((message: Message) => Message) | null | undefined,
  onListenerError: (error: unknown) => void,
): Frame {
  if (frame === undefined) return defaultFrame;
  if (frame === null) return (message) => message;
  return (message) => {
    try {
      const framed = submittable(atOnce(frame(message), 'frameInjectedMessage'));
      const fault = typeof framed === 'string' ? framed : 'its id differs';
      if (typeof framed === 'object' && framed.id === message.id) return framed;
      throw new TypeError(
        `frameInjectedMessage must return a user message with the same id and some content, but for message "${message.id}" ${fault}. The message is used without a frame.`,
      );
    } catch (thrown) {
      onListenerError(thrown);
      return message;
    }
  };
}
