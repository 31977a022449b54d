// What counts as used: the public entries, the command, the scripts, the tests. Everything else must be reached from them.

import type { KnipConfig } from 'knip';
import { entrySources, readManifest } from './scripts/manifest.ts';

const manifest = await readManifest();

export default {
  entry: [
    ...entrySources(manifest).values(),
    'bench/*.ts',
    'examples/**/*.{ts,tsx}',
    'inspector-page/main.tsx',
    'scripts/*.ts',
    'scripts/**/*.mjs',
    'test/**/*.test.ts',
    'test/types/**/*.ts',
    'test/browser/page-*.ts',
  ],
  project: [
    'src/**/*.ts',
    'scripts/**/*.{ts,mjs}',
    'test/**/*.ts',
    'examples/**/*.{ts,tsx}',
    'inspector-page/**/*.{ts,tsx}',
    'bench/**/*.ts',
  ],
  ignoreDependencies: [
    'node-floor', // the oldest Node we promise, run by scripts/smoke.ts
    '@arethetypeswrong/cli', // run by scripts/check.ts
    'publint', // run by scripts/check.ts
  ],
  ignoreBinaries: ['mkfifo'], // a program of the system
  ignoreExportsUsedInFile: { interface: true, type: true }, // a type named in an exported signature is exported too
} satisfies KnipConfig;
