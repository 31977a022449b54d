// Runs the built package under plain Node: the one the tests run on, and the oldest one package.json promises.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import pinned from './node-floor/package.json' with { type: 'json' };

const floorVersion = pinned.optionalDependencies.node.replace(/^.*@/, '');
const floor = resolve(import.meta.dirname, 'node-floor/node_modules/node/bin/node');

function smoke(node: string): void {
  const { status } = spawnSync(node, [resolve(import.meta.dirname, 'smoke.mjs')], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

smoke(process.execPath);

if (existsSync(floor)) {
  const { stdout } = spawnSync(floor, ['--version'], { encoding: 'utf8' });
  if (stdout.trim() !== `v${floorVersion}`)
    throw new Error(`Expected Node ${floorVersion} as the floor, found ${stdout.trim()}.`);
  smoke(floor);
} else if (process.env['CI'] === 'true' && process.platform === 'linux' && process.arch === 'x64') {
  throw new Error(`Node ${floorVersion} is missing at ${floor}. Run npm ci.`);
} else {
  console.log(
    `skipped: there is no Node ${floorVersion} for ${process.platform} ${process.arch} to be installed by npm`,
  );
}
