// An operative inside an app's own statechart: the host machine invokes it, steers it, and ends with its turn.

// #region embed
import { assign, createActor, sendTo, setup, waitFor } from 'xstate';
import { createEngine, type TurnReason } from '../src/index.ts';
import { operativeLogic, type OperativeEmitted, type OperativeLogicEvent } from '../src/embedding/index.ts';
import { scriptedModel } from '../src/testing/index.ts';

const engine = createEngine({
  model: scriptedModel([{ text: 'A draft.' }, { text: 'A shorter draft.' }]),
});

const review = setup({
  types: {
    context: {} as { reason: TurnReason | undefined },
    events: {} as { type: 'ask'; text: string } | OperativeEmitted,
  },
  actors: { agent: operativeLogic(engine, { tellParent: true }) },
  actions: {
    submit: sendTo('agent', ({ event }): OperativeLogicEvent => ({
      type: 'message.submit',
      message: event.type === 'ask' ? event.text : '',
    })),
    remember: assign({ reason: ({ event }) => (event.type === 'turn.completed' ? event.reason : undefined) }),
  },
}).createMachine({
  id: 'review',
  context: { reason: undefined },
  initial: 'drafting',
  invoke: { src: 'agent', id: 'agent', input: {} },
  states: {
    drafting: {
      on: { ask: { actions: 'submit' }, 'turn.completed': { target: 'done', actions: 'remember' } },
    },
    done: { type: 'final' },
  },
});

const host = createActor(review).start();
host.send({ type: 'ask', text: 'Draft a reply.' });
host.send({ type: 'ask', text: 'Shorter, please.' }); // steers the turn that runs
const done = await waitFor(host, (snapshot) => snapshot.status === 'done');
// #endregion embed

console.log(`the host ended in "${String(done.value)}" because the turn was ${done.context.reason}`);
