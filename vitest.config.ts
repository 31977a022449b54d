// How the tests run. `npm run test:deep` uses the mode `deep`, in which property tests run longer.

import { configDefaults, defineConfig } from 'vitest/config';
import { findChromium } from './test/browser/find-chromium.ts';

// In CI the tests that need a browser fail without one; elsewhere they are left out, and one line says so.
const browserTests = ['test/browser/**', 'test/inspect/page/**'];
const isBrowserMissing = findChromium() === undefined && process.env['CI'] !== 'true';
if (isBrowserMissing) console.log(`Left out, since there is no Chromium on the PATH: ${browserTests.join(', ')}`);

export default defineConfig(({ mode }) => ({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(isBrowserMissing ? browserTests : [])],
    setupFiles: ['test/seed.ts'],
    allowOnly: false,
    testTimeout: 30_000, // bounds for hangs on a loaded machine, not measurements
    hookTimeout: 60_000,
    env: {
      TURNCHART_RUNS: process.env['TURNCHART_RUNS'] ?? (mode === 'deep' ? '50' : '1'),
      TURNCHART_SEED: process.env['TURNCHART_SEED'] ?? (mode === 'deep' ? 'random' : '20261130'),
    },
  },
}));
