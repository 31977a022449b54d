// Ten thousand tasks on one registry leave nothing behind but the last hundred.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const program = fileURLToPath(new URL('ten-thousand-tasks.ts', import.meta.url));

test('10,000 tasks started, polled and finished, twice: heap flat, no timer left', { timeout: 120_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program]);
  const left = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
  expect(left).toMatchObject({
    // Start and end are read, an id is made, and the poll has its timer.
    hostCallsPerTask: [4, 4],
    events: { 'task.started': 20_000, 'task.output': 80_000, 'task.settled': 20_000 },
    timers: 0,
    kept: 100,
  });
  // One that was kept would be more than a thousand.
  expect(left['bytesPerTask']).toBeLessThan(30);
  console.log(`2 × 10,000 tasks: ${stdout.trim()}`);
});

test(
  '10,000 more cost no more than those before them, in pieces of code run and elements visited',
  { timeout: 120_000 },
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [program, 'work']);
    const { workPerTask } = JSON.parse(stdout) as { readonly workPerTask: readonly [number, number] };
    const [first, second] = workPerTask;
    expect(first).toBeGreaterThan(100);
    // Less is possible: code that the engine compiles counts some calls no longer.
    expect(second / first).toBeLessThan(1.05);
  },
);
