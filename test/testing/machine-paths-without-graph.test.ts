// The entry ./testing where the optional peer @xstate/graph is not installed.

import { createMachine } from 'xstate';
import { expect, test, vi } from 'vitest';
import { machinePaths } from '../../src/testing/index.ts';

vi.mock('@xstate/graph', () => {
  throw new Error('Cannot find package');
});

test('machinePaths names the missing package', async () => {
  await expect(
    machinePaths(createMachine({ initial: 'idle', states: { idle: {} } }), { cases: [] }),
  ).rejects.toMatchObject({
    code: 'peer.missing',
    message: expect.stringContaining('npm install --save-dev @xstate/graph'),
  });
});
