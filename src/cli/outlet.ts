// Standard output that may lose its reader (`| head`) or fail: writing then does nothing. Made by main.ts.

import type { Writable } from 'node:stream';

/** Where the command writes. */
export interface Outlet {
  readonly write: (text: string) => void;
  /** `left`: the reader of a pipe is gone. An Error: writing failed, such as on a full disk. */
  readonly state: () => 'open' | 'left' | Error;
  /** Resolves when everything written has gone out, or can no longer go out. */
  readonly flushed: () => Promise<void>;
}

/** An outlet to the stream; `onLost` is called once when nothing more can be written. */
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
