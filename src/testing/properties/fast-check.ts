// The only import of fast-check, an optional peer: a project without it gets one clear error.

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

/** The fast-check module. Importing this file throws `peer.missing` if it is not installed. */
export const fc = await load();
