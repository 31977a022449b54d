// Standard output that may lose its reader (`| head`): from then on writing does nothing. main.ts makes one.

import type { Writable } from 'node:stream';

/** Where the command writes. */
export interface Outlet {
  readonly write: (text: string) => void;
  /** Nobody reads any more. */
  readonly isGone: () => boolean;
  /** Resolves when everything written has left, or nobody reads. */
  readonly flushed: () => Promise<void>;
}

/** An outlet on the stream; `onGone` is called once when the reader leaves. Every write error counts as that. */
export function createOutlet(stream: Writable, onGone: () => void): Outlet {
  let gone = false;
  stream.on('error', () => {
    if (gone) return;
    gone = true;
    onGone();
  });
  return {
    write: (text) => {
      if (!gone && text !== '') stream.write(text);
    },
    isGone: () => gone,
    flushed: () =>
      new Promise((resolve) => {
        if (gone) resolve();
        else stream.write('', () => resolve());
      }),
  };
}
