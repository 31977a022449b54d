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
      how: '`turn.cancel` leads to `aborted` in one step from every state but `dispatching`; there to `interrupting`, which ends with the grace time of its tools.',
      shownBy: `${paths}, ${real}`,
    },
    {
      promise: 'P5 A stream that merely ends is not an answer.',
      how: '`streamModel` settles with facts: only an answer goes on to tools or the end, everything else is retried, reshaped or `failed`.',
      shownBy: paths,
    },
    {
      promise: 'P6 Nothing user code throws can kill an actor.',
      how: 'Every service has a way out when it breaks: to `failed`, with a valid transcript.',
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
      how: '`call.cancel` ends what does not run yet as `notStarted`; a running tool ends as what it gives back, or as `interrupted` when the grace time is over.',
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
      how: '`tasks.close` tells every task to stop in its own step, and each task is bounded by its grace time: `closing` ends.',
      shownBy: `${paths}, ${registry}`,
    },
    {
      promise: 'P6 Nothing user code throws can kill an actor.',
      how: '`closed` is a state like any other: whoever still starts a task or closes gets an answer.',
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
      how: '`closed` is a state like any other: whatever comes late is ignored, and whoever still asks gets an answer.',
      shownBy: `${paths}, \`test/realtime/hostile.test.ts\``,
    },
    {
      promise: 'P7 Cost is near the floor.',
      how: 'No event of the chart carries audio or a delta: it hears of the first, and of the end.',
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
      how: '`message.submit` is answered in every state: claimed, steered, kept late, held, preempting, or rejected. What comes after sealing is late and announced.',
      shownBy: `${paths}, ${real}`,
    },
    {
      promise: 'P2 One turn at a time.',
      how: 'The step that takes a message leaves `idle`, before anything is awaited; the turn is invoked once, for the life of `active`.',
      shownBy: `${paths}, ${real}`,
    },
    {
      promise: 'P4 Cancel is prompt and bounded.',
      how: '`reloading` and `compacting` are given up in the step of the cancel; a running turn is told at once.',
      shownBy: `${paths}, ${real}`,
    },
    {
      promise: 'P6 Nothing user code throws can kill an actor.',
      how: 'A turn, a reload or a compaction that breaks ends its claim; `closed` is a state like any other and answers everything.',
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
