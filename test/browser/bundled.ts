// One file with all it imports, as a browser gets it.

import { resolve } from 'node:path';
import { rolldown } from 'rolldown';

/** The bundle's code, an ES module. The path starts at this folder. Rejects where a bundler would warn. */
export async function bundled(file: string): Promise<string> {
  const bundle = await rolldown({
    input: resolve(import.meta.dirname, file),
    platform: 'browser',
    onLog(_level, log) {
      throw new Error(log.message);
    },
  });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
  await bundle.close();
  return output[0].code;
}
