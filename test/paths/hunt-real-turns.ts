// Runs a mutant of the turn chart with real services along the edge cover: what a user would see of it.

import type { AnyStateMachine } from 'xstate';
import { machinePaths } from '../../src/testing/index.ts';
import { driveTurn, viaRealStart } from './drive-turn.ts';
import { stagesOf, turnWalk } from './turn-walk.ts';

// Real milliseconds: a broken turn may wait forever, which no virtual clock can tell.
const patienceMs = 1_000;

const paths = (
  await Promise.all(
    turnWalk.settings.map(async ({ name, input }) => {
      const { edges, edgeCover } = await machinePaths(turnWalk.machine, { input, cases: turnWalk.cases });
      return edgeCover.map((path) => ({ setting: name, path: viaRealStart(path, edges) }));
    }),
  )
)
  .flat()
  .toSorted((left, right) => left.path.length - right.path.length);

/** The first path on which a real turn shows the mutant; undefined when none does. */
export async function seenInRealTurn(create: () => AnyStateMachine): Promise<string | undefined> {
  let machine: AnyStateMachine;
  try {
    machine = create();
  } catch (fault) {
    return `it cannot be made: ${String(fault)}`;
  }
  for (const { setting, path } of paths) {
    const stages = stagesOf[setting];
    if (stages === undefined) continue;
    try {
      await withPatience(driveTurn(path, { stages, machine }, 'bare'));
    } catch {
      return `${setting}: ${path.map(({ name }) => name).join(' → ')}`;
    }
  }
  return undefined;
}

async function withPatience<Value>(work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('It hangs.')), patienceMs);
  });
  try {
    return await Promise.race([work, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
