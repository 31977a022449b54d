// Which of the runtime's promises a chart keeps, how, and what shows it. Called by scripts/docs/chart-page.ts.

import type { ChartId } from '../../test/paths/chart-suites.ts';

interface Kept {
  readonly promise: string;
  readonly how: string;
  readonly shownBy: string;
}

const paths = '`test/paths/charts.test.ts`';
const registry = '`test/properties/background-model.test.ts`';
const races = '`test/realtime/races.test.ts`';
const real = '`test/paths/real-services.test.ts`';

const kept: Readonly<Record<ChartId, readonly Kept[]>> = {
  turn: [
    {
      promise: 'P3 The transcript is always valid.',
      how: 'Every final state is entered through `land`, which answers open calls.',
      shownBy: `${paths}, ${real}`,
    },
    {
      promise: 'P4 Cancel is prompt and bounded.',
      how: '`turn.cancel` leads to `aborted` in one step from every state but `dispatching`; from there to `interrupting`, which ends at the latest with the grace time of its tools.',
      shownBy: `${paths}, ${real}`,
    },
    {
      promise: 'P5 A stream that merely ends is not an answer.',
      how: '`streamModel` settles with facts: only an answer leads on to tools or to the end; everything else is retried, re-shaped or ends in `failed`.',
      shownBy: paths,
    },
    {
      promise: 'P6 Nothing user code throws can kill an actor.',
      how: 'A service that breaks leads to `failed`, with a valid transcript.',
      shownBy: `${paths}, ${real}, \`test/paths/broken-batch.test.ts\``,
    },
    {
      promise: 'P8 Every path is checked.',
      how: 'The counts above, and the mutants.',
      shownBy: `${paths}, \`test/paths/mutants.test.ts\``,
    },
  ],
  toolCall: [
    {
      promise: 'P3 The transcript is always valid.',
      how: 'Every path ends in one final state, and each final state but `backgrounded` is the status of one result.',
      shownBy: paths,
    },
    {
      promise: 'P4 Cancel is prompt and bounded.',
      how: '`call.cancel` ends a call that does not run yet as `notStarted`; a running tool ends with the result it returns, or as `interrupted` when the grace time is over.',
      shownBy: paths,
    },
    {
      promise: 'P8 Every path is checked.',
      how: 'The counts above, and the mutants.',
      shownBy: `${paths}, \`test/paths/mutants.test.ts\``,
    },
  ],
  backgroundTasks: [
    {
      promise: 'P4 Cancel is prompt and bounded.',
      how: '`tasks.close` asks every task to stop in its own step, and each task is bounded by its grace time, so `closing` ends.',
      shownBy: `${paths}, ${registry}`,
    },
    {
      promise: 'P6 Nothing user code throws can kill an actor.',
      how: '`closed` is not a final state: late `start` and `close` calls still get an answer.',
      shownBy: `${paths}, ${registry}`,
    },
    {
      promise: 'P8 Every path is checked.',
      how: 'The counts above, and the mutants.',
      shownBy: `${paths}, \`test/paths/mutants.test.ts\``,
    },
  ],
  backgroundTask: [
    {
      promise: 'P4 Cancel is prompt and bounded.',
      how: '`task.stop` aborts the signal in its own step; a tool that does not end within the grace time is given up as `stopped`.',
      shownBy: `${paths}, ${registry}`,
    },
    {
      promise: 'P6 Nothing user code throws can kill an actor.',
      how: 'A tool that throws is a task that `failed`.',
      shownBy: `${paths}, ${registry}`,
    },
    {
      promise: 'P8 Every path is checked.',
      how: 'The counts above, and the mutants.',
      shownBy: `${paths}, \`test/paths/mutants.test.ts\``,
    },
  ],
  realtimeSession: [
    {
      promise: 'P4 Cancel is prompt and bounded.',
      how: 'An interruption silences the answer and cuts the player in its own step; every state that waits for the server has a deadline.',
      shownBy: `${paths}, ${races}`,
    },
    {
      promise: 'P6 Nothing user code throws can kill an actor.',
      how: '`closed` is not a final state: late events are ignored, and late calls still get an answer.',
      shownBy: `${paths}, \`test/realtime/hostile.test.ts\``,
    },
    {
      promise: 'P7 Cost is near the floor.',
      how: 'No event of the chart carries audio or a delta: the chart learns only of the first one and of the end.',
      shownBy: '`test/realtime/long-calls.test.ts`',
    },
    {
      promise: 'P8 Every path is checked.',
      how: 'The counts above, the pairs of regions that a race is about, and the mutants.',
      shownBy: `${paths}, \`test/paths/mutants.test.ts\``,
    },
  ],
  operative: [
    {
      promise: 'P1 No message is lost or doubled.',
      how: '`message.submit` is answered in every state: claimed, steered, kept late, held, preempting, or rejected. A message that comes after sealing is late, and announced.',
      shownBy: `${paths}, ${real}`,
    },
    {
      promise: 'P2 One turn at a time.',
      how: 'The step that accepts a message leaves `idle` before anything is awaited; the turn is invoked once, for the life of `active`.',
      shownBy: `${paths}, ${real}`,
    },
    {
      promise: 'P4 Cancel is prompt and bounded.',
      how: '`reloading` and `compacting` are given up in the step of the cancel; a running turn is cancelled at once.',
      shownBy: `${paths}, ${real}`,
    },
    {
      promise: 'P6 Nothing user code throws can kill an actor.',
      how: 'A turn, a reload or a compaction that breaks ends its claim; `closed` is not a final state and answers everything.',
      shownBy: `${paths}, ${real}`,
    },
    {
      promise: 'P8 Every path is checked.',
      how: 'The counts above, and the mutants.',
      shownBy: `${paths}, \`test/paths/mutants.test.ts\``,
    },
  ],
};

/** The last section of a chart's page. */
export function promisesOf(id: ChartId): readonly string[] {
  const lines = kept[id].map(({ promise, how, shownBy }) => `- **${promise}** ${how} Shown by ${shownBy}.`);
  return ['## Promises it keeps', '', ...lines, ''];
}
