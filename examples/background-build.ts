// A long build in the background: the model goes on, polls it once, and is told when it has ended.

// #region setup
import { createBackgroundTasks, createEngine, createOperative, defineBackgroundTool, textOf } from '../src/index.ts';

const build = defineBackgroundTool({
  name: 'Build',
  description: 'Builds a target.',
  parameters: { type: 'object', properties: { target: { type: 'string' } }, required: ['target'] },
  execute: async (_args, { write, signal }) => {
    for (const step of ['compile', 'link', 'pack']) {
      signal.throwIfAborted(); // TaskStop and tasks.close() abort it
      write(`${step} …\n`); // what TaskOutput shows
      await compiler.run(step);
    }
    return 'built without warnings';
  },
});

const tasks = createBackgroundTasks(); // one for the app; each conversation sees its own tasks only
// #endregion setup

import { scriptedModel } from '../src/testing/index.ts';

// Steps wait for the demo to let them go on.
const compiler = {
  waiting: [] as (() => void)[],
  run: (_step: string) => new Promise<void>((resolve) => compiler.waiting.push(resolve)),
  finish: () => compiler.waiting.shift()?.(),
};

const model = scriptedModel([
  { text: 'I start the build.', calls: [{ name: 'Build', args: { target: 'app', run_in_background: true } }] },
  ({ messages }) => {
    const id = /as task (\S+)\./.exec(JSON.stringify(messages.at(-1)))?.[1] ?? '';
    return { calls: [{ name: 'TaskOutput', args: { task_id: id, block: false } }] };
  },
  { text: 'It compiles. I will tell you when it is done.' },
  ({ messages }) => {
    const id = /Task (\S+) \(Build\)/.exec(JSON.stringify(messages.at(-1)))?.[1] ?? '';
    return { calls: [{ name: 'TaskOutput', args: { task_id: id } }] };
  },
  { text: 'The app is built, without warnings.' },
]);

// #region operative
const engine = createEngine({ model, tools: [build], backgroundTasks: tasks }); // brings TaskOutput and TaskStop
const operative = createOperative({ engine, announceTasks: 'steer' }); // a settled task starts a turn when idle

operative.subscribe((event) => {
  if (event.type === 'toolCall.backgrounded') console.log(`[${event.call.name} goes on in the background]`);
  if (event.type === 'assistant.settled') console.log(textOf(event.message));
});
// #endregion operative

const idle = () =>
  new Promise<void>((resolve) => {
    const leave = operative.subscribe(({ type }) => {
      if (type !== 'turn.completed') return;
      leave();
      resolve();
    });
  });

const firstTurn = idle();
await operative.submit('Build the app.');
await firstTurn;

const told = idle(); // nobody submits: the notice of the settled task starts this turn
for (let step = 0; step < 3; step++) {
  compiler.finish();
  await new Promise((resolve) => setTimeout(resolve));
}
await told;

// #region close
await operative.close();
for (const { toolName, status, output } of tasks.list()) console.log(toolName, status, JSON.stringify(output));
await tasks.close(); // ends what still runs
// #endregion close
