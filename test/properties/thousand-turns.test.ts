// A thousand turns on one operative leave nothing behind but their transcript and the ids it must remember.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const program = fileURLToPath(new URL('thousand-turns.ts', import.meta.url));

test(
  '1,000 turns on one operative, and 1,000 that are cancelled: heap flat apart from the transcript, no listener left on a signal, no actor in the system',
  {
    timeout: 120_000,
  },
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program]);
    const left = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
    expect(left).toMatchObject({ listeners: 0, children: 0, alive: 0, state: 'idle' });
    expect(left['signals']).toBeGreaterThan(40);
    expect(left['made']).toBeGreaterThan(4_000);
    // A turn of this test accepts 1.3 messages. The id of each is remembered for the life of the operative, for it must
    // never be accepted twice, with where it went: 190 bytes a message. All else together is less than 50 bytes a turn.
    expect(left['bytesPerTurn']).toBeLessThan(400);
    // Half of the turns were cancelled: while their answer streamed, while a tool worked, while one hung.
    expect(left['ends']).toEqual({ completed: 2_023, aborted: 2_020 });
    expect(left['bytesPerCancelledTurn']).toBeLessThan(500);
    console.log(`2 × 1,000 turns: ${stdout.trim()}`);
  },
);
