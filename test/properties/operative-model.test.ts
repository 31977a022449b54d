// The operative against its reference model: outcome and fate of every message, order, events and state.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { arbitraryLives, lifeCommands, RealLife } from './life-commands.ts';
import { ReferenceOperative } from './reference-operative.ts';
import { Histories } from './side-by-side.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);
/** A bound for hangs. */
const timeout = 60_000 * Math.max(1, runs);

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeAll(() => void process.on('unhandledRejection', note));
afterAll(() => void process.off('unhandledRejection', note));

test('every program of commands gives the operative the reference model predicts', { timeout }, async () => {
  await fc.assert(
    fc.asyncProperty(
      arbitraryLives,
      fc.commands(lifeCommands, { maxCommands: 16, size: '+1' }),
      async (life, commands) => {
        const real = new RealLife(life);
        await fc.asyncModelRun(() => ({ model: new Histories(() => new ReferenceOperative(life)), real }), commands);
        real.act({ do: 'close' });
        await real.advance(1_000);
        await real.look();
        expect(real.operative.state).toBe('closed');
        expect(real.calls.filter(({ outcome, delivery }) => outcome === undefined || delivery === undefined)).toEqual(
          [],
        );
        expect(real.world.host.pendingTimers()).toBe(0);
        expect(unhandled).toEqual([]);
      },
    ),
    { numRuns: 1_000 * runs },
  );
});
