// A link whose methods throw nothing: a provider's code, or a socket of the application's, may be wrong. Called by
// session-scope.ts for each link that is dialled.

import type { WireLink } from './wire.ts';

/** Who hears of it. */
export interface LinkFaults {
  /** A method threw: told to whoever asked for it. */
  readonly report: (thrown: unknown) => void;
  /** What was to be sent was not: the link is of no use any more. */
  readonly broke: (thrown: unknown) => void;
}

/** The same link. A command that could not be sent breaks it; what goes wrong at its end is only reported. */
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
