import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { playPlan, turnPlans } from './random-turns.ts';

const runs = 60 * Number(process.env['TURNCHART_RUNS'] ?? 1);

test('an arbitrary turn keeps the grammar and a valid transcript, ends in time, and is the same by table and by XState', async () => {
  await fc.assert(
    fc.asyncProperty(turnPlans, async (plan) => {
      const table = await playPlan(plan, 'table');
      const inspected = await playPlan(plan, 'inspected');
      expect(inspected.events).toEqual(table.events);
      expect(inspected.conversation).toEqual(table.conversation);
    }),
    { numRuns: runs },
  );
});

test('P1: every accepted steer is in the transcript once or handed back, in order of acceptance', async () => {
  await fc.assert(
    fc.asyncProperty(turnPlans, async (plan) => {
      const turn = await playPlan(plan, 'table');
      const { undrained = [] } = await turn.run.result;
      const ids = [...turn.conversation.messages, ...undrained].map(({ id }) => id);
      expect(ids.filter((id) => id.startsWith('s'))).toEqual(turn.accepted);
    }),
    { numRuns: runs },
  );
});
