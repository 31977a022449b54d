// The only import of fast-check: an optional peer, loaded so that a project without it reads one clear sentence.

import { TurnchartError } from '../../contracts/errors.ts';

async function load(): Promise<typeof import('fast-check')> {
  try {
    return await import('fast-check');
  } catch (cause) {
    throw new TurnchartError(
      'peer.missing',
      'turnchart/testing/properties needs the package fast-check, which could not be loaded. Install it: npm install --save-dev fast-check@4',
      { cause },
    );
  }
}

/** fast-check. Importing this file throws `peer.missing` where it is not installed. */
export const fc = await load();
