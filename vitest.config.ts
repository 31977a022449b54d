// How the tests run. `npm run test:deep` uses the mode `deep`, in which property tests run longer.

import { defineConfig } from 'vitest/config';

export default defineConfig(({ mode }) => ({
  test: {
    include: ['test/**/*.test.ts'],
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
