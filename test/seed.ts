// The seed of every property that names none. `npm test` explores the same programs each time, so that a red run is the
// change's doing; `npm run test:deep` takes a new seed, and TURNCHART_SEED=<n> or =random chooses one.

import fc from 'fast-check';

const given = process.env['TURNCHART_SEED'] ?? '20261130';

if (given !== 'random') fc.configureGlobal({ seed: Number(given) });
