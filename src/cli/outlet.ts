// Standard output that may lose its reader (`| head`) or fail: from then on writing does nothing. main.ts makes one.

import type { Writable } from 'node:stream';

/** Where the command writes. */
export interface Outlet {
  readonly write: (text: string) => void;
  /** `left`: the reader of a pipe has gone. An Error: writing failed, as on a full disk. */
  readonly state: () => 'open' | 'left' | Error;
  /** Resolves when everything written has gone out, or nothing can any more. */
  readonly flushed: () => Promise<void>;
}

/** An outlet on the stream; `onLost` is called once when it can take no more. */
export function createOutlet(stream: Writable, onLost: () => void): Outlet {
  let state: ReturnType<Outlet['state']> = 'open';
  stream.on('error', (fault: NodeJS.ErrnoException) => {
    if (state !== 'open') return;
    state = fault.code === 'EPIPE' ? 'left' : fault;
    onLost();
  });
  return {
    write: (text) => {
      if (state === 'open' && text !== '') stream.write(text);
    },
    state: () => state,
    flushed: () =>
      new Promise((resolve) => {
        if (state === 'open') stream.write('', () => resolve());
        else resolve();
      }),
  };
}
