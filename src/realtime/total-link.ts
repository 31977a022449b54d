// A link whose methods never throw, although a provider's code or an application's socket may. Called by
// session-scope.ts for each new link.

import type { WireLink } from './wire.ts';

/** Where failures go. */
export interface LinkFaults {
  /** A method threw: reported to `onListenerError`. */
  readonly report: (thrown: unknown) => void;
  /** Something could not be sent: the link is unusable. */
  readonly broke: (thrown: unknown) => void;
}

/** Wraps the link. A command that could not be sent breaks it; errors while closing are only reported. */
export function totalLink(link: WireLink, { report, broke }: LinkFaults): WireLink {
  const call = link.call?.bind(link);
  const attempt = (work: () => void, failed: (thrown: unknown) => void): void => {
    try {
      work();
    } catch (thrown) {
      failed(thrown);
    }
  };
  return {
    send(command, written) {
      try {
        link.send(command, written);
      } catch (thrown) {
        report(thrown);
        broke(thrown);
      }
    },
    get bufferedBytes() {
      return link.bufferedBytes;
    },
    get tellsWritten() {
      return link.tellsWritten;
    },
    get ping() {
      const { ping } = link;
      return ping?.bind(link);
    },
    ...(call === undefined ? {} : { call }),
    close: () => attempt(() => link.close(), report),
    terminate: () => attempt(() => link.terminate(), report),
  };
}
