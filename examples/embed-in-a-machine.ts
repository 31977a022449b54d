// An operative inside an app's own statechart: the host machine invokes it, steers it, and ends on what it emits.

import { assign, createActor, sendTo, setup, waitFor } from 'xstate';
import { createEngine, type TurnReason } from '../src/index.ts';
import { operativeLogic, type OperativeLogicEvent } from '../src/embedding/index.ts';
import { scriptedModel } from '../src/testing/index.ts';

const engine = createEngine({
  model: scriptedModel([{ text: 'A draft.' }, { text: 'A shorter draft.' }]),
});

// #region embed
const review = setup({
  types: {
    context: {} as { reason: TurnReason | undefined },
    events: {} as { type: 'ask'; text: string } | { type: 'turn.ended'; reason: TurnReason },
  },
  actors: { agent: operativeLogic(engine) },
  actions: {
    submit: sendTo('agent', ({ event }): OperativeLogicEvent => ({
      type: 'message.submit',
      message: event.type === 'ask' ? event.text : '',
    })),
    remember: assign({ reason: ({ event }) => (event.type === 'turn.ended' ? event.reason : undefined) }),
  },
}).createMachine({
  id: 'review',
  context: { reason: undefined },
  initial: 'drafting',
  invoke: { src: 'agent', id: 'agent', input: {} },
  states: {
    drafting: {
      on: { ask: { actions: 'submit' }, 'turn.ended': { target: 'done', actions: 'remember' } },
    },
    done: { type: 'final' },
  },
});

const host = createActor(review).start();
host.getSnapshot().children.agent?.on('turn.completed', ({ reason }) => host.send({ type: 'turn.ended', reason }));
host.send({ type: 'ask', text: 'Draft a reply.' });
host.send({ type: 'ask', text: 'Shorter, please.' }); // steers the turn that runs
const done = await waitFor(host, (snapshot) => snapshot.status === 'done');
// #endregion embed

console.log(`the host ended in "${String(done.value)}" because the turn was ${done.context.reason}`);
